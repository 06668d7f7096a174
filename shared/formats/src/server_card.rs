//! Parses MCP server cards in three forms: the form of SEP-2127 with `remotes`, the form of this registry,
//! and older drafts (`.well-known`) with `serverInfo` and `transport`. Servers still use all three forms. A
//! card is only what a server claims about itself.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value};

use super::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, MAX_WORD_CHARS};
use registry_model::error::shorten;
use registry_model::protocol::MAX_URL_BYTES;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct McpServerCard {
    pub name: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub version: Option<String>,
    pub website: Option<String>,
    /// HTTP endpoints as the card writes them: older drafts have a path such as `/mcp`, relative to the card's URL.
    pub endpoints: Vec<String>,
}

/// Parses a server card of any draft; `None` for another document.
pub fn read(document: &Value) -> Option<McpServerCard> {
    let card = document.as_object()?;
    if card.contains_key("supportedInterfaces") || card.get("skills").is_some_and(Value::is_array) {
        return None;
    }
    let info = card.get("serverInfo").and_then(Value::as_object);
    let endpoints = endpoints(card);
    let schema = card.get("$schema").and_then(Value::as_str).unwrap_or_default();
    if info.is_none() && endpoints.is_empty() && !schema.contains("server-card") {
        return None;
    }
    let field = |names: &[&str], limit: usize| {
        let own = names.iter().find_map(|name| text(card.get(*name)));
        let of_info = || names.iter().find_map(|name| text(info?.get(*name)));
        // With `serverInfo`, a `version` next to it is the version of the card format.
        let value = if info.is_some_and(|info| names.iter().any(|name| info.contains_key(*name))) {
            of_info().or(own)
        } else {
            own
        };
        value.map(|value| shorten(value, limit))
    };
    Some(McpServerCard {
        name: field(&["name"], LONGEST_NAME),
        title: field(&["title", "displayName"], LONGEST_NAME),
        description: field(&["description"], LONGEST_DESCRIPTION),
        version: field(&["version"], MAX_WORD_CHARS),
        website: field(
            &["websiteUrl", "website_url", "homepage", "documentationUrl", "documentation_url"],
            MAX_URL_BYTES,
        ),
        endpoints,
    })
}

/// The endpoints of every draft, without duplicates and without those of local processes.
fn endpoints(card: &Map<String, Value>) -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    let lists = ["remotes", "transports", "endpoints"];
    for entry in lists.iter().filter_map(|field| card.get(*field)?.as_array()).flatten() {
        found.extend(address(entry));
    }
    found.extend(card.get("transport").and_then(address));
    for field in ["tools_endpoint", "mcp_endpoint", "mcpEndpoint", "serverUrl"] {
        found.extend(text(card.get(field)));
    }
    if card.contains_key("mcp_version") || card.contains_key("mcpVersion") || card.contains_key("serverInfo")
    {
        found.extend(["endpoint", "url"].iter().filter_map(|field| text(card.get(*field))));
    }
    let mut known = HashSet::new();
    found.retain(|endpoint| endpoint.len() <= MAX_URL_BYTES && known.insert(*endpoint));
    found.into_iter().take(10).map(str::to_owned).collect()
}

fn address(transport: &Value) -> Option<&str> {
    let kind = ["type", "transport_type"].iter().find_map(|field| text(transport.get(*field)));
    if matches!(kind, Some("stdio")) {
        return None;
    }
    ["url", "endpoint"].iter().find_map(|field| text(transport.get(*field)))
}

/// A trimmed text that is not empty.
fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
