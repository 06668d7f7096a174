//! JSON Patches (RFC 6902) for the document of the listing: its `server.json` or its agent card. A patch keeps every other
//! member, and adds only texts that are already known about the listing.

use serde_json::{Map, Value, json};
use url::Url;

use super::ability::Ability;
use super::about;
use super::profile::Profile;
use super::text::{address, plain};
use registry_formats::server_json::is_version;
use registry_model::Kind;

/// The limit of a description in a `server.json`.
const MAX_SERVER_DESCRIPTION_CHARS: usize = 100;
const MAX_CARD_DESCRIPTION_CHARS: usize = 300;

/// A longer description gets all its points.
const FULL_DESCRIPTION_CHARS: usize = 80;

#[derive(Clone, Debug, Default)]
pub(super) struct Patch {
    pub(super) operations: Vec<Value>,
    /// The part of the score, the points that it gains, and what changes.
    pub(super) gains: Vec<(&'static str, u8, String)>,
}

impl Patch {
    /// Empty if nothing can be corrected without new facts.
    pub(super) fn of(profile: &Profile, abilities: &[Ability]) -> Self {
        let mut patch = Self::default();
        // Without its own document, a server is scored by what it says in the handshake.
        if profile.kind == Kind::Mcp && profile.server_json.is_none() {
            return patch;
        }
        patch.describe(profile, abilities);
        patch.link(profile);
        if !patch.operations.is_empty() {
            patch.raise(profile);
        }
        patch
    }

    pub(super) fn points(&self) -> u8 {
        self.gains.iter().map(|(_, points, _)| points).sum()
    }

    /// The points that a part of the score gains.
    pub(super) fn gain(&self, part: &str) -> Option<u8> {
        self.gains.iter().find(|(id, ..)| *id == part).map(|(_, points, _)| *points)
    }

    fn set(&mut self, member: &str, value: &str) {
        self.operations.push(json!({ "op": "add", "path": format!("/{member}"), "value": value }));
    }

    /// Appends the names of abilities to a short description.
    fn describe(&mut self, profile: &Profile, abilities: &[Ability]) {
        let text = plain(profile.description.as_deref().unwrap_or_default(), MAX_CARD_DESCRIPTION_CHARS);
        let length = text.chars().count();
        let lost = match length {
            0 => 5,
            1..=19 => 4,
            20..FULL_DESCRIPTION_CHARS => 2,
            _ => return,
        };
        let lost = gained(profile, "description", lost);
        // Without names there is nothing to add.
        if lost == 0 || abilities.is_empty() {
            return;
        }
        let (noun, limit) = match profile.kind {
            Kind::Mcp => ("Tools", MAX_SERVER_DESCRIPTION_CHARS),
            Kind::Agent => ("Skills", MAX_CARD_DESCRIPTION_CHARS),
        };
        let start =
            if text.is_empty() { about::plain_name(profile) } else { text.trim_end_matches('.').to_owned() };
        let mut longer = format!("{start}. {noun} include ");
        for (index, ability) in abilities.iter().enumerate() {
            let name = if profile.kind == Kind::Mcp { &ability.id } else { &ability.title };
            let next = if index == 0 { name.clone() } else { format!(", {name}") };
            if longer.chars().count() + next.chars().count() > limit - 1 {
                break;
            }
            longer.push_str(&next);
        }
        longer.push('.');
        let reached = longer.chars().count();
        if (FULL_DESCRIPTION_CHARS..=limit).contains(&reached) {
            self.gains.push((
                "description",
                lost,
                format!("description of {reached} instead of {length} characters"),
            ));
            self.set("description", &longer);
        }
    }

    /// Adds the site of its endpoint as the page about it. The registry already takes a repository as this page.
    fn link(&mut self, profile: &Profile) {
        if address(profile.website.as_deref()).is_some() {
            return;
        }
        let url = about::endpoint(profile).and_then(|url| Url::parse(&url).ok());
        let page = url.and_then(|url| url.join("/").ok()).map(String::from);
        let points = gained(profile, "identity", 3);
        if let Some(page) = page.filter(|url| points > 0 && url.starts_with("https://")) {
            let member = match profile.kind {
                Kind::Mcp => "websiteUrl",
                Kind::Agent => "documentationUrl",
            };
            self.gains.push((
                "identity",
                points,
                format!("{member} {page}; check that this page is about it"),
            ));
            self.set(member, &page);
        }
    }

    fn raise(&mut self, profile: &Profile) {
        let own = profile.server_json.as_ref().and_then(|server| server.get("version")?.as_str());
        let version =
            own.or(profile.version.as_deref()).map(|version| plain(version, 200)).unwrap_or_default();
        match raised(&version) {
            Some(next) => self.set("version", &next),
            None if version.is_empty() => {
                self.gains.push(("identity", 2, "version 1.0.0".to_owned()));
                self.set("version", "1.0.0");
            }
            None => {}
        }
    }

    /// The document with the patch. All operations set a member of the document itself.
    pub(super) fn applied(&self, document: &Map<String, Value>) -> Map<String, Value> {
        let mut document = document.clone();
        for operation in &self.operations {
            let member = operation["path"].as_str().and_then(|path| path.strip_prefix('/'));
            if let Some(member) = member {
                document.insert(member.to_owned(), operation["value"].clone());
            }
        }
        document
    }
}

/// The points that a correction gains, at most those that the last proof did not give.
fn gained(profile: &Profile, part: &str, expected: u8) -> u8 {
    let parts = profile.proof.iter().flat_map(|proof| &proof.parts);
    parts
        .filter(|one| one.id == part)
        .map(|one| one.of - one.points)
        .next()
        .map_or(expected, |lost| lost.min(expected))
}

/// The next version: the last number is raised, also that of a pre-release.
fn raised(version: &str) -> Option<String> {
    if !is_version(version) {
        return None;
    }
    let number = version.len() - version.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (start, last) = version.split_at(version.len() - number);
    match last.parse::<u64>() {
        Ok(last) => Some(format!("{start}{}", last.checked_add(1)?)),
        Err(_) => Some(format!("{version}.1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_raised_at_its_last_number() {
        for (version, next) in [
            ("1.4.2", Some("1.4.3")),
            ("2026-01-09", Some("2026-01-10")),
            ("1.0.0-rc.9", Some("1.0.0-rc.10")),
            ("1.0.0-beta", Some("1.0.0-beta.1")),
            ("^1.2", None),
            ("", None),
        ] {
            assert_eq!(raised(version).as_deref(), next, "{version}");
        }
    }
}
