//! Explains how another directory or agent finder can read this registry. It returns the endpoint for each protocol,
//! the contents of a row, and how to stay up to date. This registry serves every link in the answer.

use crate::prelude::*;
use registry_model::protocol::MCP_REGISTRY;

pub struct AgentFinder;

/// How another directory reads this registry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    title: String,
    point_registry_at: Sources,
    contribution_pack: ContributionPack,
    federation: Federation,
    active: Active,
}

/// Endpoints by protocol.
#[derive(Debug, Serialize, JsonSchema)]
struct Sources {
    /// Agentic Resource Discovery: search in plain words.
    ard_search: String,
    /// The ARD catalog with the newest Live listings.
    ai_catalog: String,
    /// The API of the official MCP registry.
    mcp_registry: String,
    /// Live agents in the format of A2A community registries.
    agents: String,
    /// Live agents and MCP servers with the evidence of their last good handshake.
    active: String,
    /// The same listings in pages, for registries that mirror this registry.
    catalog: String,
    agent_card: String,
    mcp_server_card: String,
    mcp_endpoint: String,
    a2a_endpoint: String,
    /// The OpenAPI description of the paths.
    openapi: String,
    /// Links to all documents.
    discovery: String,
}

/// Texts and links for an entry in another directory.
#[derive(Debug, Serialize, JsonSchema)]
struct ContributionPack {
    name: String,
    description: &'static str,
    homepage: String,
    /// The evidence in each row.
    evidence: [&'static str; 4],
    /// Where to publish a listing that this registry does not have.
    publish: String,
    /// An image that shows whether a listing is Live and clean.
    badge: String,
}

/// How to stay up to date.
#[derive(Debug, Serialize, JsonSchema)]
struct Federation {
    /// `pull`: the other directory fetches the rows.
    mode: &'static str,
    /// MCP servers that changed since a time. A server that is no longer Live has the status `deleted`.
    changes: String,
    /// Events, newest first.
    feed: String,
    /// Always `none`.
    authentication: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Active {
    agents: u32,
    mcps: u32,
}

impl Operation for AgentFinder {
    const NAME: &'static str = "agentfinder";
    const TITLE: &'static str = "For other directories";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Returns how another directory can read or mirror this registry: the \
        endpoints of each protocol, the OpenAPI description and the open catalog. Also explains the evidence \
        in each row, how to follow changes, and where to publish missing listings.";
    const PHRASES: &'static [&'static str] = &[
        "[mirror-official] how do I mirror this registry?",
        "show the agentfinder",
        "which agentfinder links are there?",
        "open the agentfinder pack",
        "[openapi-map] where is the OpenAPI description?",
        "[open-catalog] show the open catalog",
    ];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "This registry has {active.agents#Live agent} and {active.mcps#Live MCP server}. Search: {point_registry_at.ard_search} , API description: {point_registry_at.openapi} , catalog: {point_registry_at.catalog} , MCP registry API: {point_registry_at.mcp_registry} , MCP: {point_registry_at.mcp_endpoint} , A2A: {point_registry_at.a2a_endpoint} .",
        "Changed MCP servers: {federation.changes} , all activity: {federation.feed} .",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[
        AdvertisedSkill {
            id: "openapi-map",
            name: "API description",
            description: "Returns the URL of the OpenAPI description of the paths, and the endpoints of each protocol.",
            tags: &["registry", "openapi", "api", "documents"],
        },
        AdvertisedSkill {
            id: "open-catalog",
            name: "Open catalog",
            description: "Returns the URLs to read all Live listings with their evidence, and how to follow \
                changes.",
            tags: &["registry", "catalog", "federation"],
        },
        AdvertisedSkill {
            id: "mirror-official",
            name: "Mirror with the API of the official registry",
            description: "Returns the URL of an API with the format of the official MCP registry. Clients \
                and mirrors of the official registry can use this API.",
            tags: &["registry", "mcp", "mirror", "server-json"],
        },
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/agentfinder").cached_for(60)];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (live, settings) = (app.store.live().await?, &app.settings);
        let url = |path| settings.url(path);
        Ok(Answer {
            title: format!("How another directory can read {}", settings.brand),
            point_registry_at: Sources {
                ard_search: url("/api/ard/search"),
                ai_catalog: url("/.well-known/ai-catalog.json"),
                mcp_registry: url(MCP_REGISTRY),
                agents: url("/agents/public"),
                active: url("/api/listings/active"),
                catalog: url("/api/catalog"),
                agent_card: url("/.well-known/agent-card.json"),
                mcp_server_card: url("/.well-known/mcp/server-card.json"),
                mcp_endpoint: url("/api/protocol"),
                a2a_endpoint: url("/api/a2a"),
                openapi: url("/openapi.json"),
                discovery: url("/discovery.json"),
            },
            contribution_pack: ContributionPack {
                name: settings.brand.clone(),
                description: "A registry of agents and MCP servers in which every Live listing answered a real \
                handshake.",
                homepage: url("/discovery.json"),
                evidence: [
                    "the handshake: its result and the URL that answered",
                    "its time and duration",
                    "whether the checks are clean",
                    "the score",
                ],
                publish: url("/api/publish"),
                badge: url("/badge/clean.svg?id=<listing_id>"),
            },
            federation: Federation {
                mode: "pull",
                changes: url(&format!("{MCP_REGISTRY}?updated_since=<RFC 3339>")),
                feed: url("/api/feed"),
                authentication: "none",
            },
            active: Active { agents: live.agents, mcps: live.mcps },
        })
    }
}
