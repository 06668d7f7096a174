//! Parses the two documents in which another registry lists its entries: the ARD catalog and the list of the MCP
//! registry API. Both documents are untrusted, so the length of each text is limited and each text is checked.

use super::imports::server_of;
use crate::prelude::*;
use registry_fetch::Target;
use registry_formats::injection;
use registry_formats::limits::LONGEST_NAME;
use registry_formats::plain_text::{self, TextKind};
use registry_model::protocol::{AGENT_CARD_MEDIA_TYPE, REGISTRY_MEDIA_TYPE, SERVER_CARD_MEDIA_TYPE};
use registry_model::{Reach, Referral};

const MAX_ENTRIES: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 160;
const MAX_URL_CHARS: usize = 512;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Catalogue {
    pub name: Option<String>,
    pub search_url: Option<String>,
    pub referrals: Vec<Referral>,
}

/// Reads an AI catalogue (ARD §4).
pub(super) fn catalogue(document: &Value, peer: &str, at: Moment, reach: Reach) -> Catalogue {
    let entries = document["entries"].as_array().into_iter().flatten().take(MAX_ENTRIES);
    let of_type = |entry: &'_ Value| -> String {
        let named = entry["type"].as_str().or_else(|| entry["mediaType"].as_str());
        named.unwrap_or_default().to_owned()
    };
    let of_entry = |entry: &Value| {
        let kind = match of_type(entry).as_str() {
            AGENT_CARD_MEDIA_TYPE => Kind::Agent,
            SERVER_CARD_MEDIA_TYPE => Kind::Mcp,
            _ => return None,
        };
        referral(&entry["displayName"], url(&entry["url"], reach)?, &entry["description"], kind, peer, at)
    };
    let search = entries.clone().find(|entry| of_type(entry) == REGISTRY_MEDIA_TYPE);
    Catalogue {
        name: name(&document["host"]["displayName"]),
        search_url: search.and_then(|entry| url(&entry["url"], reach)),
        referrals: entries.filter_map(of_entry).collect(),
    }
}

/// Reads a list of the MCP registry API. Servers without a remote cannot be called and are left out.
pub(super) fn servers(document: &Value, peer: &str, at: Moment, reach: Reach) -> Vec<Referral> {
    let servers = document["servers"].as_array().into_iter().flatten().take(MAX_ENTRIES);
    let of_row = |row: &Value| {
        let server = server_of(row);
        let named = if server["title"].is_string() { &server["title"] } else { &server["name"] };
        referral(
            named,
            url(&server["remotes"][0]["url"], reach)?,
            &server["description"],
            Kind::Mcp,
            peer,
            at,
        )
    };
    servers.filter_map(of_row).collect()
}

/// Whether a list of the MCP registry API contains exactly this name; `None` if it is not such a list.
pub(super) fn has_server(document: &Value, name: &str) -> Option<bool> {
    let rows = document["servers"].as_array()?;
    Some(rows.iter().take(MAX_ENTRIES).any(|row| server_of(row)["name"] == name))
}

fn referral(
    named: &Value,
    url: String,
    about: &Value,
    kind: Kind,
    peer: &str,
    at: Moment,
) -> Option<Referral> {
    let description = about.as_str().map(|text| shorten(text.trim(), MAX_DESCRIPTION_CHARS));
    let is_safe = |text: &String| {
        !text.is_empty()
            && plain_text::fault(text, TextKind::Description).is_none()
            && injection::fault(text).is_none()
    };
    let description = description.filter(is_safe);
    Some(Referral { name: name(named)?, url, kind, description, peer: peer.to_owned(), at })
}

fn name(value: &Value) -> Option<String> {
    let name = shorten(value.as_str()?.trim(), LONGEST_NAME - 1);
    let is_safe = plain_text::fault(&name, TextKind::Name).is_none() && injection::fault(&name).is_none();
    (is_safe && !name.is_empty()).then_some(name)
}

/// A URL to which the registry itself may connect: others would connect to it because this registry shows it.
fn url(value: &Value, reach: Reach) -> Option<String> {
    let target = Target::parse(value.as_str()?, reach).ok()?;
    (target.as_str().len() <= MAX_URL_CHARS).then(|| target.to_string())
}

#[cfg(test)]
mod tests;
