//! Parses MCP server cards in three forms: the form of SEP-2127 with `remotes`, the form of this registry,
//! and older drafts (`.well-known`) with `serverInfo` and `transport`. Servers still use all three forms. A
//! card is only what a server claims about itself.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value};

use super::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, LONGEST_URL, MAX_WORD_CHARS};
use registry_model::error::shorten;

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
            LONGEST_URL,
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
    found.retain(|endpoint| endpoint.len() <= LONGEST_URL && known.insert(*endpoint));
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
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn server_cards_of_proposal_sep_2127_are_parsed() {
        let card = read(&json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
            "name": "com.example/weather", "version": "1.2.0", "title": "Weather", "description": "Forecasts.",
            "websiteUrl": "https://example.com", "remotes": [
                {"type": "streamable-http", "url": "https://mcp.example.com/mcp"},
                {"type": "sse", "url": "https://mcp.example.com/sse"},
                {"type": "streamable-http", "url": "https://mcp.example.com/mcp"}]
        }))
        .unwrap();
        assert_eq!(card.name.as_deref(), Some("com.example/weather"));
        assert_eq!(card.title.as_deref(), Some("Weather"));
        assert_eq!(card.version.as_deref(), Some("1.2.0"));
        assert_eq!(card.website.as_deref(), Some("https://example.com"));
        assert_eq!(card.endpoints, ["https://mcp.example.com/mcp", "https://mcp.example.com/sse"]);
    }

    #[test]
    fn server_card_of_this_registry_is_read() {
        let card = read(&json!({
            "schema_version": "2026-07-28", "name": "registry", "title": "Registry", "description": "Lists.",
            "website_url": "https://r.example", "version": "2.9.0",
            "remotes": [{"type": "streamable-http", "url": "https://r.example/api/protocol", "headers": {}}],
            "tools_endpoint": "https://r.example/api/protocol", "packages": []
        }))
        .unwrap();
        assert_eq!(card.website.as_deref(), Some("https://r.example"));
        assert_eq!(card.endpoints, ["https://r.example/api/protocol"]);
    }

    #[test]
    fn server_cards_of_older_drafts_are_parsed() {
        let card = read(&json!({
            "version": "1.0", "protocolVersion": "2025-06-18", "description": "Searches.",
            "serverInfo": {"name": "finder", "title": "Finder", "version": "3.1"},
            "transport": {"type": "streamable-http", "endpoint": "/mcp"}, "tools": "dynamic"
        }))
        .unwrap();
        assert_eq!((card.name.as_deref(), card.version.as_deref()), (Some("finder"), Some("3.1")));
        assert_eq!(card.description.as_deref(), Some("Searches."));
        assert_eq!(card.endpoints, ["/mcp"]);
        let card =
            read(&json!({"mcp_version": "2025-06-18", "name": "x", "endpoint": "https://x.example/mcp"}));
        assert_eq!(card.unwrap().endpoints, ["https://x.example/mcp"]);
        let card =
            read(&json!({"serverInfo": {"name": "x"}, "transport": {"type": "stdio", "endpoint": "x"}}));
        assert_eq!(card.unwrap().endpoints, Vec::<String>::new());
    }

    #[test]
    fn other_documents_are_not_server_cards() {
        let others = [
            json!({"name": "a", "url": "https://a.example", "skills": []}),
            json!({"name": "a", "supportedInterfaces": [], "remotes": [{"url": "https://a.example"}]}),
            json!({"name": "a", "endpoint": "https://a.example"}),
            json!({"start_url": "/", "name": "Shop"}),
            json!([{"serverInfo": {}}]),
            json!("serverInfo"),
        ];
        for document in others {
            assert_eq!(read(&document), None, "{document}");
        }
    }
}
