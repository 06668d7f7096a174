//! How another directory or agent finder reads this registry: which endpoint to point it at, what it finds in a row, and
//! how it keeps up. Only links that are served stand here.

use crate::prelude::*;
use registry_model::protocol::MCP_REGISTRY;

pub struct AgentFinder;

/// How another directory reads this one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    title: String,
    point_registry_at: Sources,
    contribution_pack: ContributionPack,
    federation: Federation,
    /// How much there is to read.
    active: Active,
}

/// Where it is read, by the protocol that a finder knows.
#[derive(Debug, Serialize, JsonSchema)]
struct Sources {
    /// Agentic Resource Discovery: search in plain words.
    ard_search: String,
    /// The catalogue of all that is Live.
    ai_catalog: String,
    /// The API of the official MCP registry.
    mcp_registry: String,
    /// Live agents in the form of the A2A community's registries.
    agents: String,
    /// Live agents and MCP servers with the evidence of their last handshake.
    active: String,
    /// The same page by page, for a registry that takes it over.
    catalog: String,
    agent_card: String,
    mcp_server_card: String,
    mcp_endpoint: String,
    a2a_endpoint: String,
    /// The OpenAPI description of every path.
    openapi: String,
    /// The map of all documents.
    discovery: String,
}

/// What a finder may copy into its own entry.
#[derive(Debug, Serialize, JsonSchema)]
struct ContributionPack {
    name: String,
    description: &'static str,
    homepage: String,
    /// What a row says that others do not.
    evidence: [&'static str; 4],
    /// Where a listing is published that the finder has and this registry has not.
    publish: String,
    /// An image that shows whether a listing is Live and clean.
    badge: String,
}

/// How a finder keeps up.
#[derive(Debug, Serialize, JsonSchema)]
struct Federation {
    /// `pull`: whoever wants the rows reads them.
    mode: &'static str,
    /// MCP servers changed since a moment; those that fell are told as deleted.
    changes: String,
    /// What happened, the latest first.
    feed: String,
    /// No key is needed.
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
    const DESCRIPTION: &'static str = "Tells another directory, mirror or agent finder how to read this registry: endpoints by \
        protocol, the OpenAPI description, the open catalogue, what a row proves, how to keep up with changes, and where \
        to publish what is missing.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] = &[
        "show the agentfinder",
        "which agentfinder links are there?",
        "open the agentfinder pack",
        "where is the OpenAPI description?",
        "show the open catalog",
        "how do I mirror this registry?",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[
        AdvertisedSkill {
            id: "openapi-map",
            name: "API description",
            description: "Tells where the OpenAPI description of every path is, and the endpoints of each protocol.",
            tags: &["registry", "openapi", "api", "documents"],
        },
        AdvertisedSkill {
            id: "open-catalog",
            name: "Open catalogue",
            description: "Tells where all that is Live is read page by page, with its evidence, and how to keep up with it.",
            tags: &["registry", "catalog", "federation"],
        },
        AdvertisedSkill {
            id: "mirror-official",
            name: "Mirror by the official API",
            description: "Tells where this registry is read by the API of the official MCP registry, so that its clients and mirrors work here.",
            tags: &["registry", "mcp", "mirror", "server-json"],
        },
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/agentfinder").kept_for(60)];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (live, settings) = (app.store.live().await?, &app.settings);
        let url = |path| settings.url(path);
        Ok(Answer {
            ok: true,
            version: registry_model::VERSION,
            title: format!("How an agent finder reads {}", settings.brand),
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
                description: "A registry of agents and MCP servers in which every Live row answered a real handshake \
                    within the week.",
                homepage: url("/discovery.json"),
                evidence: [
                    "the handshake: what was asked and that it was answered",
                    "when that was, and how long it took",
                    "the checks, each with its detail",
                    "the score and what it is made of",
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
