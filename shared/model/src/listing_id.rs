//! Listing ids (`specification.md#listing-ids`). For a URL, the id is `agtpub_` and the first 20 hex digits
//! of SHA-256 over the URL. For a name, the id is `mcp-<slug>` or `agent-<slug>`. So publishing the same
//! thing twice gives the same listing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Kind, is_lower_hex, sha256_hex};

const MAX_LENGTH: usize = 120;

/// The id of a listing in every path, key and document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^(agtpub_[0-9a-f]{20}|(agent|mcp)-[a-z0-9][a-z0-9._-]*)$"))]
pub struct ListingId(String);

text_type!(
    ListingId,
    InvalidListingId,
    "not a listing id; a listing id is agtpub_<20 hex digits>, mcp-<slug> or agent-<slug>",
    |text: String| {
        let is_slug = |slug: &str| {
            slug.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                && slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
        };
        let is_id = match text.strip_prefix("agtpub_") {
            Some(digits) => is_lower_hex(digits, 20),
            None => text.strip_prefix("agent-").or_else(|| text.strip_prefix("mcp-")).is_some_and(is_slug),
        };
        (is_id && text.len() <= MAX_LENGTH && !text.contains("agent_")).then_some(text)
    }
);

impl ListingId {
    /// The id of something that is published by its URL.
    pub fn of_url(url: &Url) -> Self {
        Self(format!("agtpub_{}", hex_of(normalized(url).as_bytes(), 20)))
    }

    /// The id of a server or agent that is known by its name.
    pub fn of_name(kind: Kind, name: &str) -> Self {
        Self(format!("{}-{}", kind.as_str(), slug(name)))
    }

    /// The id of a name whose slug already belongs to another owner; `owner` makes the id different.
    pub fn of_taken_name(kind: Kind, name: &str, owner: &str) -> Self {
        Self::marked(kind, name, owner, 8)
    }

    /// The id of a name if even [`Self::of_taken_name`] belongs to another owner. Anybody can find two owners with the same
    /// short mark, but not with the same long one.
    pub fn of_contested_name(kind: Kind, name: &str, owner: &str) -> Self {
        Self::marked(kind, name, owner, 24)
    }

    fn marked(kind: Kind, name: &str, owner: &str, digits: usize) -> Self {
        let mark = hex_of(format!("{name}\n{owner}").as_bytes(), digits);
        Self(format!("{}-{}-{mark}", kind.as_str(), slug(name)))
    }
}

/// The form of a URL that the id is computed from: the parser's canonical form, without fragment and trailing slash.
fn normalized(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    let text = url.as_str();
    text.strip_suffix('/').unwrap_or(text).to_owned()
}

/// The first `digits` hexadecimal digits of the SHA-256 of `bytes`.
fn hex_of(bytes: &[u8], digits: usize) -> String {
    let mut hex = sha256_hex(bytes);
    hex.truncate(digits);
    hex
}

/// Lower-case letters and digits, everything else replaced by single hyphens, at most 80 long.
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
mod tests;
