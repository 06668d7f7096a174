//! Listing ids: `agtpub_` + 20 hex digits of SHA-256 over a URL, `mcp-<slug>` or `agent-<slug>` for a name.
//! An id follows from what is published, so publishing the same thing twice meets the same item (design §4).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use super::Kind;

/// The longest id the registry makes or takes.
const LONGEST: usize = 120;

/// The name of a listing in every path, key and document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^(agtpub_[0-9a-f]{20}|(agent|mcp)-[a-z0-9][a-z0-9._-]*)$"))]
pub struct ListingId(String);

/// A text that is no listing id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a listing id: it looks like agtpub_<20 hex digits>, mcp-<slug> or agent-<slug>")]
pub struct InvalidListingId;

impl ListingId {
    /// The id of what is published by a URL.
    #[must_use]
    pub fn of_url(url: &Url) -> Self {
        Self(format!("agtpub_{}", hex_of(normalised(url).as_bytes(), 20)))
    }

    /// The id of a server or agent that is known by name.
    #[must_use]
    pub fn of_name(kind: Kind, name: &str) -> Self {
        Self(format!("{}-{}", kind.as_str(), slug(name)))
    }

    /// The id of a name whose slug another owner already holds, told apart by `owner`.
    #[must_use]
    pub fn of_name_beside_another(kind: Kind, name: &str, owner: &str) -> Self {
        let mark = hex_of(format!("{name}\n{owner}").as_bytes(), 8);
        Self(format!("{}-{}-{mark}", kind.as_str(), slug(name)))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ListingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ListingId {
    type Error = InvalidListingId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let holds = match text.split_once(['_', '-']) {
            Some(("agtpub", hex)) => {
                text.as_bytes()[6] == b'_'
                    && hex.len() == 20
                    && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            }
            Some(("agent" | "mcp", slug)) => {
                !text.contains("agent_")
                    && !text.starts_with("mcp_")
                    && slug.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                    && slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
            }
            _ => false,
        };
        if holds && text.len() <= LONGEST { Ok(Self(text)) } else { Err(InvalidListingId) }
    }
}

impl From<ListingId> for String {
    fn from(id: ListingId) -> Self {
        id.0
    }
}

impl std::str::FromStr for ListingId {
    type Err = InvalidListingId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

/// A URL as it counts for identity: the parser's canonical form without fragment and trailing slash.
fn normalised(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    let text = url.as_str();
    text.strip_suffix('/').unwrap_or(text).to_owned()
}

/// The first `digits` hexadecimal digits of the SHA-256 of `bytes`.
fn hex_of(bytes: &[u8], digits: usize) -> String {
    let mut hex: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
    hex.truncate(digits);
    hex
}

/// Lower-case letters and digits, everything else folded into single hyphens, at most 80 long.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    if slug.len() > 80 {
        slug.truncate(71);
        slug = format!("{}-{}", slug.trim_end_matches('-'), hex_of(name.as_bytes(), 8));
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { hex_of(name.as_bytes(), 12) } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_url_has_the_same_id() {
        let id = |text: &str| ListingId::of_url(&Url::parse(text).unwrap());
        assert_eq!(id("https://A.example/card.json"), id("https://a.example:443/card.json#x"));
        assert_eq!(id("https://a.example"), id("https://a.example/"));
        assert_ne!(id("https://a.example/card.json"), id("https://a.example/Card.json"));
        assert_eq!(id("https://a.example").as_str().len(), 27);
    }

    #[test]
    fn a_name_becomes_a_slug() {
        let id = |name: &str| ListingId::of_name(Kind::Mcp, name).to_string();
        assert_eq!(id("io.github.Acme/Weather_MCP"), "mcp-io-github-acme-weather-mcp");
        assert_eq!(id("日本"), format!("mcp-{}", hex_of("日本".as_bytes(), 12)));
        assert!(id(&"x".repeat(500)).parse::<ListingId>().is_ok());
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in [
            "",
            "agtpub_",
            "agtpub_XYZ",
            "agtpub-00000000000000000000",
            "mcp-",
            "mcp_x",
            "agent-UPPER",
            "other-x",
        ] {
            assert_eq!(text.parse::<ListingId>(), Err(InvalidListingId), "{text}");
        }
        for text in ["agtpub_0123456789abcdef0123", "mcp-a", "agent-x.y_z-1"] {
            assert!(text.parse::<ListingId>().is_ok(), "{text}");
        }
    }
}
