//! Recognizes documents that are not agent cards: a manifest, an MCP document, an error message. The error
//! names the kind of document, which helps the publisher to find the right URL.

use serde_json::{Map, Value};

use crate::server_card;
use registry_model::error::shorten;

/// Members that are typical of A2A cards and rare elsewhere.
const TYPICAL: [&str; 8] = [
    "skills",
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "protocolVersion",
    "preferredTransport",
    "securitySchemes",
    "authentication",
];

/// Members of other documents. A card with one of these members must also list an endpoint.
const FOREIGN: [&str; 12] = [
    "jsonrpc",
    "mcpServers",
    "modules",
    "openapi",
    "packages",
    "remotes",
    "serverInfo",
    "start_url",
    "swagger",
    "descriptor",
    "entries",
    "linkset",
];

/// Whether the document is meant as an agent card, even if it is invalid.
pub(super) fn is_agent_card(document: &Map<String, Value>) -> bool {
    let has = |field: &str| document.contains_key(field);
    let typical = TYPICAL.iter().filter(|field| has(field)).count();
    if has("supportedInterfaces") || has("additionalInterfaces") {
        true
    } else if document.get("url").is_some_and(Value::is_string) {
        typical > 0 || (has("name") && has("description") && has("version"))
    } else {
        typical > 1 && !FOREIGN.iter().any(|field| has(field))
    }
}

/// Describes a document in a few words, with a fix where one is known.
pub(super) fn of(document: &Value) -> String {
    match document {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => "a bare value".to_owned(),
        Value::String(text) if text.trim_start().starts_with('<') => "an HTML page".to_owned(),
        Value::String(text) => format!("a bare text (\"{}\")", shorten(text.trim(), 60)),
        Value::Array(items) => format!("a list of {}; a card is one object", items.len()),
        Value::Object(members) => of_object(document, members),
    }
}

fn of_object(document: &Value, members: &Map<String, Value>) -> String {
    let has = |field: &str| members.contains_key(field);
    let list = |field: &str| members.get(field).is_some_and(Value::is_array);
    let schema = members.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let kinds: [(bool, &str); 19] = [
        (members.is_empty(), "an empty object"),
        (has("jsonrpc"), "a JSON-RPC response; publish the URL of the card, not the URL of the endpoint"),
        (list("modules"), "an OASF record; it contains the agent card in modules[].data.card_data"),
        (schema.ends_with("/server.schema.json"), MCP_DESCRIPTION),
        (has("version_detail") || (list("packages") && has("name")), MCP_DESCRIPTION),
        (server_card::read(document).is_some(), "an MCP server card; publish the server's URL as `mcp_url`"),
        (has("mcpServers"), "a configuration file of an MCP client"),
        (has("openapi") || has("swagger"), "an OpenAPI document"),
        (has("name_for_model"), "an AI plugin manifest"),
        (has("start_url") || (has("icons") && has("display")), "a web app manifest"),
        (
            list("entries") || has("descriptor"),
            "an AI catalog; publish the URL of one card from this catalog",
        ),
        (has("linkset"), "an API catalog"),
        (has("distribution"), "an entry of the Agent Client Protocol's registry"),
        (has("dependencies") || has("devDependencies") || has("scripts"), "a package.json"),
        (has("verificationMethod"), "a DID document"),
        (list("keys"), "a key set"),
        (list("agents"), "a list of agents; publish the URL of the card of one agent"),
        (list("servers"), "a list of MCP servers; publish the URL of one server"),
        (has("@context"), "a JSON-LD document"),
    ];
    if let Some((_, words)) = kinds.into_iter().find(|(matches, _)| *matches) {
        return words.to_owned();
    }
    let message =
        ["error", "message", "detail", "title"].iter().find_map(|field| members.get(*field)?.as_str());
    match message {
        Some(message) if !has("name") => format!("an error message (\"{}\")", shorten(message, 60)),
        _ => {
            let names: Vec<String> = members.keys().take(6).map(|name| shorten(name, 30)).collect();
            format!("an object with {}", names.join(", "))
        }
    }
}

const MCP_DESCRIPTION: &str = "an MCP server description (server.json); publish it as the request body";
