//! `/discovery.json`: the map of this registry (contract "Probe statistics (in the discovery map)"): what it is,
//! which endpoints there are, which tools there are, and how the probing goes.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::ai_catalog;
use super::document::{Document, DocumentRequest, NoQuery, json as written};
use super::probe_statistics::{self, Statistics};
use crate::app::App;
use crate::error::Problem;
use crate::funnel::{self, Deal, Stage};
use crate::model::protocol::ARD_BASE;
use crate::operations::CATALOGUE;
use crate::registry_api::Namespace;

/// The map.
#[derive(Debug, Serialize, JsonSchema)]
struct Map {
    name: String,
    version: &'static str,
    role: &'static str,
    tagline: &'static str,
    base_url: String,
    /// How to be listed, in one request.
    list_yourself: Value,
    /// Every endpoint of the registry.
    surfaces: Value,
    /// Every operation, with its arguments by name.
    tools: Vec<Tool>,
    deal: Deal,
    activation_funnel: Vec<Stage>,
    probes: Statistics,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Tool {
    name: &'static str,
    aliases: &'static [&'static str],
    title: &'static str,
    description: &'static str,
    /// Its arguments by name; their schemas are in `tools/list` of the MCP endpoint.
    arguments: Vec<Argument>,
    example: Value,
}

/// An argument of a tool.
#[derive(Debug, Serialize, JsonSchema)]
struct Argument {
    name: String,
    required: bool,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// The arguments in the input schema of an operation.
fn arguments(schema: &Value) -> Vec<Argument> {
    let is_required =
        |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let argument = |(name, property): (&String, &Value)| Argument {
        name: name.clone(),
        required: is_required(name),
        description: property["description"].as_str().map(str::to_owned),
    };
    schema["properties"].as_object().into_iter().flatten().map(argument).collect()
}

/// The map as a document.
#[derive(Debug)]
pub(super) struct DiscoveryMap;

impl Document for DiscoveryMap {
    const PATHS: &'static [&'static str] = &["/discovery.json"];
    const HEADERS: &'static [(&'static str, &'static str)] = &ai_catalog::CATALOGUE_LINKS;
    type Query = NoQuery;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        written(&map(app).await?)
    }
}

async fn map(app: &App) -> Result<Map, Problem> {
    let settings = &app.settings;
    let extensions = format!("/v0.1/x/{}", Namespace::own(settings));
    Ok(Map {
        name: settings.brand.clone(),
        version: crate::VERSION,
        role: "sub-registry",
        tagline: "A registry in which every Live row has answered a real protocol handshake within seven days.",
        base_url: settings.base_url.clone(),
        list_yourself: json!({
            "method": "POST",
            "url": settings.url("/api/publish"),
            "headers": { "content-type": "application/json" },
            "body": { "url": "https://your.host/.well-known/agent-card.json" },
            "then": settings.url("/api/listings/status?id={listing_id}"),
        }),
        surfaces: json!({
            "publish": settings.url("/api/publish"),
            "score": settings.url("/api/score?url={url}"),
            "status": settings.url("/api/listings/status?id={listing_id}"),
            "active": settings.url("/api/listings/active"),
            "search": settings.url("/api/ard/search?q={words}"),
            "match": settings.url("/api/match?q={words}"),
            "ard": settings.url(ARD_BASE),
            "ard_explore": settings.url("/api/ard/explore"),
            "ard_agents": settings.url("/api/ard/agents"),
            "agents": settings.url("/agents/public"),
            "agents_search": settings.url("/agents/search?q={words}"),
            "agents_well_known": settings.url("/.well-known/agents"),
            "catalog": settings.url("/api/catalog"),
            "ai_catalog": settings.url(ai_catalog::STRICT),
            "ard_catalog": settings.url(ai_catalog::LINKED),
            "mcp_registry": settings.url("/v0.1/servers"),
            "mcp_registry_search": settings.url(&format!("{extensions}/search?q={{words}}")),
            "feed": settings.url("/api/feed"),
            "talk": settings.url("/api/talk?listing_id={listing_id}"),
            "talk_feed": settings.url("/api/talk/feed"),
            "probes": settings.url("/api/probes"),
            "badge": settings.url("/badge/clean.svg?id={listing_id}"),
            "discovery": settings.url("/discovery.json"),
            "mcp": settings.url("/api/protocol"),
            "mcp_server_card": settings.url("/.well-known/mcp/server-card.json"),
            "a2a": settings.url("/api/a2a"),
            "agent_card": settings.url("/.well-known/agent-card.json"),
            "log": settings.url("/log"),
            "log_checkpoint": settings.url("/log/checkpoint"),
            "key_set": settings.url("/.well-known/jwks.json"),
        }),
        tools: CATALOGUE
            .iter()
            .map(|entry| Tool {
                name: entry.name,
                aliases: entry.aliases,
                title: entry.title,
                description: entry.description,
                arguments: arguments(&(entry.input_schema)()),
                example: serde_json::from_str(entry.example).unwrap_or_default(),
            })
            .collect(),
        deal: funnel::deal(settings, app.store.live().await?.funnel.seats_claimed),
        activation_funnel: funnel::stages(settings),
        probes: probe_statistics::read(app).await?,
    })
}
