//! Paths of the official MCP registry API. Server names contain a slash. Many clients send the slash without
//! encoding it. So a path is decoded before it is parsed: after decoding, both forms are the same.

use registry::registry_api::Namespace;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `servers`
    List,
    /// `servers/{name}/versions`
    Versions(String),
    /// `servers/{name}/versions/{version}`
    Version(String, String),
    /// `publish`
    Publish,
    /// `health`
    Health,
    /// `ping`
    Ping,
    /// `version`
    About,
    /// `x/{namespace}/{extension}`
    Extension(Extension),
}

/// This registry's own extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extension {
    Search,
    Health,
    Facets,
}

/// The call at a decoded path below `/v0.1/`. Extensions exist only below the registry's own namespace.
pub(crate) fn call_at(path: &str, own: &Namespace) -> Option<Call> {
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
        ["x", namespace, extension] if own.is(namespace) => Call::Extension(match extension {
            "search" => Extension::Search,
            "health" => Extension::Health,
            "facets" => Extension::Facets,
            _ => return None,
        }),
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
    use registry::settings::{Mode, Settings};

    #[test]
    fn request_path_decides_the_call() {
        let lookup = |name: &str| (name == "BASE_URL").then(|| "https://registry.example.com".to_owned());
        let own = Namespace::own(&Settings::from_env(Mode::Public, lookup).unwrap());
        let versions = |name: &str| Some(Call::Versions(name.to_owned()));
        let version = |name: &str, version: &str| Some(Call::Version(name.to_owned(), version.to_owned()));
        for (path, call) in [
            ("servers", Some(Call::List)),
            ("servers/", Some(Call::List)),
            ("servers/com.example/adder/versions", versions("com.example/adder")),
            ("servers/com.example/adder/versions/", versions("com.example/adder")),
            ("servers/com.example/versions/versions", versions("com.example/versions")),
            ("servers/com.example/adder/versions/latest", version("com.example/adder", "latest")),
            ("servers/com.example/adder/versions/1.0.0+b/7", version("com.example/adder", "1.0.0+b/7")),
            ("servers/adder/versions", versions("adder")),
            ("servers/adder/versions/1", version("adder", "1")),
            ("servers//versions", versions("")),
            ("servers/com.example/adder", None),
            ("servers/com.example/adder/1.0.0", None),
            ("servers/com.example/adder/status", None),
            ("publish", Some(Call::Publish)),
            ("health", Some(Call::Health)),
            ("ping", Some(Call::Ping)),
            ("version", Some(Call::About)),
            ("x/com.example.registry/search", Some(Call::Extension(Extension::Search))),
            ("x/com.example.registry/health", Some(Call::Extension(Extension::Health))),
            ("x/com.example.registry/facets", Some(Call::Extension(Extension::Facets))),
            ("x/com.example.registry/other", None),
            ("x/com.example/search", None),
            ("x/search", None),
            ("auth/dns", None),
            ("", None),
        ] {
            assert_eq!(call_at(path, &own), call, "{path}");
        }
    }
}
