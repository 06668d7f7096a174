//! Recognizes documents that are not agent cards: a manifest, an MCP document, an error message. The kind of document
//! decides the fix, and some documents say where the agent or the server is.

use serde_json::{Map, Value};

use crate::server_card;
use registry_model::error::shorten;

/// Members that are typical of A2A cards and rare elsewhere.
const TYPICAL: &str = "skills capabilities defaultInputModes defaultOutputModes protocolVersion preferredTransport \
                       securitySchemes authentication";

/// Members of other documents. A card with one of these members must also list an endpoint.
const FOREIGN: &str = "jsonrpc mcpServers modules openapi packages remotes serverInfo start_url swagger descriptor \
                       entries linkset";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherDocument {
    /// A short description, such as "an HTML page".
    pub seen: String,
    /// What its publisher can do.
    pub fix: &'static str,
    pub leads_to: Option<Lead>,
}

/// What a document points to: a URL as it is written there, perhaps relative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lead {
    Card(String),
    Mcp(String),
}

impl OtherDocument {
    /// A document that says nothing about an agent or a server.
    pub(super) fn unknown(seen: impl Into<String>) -> Self {
        Self { seen: seen.into(), fix: SERVE_CARD, leads_to: None }
    }
}

const SERVE_CARD: &str = "Serve the agent card itself at this URL, as application/json. The card is a JSON object with \
    name, description, version, skills and supportedInterfaces (or url).";

/// Whether the document is meant as an agent card, even if it is invalid.
pub(super) fn is_agent_card(document: &Value, card: &Map<String, Value>) -> bool {
    let has = |field: &str| card.contains_key(field);
    let typical = TYPICAL.split(' ').filter(|field| has(field)).count();
    if has("supportedInterfaces") || has("additionalInterfaces") {
        true
    } else if server_card::parse_server_card(document).is_some() {
        false
    } else if card.get("url").is_some_and(Value::is_string) {
        typical > 0 || (has("name") && has("description") && has("version"))
    } else {
        typical > 1 && !FOREIGN.split(' ').any(has)
    }
}

/// Recognizes a document by its members.
pub(super) fn describe(document: &Value) -> OtherDocument {
    match document {
        Value::Null => OtherDocument::unknown("null"),
        Value::Bool(_) | Value::Number(_) => OtherDocument::unknown("a bare value"),
        Value::String(text) if text.trim_start().starts_with('<') => OtherDocument::unknown("an HTML page"),
        Value::String(text) => {
            OtherDocument::unknown(format!("a bare text (\"{}\")", shorten(text.trim(), 60)))
        }
        Value::Array(items) => {
            OtherDocument::unknown(format!("a list of {}; a card is one object", items.len()))
        }
        Value::Object(members) => describe_object(document, members),
    }
}

