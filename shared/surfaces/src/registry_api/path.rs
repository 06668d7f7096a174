//! Paths of the official MCP registry API. Server names contain a slash. Many clients send the slash without
//! encoding it. So a path is decoded before it is parsed: after decoding, both forms are the same.

use registry_features::listing::Namespace;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// `servers`
    List,
    /// `servers/{name}/versions`
    Versions(String),
    /// `servers/{name}/versions/{version}`
    Version(String, String),
    Publish,
    Health,
    Ping,
    /// `version`
    About,
    /// `x/{namespace}/search`, an extension, as are the next two.
    Search,
    /// `x/{namespace}/health`
    ServerHealth,
    /// `x/{namespace}/facets`
    Facets,
}

/// The call at a decoded path below `/v0.1/`. Extensions exist only below the registry's own namespace.
pub(super) fn call_at(path: &str, own: &Namespace) -> Option<Call> {
    let path = path.strip_suffix('/').unwrap_or(path);
    if let Some(path) = path.strip_prefix("servers/") {
        return version_at(path);
    }
    Some(match path.split('/').collect::<Vec<_>>()[..] {
        ["servers"] => Call::List,
        ["publish"] => Call::Publish,
        ["health"] => Call::Health,
        ["ping"] => Call::Ping,
        ["version"] => Call::About,
        ["x", namespace, "search"] if own.is(namespace) => Call::Search,
        ["x", namespace, "health"] if own.is(namespace) => Call::ServerHealth,
        ["x", namespace, "facets"] if own.is(namespace) => Call::Facets,
        _ => return None,
    })
}

/// `{owner}/{name}/versions`, optionally with a version, which may contain slashes. A name without a slash is passed
/// on: `registry::registry_api` refuses it with an explanation.
fn version_at(path: &str) -> Option<Call> {
    let segments: Vec<&str> = path.split('/').collect();
    let name_length = match segments[..] {
        [_, _, "versions", ..] => 2,
        [_, "versions", ..] => 1,
        _ => return None,
    };
    let (name, version) = (segments[..name_length].join("/"), segments[name_length + 1..].join("/"));
    Some(if version.is_empty() { Call::Versions(name) } else { Call::Version(name, version) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_may_contain_slashes_and_a_server_may_be_called_versions() {
        let version = Call::Version("com.example/adder".to_owned(), "1.0.0+b/7".to_owned());
        assert_eq!(version_at("com.example/adder/versions/1.0.0+b/7"), Some(version));
        let versions = Call::Versions("com.example/versions".to_owned());
        assert_eq!(version_at("com.example/versions/versions"), Some(versions));
    }
}
