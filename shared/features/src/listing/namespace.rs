//! The prefix of this registry's additions to the official API of MCP registries.

use std::fmt;

use url::Url;

use registry_formats::registry_name::reversed_host;
use registry_settings::Settings;

/// The prefix of this registry's additions to the official API, such as `com.example.registry`: its host reversed, as that API
/// names extensions and `_meta` keys, so that the keys of two registries never collide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace(String);

impl Namespace {
    /// A bare address has no domain, and labels of `_meta` keys begin with a letter (MCP 2026-07-28, basic,
    /// `_meta`): such a registry uses `localhost`.
    pub fn own(settings: &Settings) -> Self {
        let host = Url::parse(&settings.base_url).ok().as_ref().map(reversed_host);
        let named = host.filter(|host| host.starts_with(|c: char| c.is_ascii_alphabetic()));
        Self(named.unwrap_or_else(|| "localhost".to_owned()))
    }

    pub fn key(&self, name: &str) -> String {
        format!("{self}/{name}")
    }

    pub fn is(&self, segment: &str) -> bool {
        self.0.eq_ignore_ascii_case(segment)
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
