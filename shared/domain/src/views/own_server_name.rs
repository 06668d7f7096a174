//! The name of this registry as an MCP server. Shared, because its cards, its entry at other registries and the question
//! whether they list it must agree on it.

use url::Url;

use registry_formats::registry_name::reversed_host;
use registry_model::settings::Settings;

/// Its host name reversed, as server names are formed (SEP-2127, `name`).
#[must_use]
pub fn own_server_name(settings: &Settings) -> String {
    let url = Url::parse(&settings.base_url).ok();
    let owner = url.as_ref().map_or_else(|| "localhost".to_owned(), reversed_host);
    format!("{owner}/registry")
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;

    #[test]
    fn a_server_is_named_after_its_host() {
        let name = |base_url: &str| {
            let lookup = |name: &str| (name == "BASE_URL").then(|| base_url.to_owned());
            own_server_name(&Settings::from_env(Mode::Public, lookup).unwrap())
        };
        assert_eq!(name("https://registry.example.com"), "com.example.registry/registry");
        assert_eq!(name("http://127.0.0.1:8080"), "127.0.0.1/registry");
        assert_eq!(name("http://[::1]:8080"), "localhost/registry");
    }
}