fn describe_object(document: &Value, members: &Map<String, Value>) -> OtherDocument {
    let has = |field: &str| members.contains_key(field);
    let list = |field: &str| members.get(field).is_some_and(Value::is_array);
    let schema = members.get("$schema").and_then(Value::as_str).unwrap_or_default();
    if let Some(found) = pointing(document, members) {
        return found;
    }
    let kinds: [(bool, &str, &'static str); 18] = [
        (members.is_empty(), "an empty object", SERVE_CARD),
        (has("jsonrpc"), "a JSON-RPC response", "Publish the URL of the card, not the URL of the endpoint."),
        (
            list("modules"),
            "an OASF record",
            "Publish the agent card that it contains in modules[].data.card_data.",
        ),
        (schema.ends_with("/server.schema.json"), "an MCP server description (server.json)", PUBLISH_BODY),
        (
            has("version_detail") || (list("packages") && has("name")),
            "an MCP server description (server.json)",
            PUBLISH_BODY,
        ),
        (has("openapi") || has("swagger"), "an OpenAPI document", SERVE_CARD),
        (has("name_for_model"), "an AI plugin manifest", SERVE_CARD),
        (has("start_url") || (has("icons") && has("display")), "a web app manifest", SERVE_CARD),
        (has("linkset"), "an API catalog", SERVE_CARD),
        (has("distribution"), "an entry of the Agent Client Protocol's registry", SERVE_CARD),
        (has("dependencies") || has("devDependencies") || has("scripts"), "a package.json", SERVE_CARD),
        (has("verificationMethod"), "a DID document", SERVE_CARD),
        (list("keys"), "a key set", SERVE_CARD),
        (list("agents"), "a list of agents", "Publish the URL of the card of one agent."),
        (list("servers"), "a list of MCP servers", "Publish the URL of one server (`mcp_url`)."),
        (
            members.get("@type").is_some_and(|kind| kind == "AgentCard"),
            "a JSON-LD AgentCard without an endpoint",
            ADD_URL,
        ),
        (has("@context"), "a JSON-LD document", SERVE_CARD),
        (
            list("tools") && has("name"),
            "a list of tools without an endpoint",
            "Publish the URL of the MCP endpoint (`mcp_url`).",
        ),
    ];
    if let Some((_, seen, fix)) = kinds.into_iter().find(|(matches, ..)| *matches) {
        return OtherDocument { seen: seen.to_owned(), fix, leads_to: None };
    }
    let message =
        ["error", "message", "detail", "title"].iter().find_map(|field| members.get(*field)?.as_str());
    match message {
        Some(message) if !has("name") => {
            OtherDocument::unknown(format!("an error message (\"{}\")", shorten(message, 60)))
        }
        _ => {
            let names: Vec<String> = members.keys().take(6).map(|name| shorten(name, 30)).collect();
            OtherDocument::unknown(format!("an object with {}", names.join(", ")))
        }
    }
}

const PUBLISH_BODY: &str = "Publish this document as the request body.";
const ADD_URL: &str = "Add `url` (or supportedInterfaces) with the endpoint of the agent, and `skills` and `capabilities` as A2A \
    has them.";

/// Documents that name the URL of an agent card or of an MCP endpoint.
fn pointing(document: &Value, members: &Map<String, Value>) -> Option<OtherDocument> {
    let found = |seen: &str, urls: &[String], fix: &'static str, leads_to: Option<Lead>| OtherDocument {
        seen: if urls.is_empty() {
            seen.to_owned()
        } else {
            format!("{seen}: {}", shorten(&urls.join(", "), 100))
        },
        fix,
        leads_to,
    };
    let urls_of = |list: &Value| -> Vec<String> {
        let entries = list.as_array().into_iter().flatten();
        let url = |entry: &Value| entry.as_str().or_else(|| entry["url"].as_str()).map(str::to_owned);
        entries.filter_map(url).collect()
    };
    if let Some(card) = server_card::parse_server_card(document) {
        let lead = card.endpoints.first().cloned().map(Lead::Mcp);
        return Some(found("an MCP server card", &card.endpoints, PUBLISH_MCP, lead));
    }
    if let Some(servers) = members.get("mcpServers") {
        if let Some(configured) = servers.as_object() {
            let url = |server: &Value| {
                server["url"].as_str().or_else(|| server["serverUrl"].as_str()).map(str::to_owned)
            };
            let urls: Vec<String> = configured.values().filter_map(url).collect();
            let lead = urls.first().filter(|_| urls.len() == 1).cloned().map(Lead::Mcp);
            return Some(found("a configuration file of an MCP client", &urls, PUBLISH_MCP, lead));
        }
        let urls = [urls_of(servers), urls_of(&document["agentCards"])].concat();
        return Some(found("a list of servers and cards", &urls, PUBLISH_ENTRY, None));
    }
    if members.get("entries").is_some_and(Value::is_array) || members.contains_key("descriptor") {
        return Some(found("an AI catalog", &urls_of(&document["entries"]), PUBLISH_ENTRY, None));
    }
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    if kind.contains("eip-8004") || kind.contains("erc-8004") {
        let services = ["services", "endpoints"].iter().find_map(|field| members.get(*field)?.as_array());
        let endpoint = |name: &str| {
            let service = services?.iter().find(|one| one["name"].as_str() == Some(name))?;
            service["endpoint"].as_str().map(str::to_owned)
        };
        let lead = endpoint("A2A").map(Lead::Card).or_else(|| endpoint("MCP").map(Lead::Mcp));
        let urls: Vec<String> = [endpoint("A2A"), endpoint("MCP")].into_iter().flatten().collect();
        return Some(found("an ERC-8004 registration", &urls, PUBLISH_SERVICE, lead));
    }
    None
}

const PUBLISH_MCP: &str = "Publish the URL of the server itself (`mcp_url`), and let it answer MCP there.";
const PUBLISH_ENTRY: &str = "Publish the URL of one entry.";
const PUBLISH_SERVICE: &str =
    "Serve the agent card at the endpoint of the service A2A, and publish that URL.";
