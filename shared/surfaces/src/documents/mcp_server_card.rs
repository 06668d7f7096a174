//! This registry as an MCP server, in three documents:
//!
//! - the server card of the specification, with the tools;
//! - the official card (SEP-2127), with the data that a client needs to connect;
//! - the `server.json` for other MCP registries (schema of 2025-12-11).

use super::add_families;
use super::document::json;
use crate::prelude::*;
use registry_features::listing::{OWN_DESCRIPTION, OwnServerDescription, badge};
use registry_features::operation::toolsets::{ABOUT_TOOLSETS, LIST_TOOLSETS, SPECIFIED};
use registry_formats::registry_name;
use registry_model::protocol::{MCP_ENDPOINT, MCP_NEWEST_REVISION, MCP_REVISIONS, SERVER_CARD_MEDIA_TYPE};

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// What the live server returns about itself (MCP 2026-07-28 `Implementation`).
pub fn identity(settings: &Settings) -> Value {
    let own = json!(OwnServerDescription::of(settings));
    let members = ["name", "title", "version", "description", "websiteUrl"];
    members.into_iter().map(|member| (member, own[member].clone())).collect()
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
    let mut card = json!(OwnServerDescription::of(settings));
    card["$schema"] = SCHEMA.into();
    card["remotes"][0]["supportedProtocolVersions"] = json!(MCP_REVISIONS);
    card
}

/// `specification.md#mcp-server-card`.
fn wide(settings: &Settings) -> Value {
    let listed = SPECIFIED.described().map(|entry| (entry.name, entry.description));
    let tools: Vec<Value> = listed
        .chain([(LIST_TOOLSETS, ABOUT_TOOLSETS)])
        .map(|(name, description)| json!({ "name": name, "description": description }))
        .collect();
    let badges: Map<String, Value> = badge::NAMES
        .iter()
        .filter(|name| **name != "gated")
        .map(|name| ((*name).to_owned(), settings.url(&format!("/badge/{name}")).into()))
        .collect();
    let products: Map<String, Value> = DESCRIPTIONS
        .iter()
        .flat_map(|entry| entry.routes)
        .filter_map(|route| Some((route.path.strip_prefix("/api/products/")?, settings.url(route.path))))
        .map(|(name, url)| (name.to_owned(), url.into()))
        .collect();
    let older = &MCP_REVISIONS[1..];
    let mut card = json!({
        "schema_version": MCP_NEWEST_REVISION,
        "name": registry_name::name_of_registry(&settings.base_url),
        "title": settings.brand,
        "description": OWN_DESCRIPTION,
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
        "versions_by_method": { "server/discover": [MCP_NEWEST_REVISION], "initialize": older, "ping": older },
        "capabilities": { "tools": true, "resources": false, "prompts": false, "server_discover": true },
        "oauth": { "required": false, "readiness": "none" },
        "registry_role": "sub-registry",
        "mirrors": settings.federation_peers,
        "packages": [],
        "badges": badges,
        "products": products,
        "server_card": settings.url("/mcp/server-card"),
    });
    add_families(&mut card, settings);
    card
}

pub static OWN_SERVER_DESCRIPTION: AnyDocument = AnyDocument {
    paths: &["/api/mcp-registry/server.json"],
    summary: "The server.json of this registry, for other MCP registries.",
    max_age_s: Some(3600),
    ..AnyDocument::fixed::<OwnServerDescription>(|app, _| {
        Box::pin(async { json(&OwnServerDescription::of(&app.settings)) })
    })
};
