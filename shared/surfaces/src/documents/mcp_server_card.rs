//! This registry as an MCP server, in three documents:
//!
//! - the server card of the specification, with the tools;
//! - the official card (SEP-2127), with the data that a client needs to connect;
//! - the `server.json` for other MCP registries (schema of 2025-12-11).

use super::document::json;
use super::families;
use crate::prelude::*;
use registry_domain::views::{badge, own_server_name};
use registry_model::protocol::{
    MCP_ENDPOINT, MCP_NEWEST_REVISION, MCP_REVISIONS, MCP_SHORT_ENDPOINT, SERVER_CARD_MEDIA_TYPE,
    SERVER_DESCRIPTION_SCHEMA,
};

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// The official schema allows at most 100 characters.
const DESCRIPTION: &str =
    "Registry of agents and MCP servers. Every Live listing answered a real protocol handshake.";

/// What the live server returns about itself (MCP 2026-07-28 `Implementation`).
pub fn identity(settings: &Settings) -> Value {
    json!({
        "name": own_server_name(settings),
        "title": settings.brand,
        "version": registry_model::VERSION,
        "description": DESCRIPTION,
        "websiteUrl": settings.base_url,
    })
}

pub static SERVER_CARD: AnyDocument = AnyDocument {
    paths: &["/mcp/server-card"],
    summary: "The MCP server card in the format of SEP-2127.",
    media_type: SERVER_CARD_MEDIA_TYPE,
    // SEP-2127.
    max_age_s: Some(3600),
    ..AnyDocument::fixed::<Map<String, Value>>(|app, _| Box::pin(async { json(&strict(&app.settings)) }))
};

pub static WIDE_SERVER_CARD: AnyDocument = AnyDocument {
    paths: &["/.well-known/mcp/server-card.json"],
    summary: "The MCP server card with the tools, products and badges of this registry.",
    max_age_s: Some(3600),
    ..AnyDocument::fixed::<Map<String, Value>>(|app, _| Box::pin(async { json(&wide(&app.settings)) }))
};

fn strict(settings: &Settings) -> Value {
    json!({
        "$schema": SCHEMA,
        "name": own_server_name(settings),
        "version": registry_model::VERSION,
        "title": settings.brand,
        "description": DESCRIPTION,
        "websiteUrl": settings.base_url,
        "remotes": [{
            "type": "streamable-http",
            "url": settings.url(MCP_SHORT_ENDPOINT),
            "supportedProtocolVersions": MCP_REVISIONS,
        }],
    })
}

/// `specification.md#mcp-server-card`.
fn wide(settings: &Settings) -> Value {
    let tools: Vec<Value> = DESCRIPTIONS
        .iter()
        .map(|entry| json!({ "name": entry.name, "description": entry.description }))
        .collect();
    let badges: Map<String, Value> = badge::NAMES
        .iter()
        .map(|name| ((*name).to_owned(), settings.url(&format!("/badge/{name}")).into()))
        .collect();
    let products: Map<String, Value> = DESCRIPTIONS
        .iter()
        .flat_map(|entry| entry.routes)
        .filter_map(|route| Some((route.path.strip_prefix("/api/products/")?, settings.url(route.path))))
        .map(|(name, url)| (name.to_owned(), url.into()))
        .collect();
    let mut card = json!({
        "schema_version": MCP_NEWEST_REVISION,
        "name": own_server_name(settings),
        "title": settings.brand,
        "description": DESCRIPTION,
        "version": registry_model::VERSION,
        "website_url": settings.base_url,
        "documentation_url": settings.url("/discovery.json"),
        "remotes": [{ "type": "streamable-http", "url": settings.url(MCP_ENDPOINT), "headers": {} }],
        "tools_hint": tools,
        "tools_endpoint": settings.url(MCP_ENDPOINT),
        "tools_transport": "streamable-http",
        "tools_methods": ["server/discover", "initialize", "ping", "tools/list", "tools/call"],
        "transport_preference": ["streamable-http"],
        "protocol_versions": MCP_REVISIONS,
        "capabilities": { "tools": true, "resources": false, "prompts": false, "server_discover": true },
        "oauth": { "required": false, "readiness": "none" },
        "registry_role": "sub-registry",
        "mirrors": settings.federation_peers,
        "packages": [],
        "badges": badges,
        "products": products,
        "server_card": settings.url("/mcp/server-card"),
    });
    families::add_to(&mut card, settings);
    card
}

/// The server.json of this registry.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OwnServerDescription {
    #[serde(rename = "$schema")]
    schema: &'static str,
    /// The reversed domain, a slash, and the name of the server.
    name: String,
    title: String,
    description: &'static str,
    version: &'static str,
    website_url: String,
    /// The endpoint.
    remotes: [Remote; 1],
}

#[derive(Debug, Serialize, JsonSchema)]
struct Remote {
    #[serde(rename = "type")]
    transport: &'static str,
    url: String,
}

pub static OWN_SERVER_DESCRIPTION: AnyDocument = AnyDocument {
    paths: &["/api/mcp-registry/server.json"],
    summary: "The server.json of this registry, for other MCP registries.",
    max_age_s: Some(3600),
    ..AnyDocument::fixed::<OwnServerDescription>(|app, _| {
        Box::pin(async { json(&server_json(&app.settings)) })
    })
};

fn server_json(settings: &Settings) -> OwnServerDescription {
    OwnServerDescription {
        schema: SERVER_DESCRIPTION_SCHEMA,
        name: own_server_name(settings),
        title: settings.brand.clone(),
        description: DESCRIPTION,
        version: registry_model::VERSION,
        website_url: settings.base_url.clone(),
        remotes: [Remote { transport: "streamable-http", url: settings.url(MCP_SHORT_ENDPOINT) }],
    }
}
