//! `/discovery.json`: the map of this registry (`specification.md#documents`). It contains endpoints, tools,
//! documents, the founding offer, prices, limits and probe statistics.

use super::everything;
use super::limits::{self, Inbound};
use crate::call::{self, Call};
use crate::documents::probe_statistics::{self, Statistics};
use crate::documents::{self, FAMILIES, ROOT_LINKS, family_path, json as json_bytes};
use crate::prelude::*;
use registry_features::funnel::{self, Deal, Stage, Unlock};
use registry_features::listing::{Namespace, ProductEntry, tagline};
use registry_features::operation::toolsets::SPECIFIED;
use registry_features::publish::operations::LIST_YOURSELF;
use registry_model::protocol::{A2A_VERSIONS, ARD_BASE, MCP_ENDPOINT, MCP_REGISTRY, MCP_REVISIONS};

/// The rows of each list of probes.
const PROBES: usize = 10;

/// The short names under which clients look for documents.
const NAMED_DOCUMENTS: [(&str, &AnyDocument); 33] = [
    ("active", &documents::ACTIVE_LIST),
    ("agents", &documents::PUBLIC_AGENTS),
    ("agents_well_known", &documents::WELL_KNOWN_AGENTS),
    ("agent_descriptions", &documents::AGENT_DESCRIPTIONS),
    ("agent_card", &documents::AGENT_CARD),
    ("a2a_card", &documents::A2A_CARD),
    ("mcp_server_card", &documents::WIDE_SERVER_CARD),
    ("catalog", &documents::FEDERATION_CATALOGUE),
    ("ai_catalog", &documents::AI_CATALOG),
    ("ard_catalog", &documents::LINKED_CATALOG),
    ("feed", &documents::ACTIVITY_FEED),
    ("talk_feed", &documents::TALK_FEED),
    ("probes", &documents::PROBE_STATISTICS),
    ("log", &documents::ABOUT_LOG),
    ("log_checkpoint", &documents::LOG_CHECKPOINT),
    ("key_set", &documents::KEY_SET),
    ("signature_agent_card", &documents::SIGNATURE_AGENT_CARD),
    ("signature_directory", &documents::SIGNATURE_DIRECTORY),
    ("strict_agent_card", &documents::STRICT_AGENT_CARD),
    ("server_json", &documents::OWN_SERVER_DESCRIPTION),
    ("publish_status", &documents::PUBLISH_STATUS),
    ("registry_auth", &documents::REGISTRY_AUTH),
    ("dns_status", &documents::DNS_STATUS),
    ("discovery", &DISCOVERY_MAP),
    ("skill", &super::SKILL_JSON),
    ("skills", &super::SKILL_INDEX),
    ("llms_txt", &super::LLMS),
    ("llms_full_txt", &super::LLMS_FULL),
    ("ai_txt", &super::AI_TEXT),
    ("openapi", &super::OPENAPI),
    ("api_catalog", &super::API_CATALOG),
    ("agentmap", &super::AGENTMAP),
    ("robots", &super::ROBOTS),
];

#[derive(Debug, Serialize, JsonSchema)]
struct DiscoveryMap {
    name: String,
    version: &'static str,
    role: &'static str,
    tagline: String,
    base_url: String,
    list_yourself: ListYourself,
    inbound: Inbound,
    protocol: Protocol,
    /// The extension families with version and URL.
    families: Map<String, Value>,
    /// URLs by purpose; replace names in braces by your own values.
    surfaces: Map<String, Value>,
    /// Every document and page.
    documents: Vec<Listed>,
    /// Every operation, with its arguments by name.
    tools: &'static [Tool],
    deal: Deal,
    activation_funnel: Vec<Stage>,
    products: Vec<ProductEntry>,
    /// How far payments are from opening.
    payment_gate: Unlock,
    /// Whether products can be bought.
    payments_open: bool,
    probes: Statistics,
}

/// The request that lists you.
#[derive(Debug, Serialize, JsonSchema)]
struct ListYourself {
    method: &'static str,
    url: String,
    headers: Map<String, Value>,
    #[schemars(with = "Option<Map<String, Value>>")]
    body: Option<Value>,
    /// The URL at which to watch the state of the listing.
    then: String,
    curl: String,
}

/// The protocols and their versions.
#[derive(Debug, Serialize, JsonSchema)]
struct Protocol {
    /// Revisions of MCP, the newest first.
    mcp: [&'static str; 4],
    /// Versions of A2A, the newest first.
    a2a: [&'static str; 3],
    transport_preference: [&'static str; 1],
}

/// A document or page.
#[derive(Debug, Serialize, JsonSchema)]
struct Listed {
    /// Its path below `base_url`; names in braces are parameters.
    path: String,
    /// Other paths of the same document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also_at: Vec<String>,
    summary: &'static str,
    media_type: &'static str,
}

/// An operation, as an MCP tool.
#[derive(Debug, Serialize, JsonSchema)]
struct Tool {
    name: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    aliases: &'static [&'static str],
    title: &'static str,
    /// The first sentence of its description; `tools/list` of the MCP endpoint has the others.
    description: &'static str,
    /// Whether `/api/protocol` lists it without a toolset. It can be called in any case.
    listed: bool,
    /// The names of its arguments; their schemas are in `tools/list`, too.
    arguments: Vec<String>,
    example: Value,
}

pub(super) struct Argument {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) description: Option<String>,
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let tool = |entry: &&'static Description| Tool {
        name: entry.name,
        aliases: entry.aliases,
        title: entry.title,
        description: first_sentence(entry.description),
        listed: SPECIFIED.described().any(|listed| listed.name == entry.name),
        arguments: arguments(entry).into_iter().map(|argument| argument.name).collect(),
        example: call::example(entry),
    };
    DESCRIPTIONS.iter().map(tool).collect()
});

pub static DISCOVERY_MAP: AnyDocument = AnyDocument {
    paths: &["/discovery.json"],
    summary: "The map of this registry: endpoints, tools and documents, offer, limits and probe statistics.",
    max_age_s: Some(30),
    headers: &ROOT_LINKS,
    ..AnyDocument::of::<DiscoveryMap>(|app, _| Box::pin(render(app)))
};

/// Reads only the counts that every change or probe changes, and reuses the map until then, at most for 5 seconds.
async fn render(app: &App) -> Result<Bytes, Problem> {
    let now = app.clock.now();
    let (live, tally) = futures::try_join!(app.store.live(), app.store.tally(now))?;
    let state = CacheValidator::weak(&format!("{live:?}/{tally:?}/{}", now.as_second() / 5));
    if let Some(page) = app.pages.get("discovery", &state) {
        return Ok(page);
    }
    let page = json_bytes(&map(app, live).await?)?;
    app.pages.put("discovery".to_owned(), state, page.clone());
    Ok(page)
}

/// `probes` has the newest rows; `/api/probes` has more.
async fn map(app: &App, live: Live) -> Result<DiscoveryMap, Problem> {
    let (settings, counts) = (&app.settings, live.funnel);
    let payment_gate = funnel::unlock(settings, &counts);
    let mut probes = probe_statistics::read_statistics(app).await?;
    probes.recent.truncate(PROBES);
    probes.outcomes.fail_samples.truncate(PROBES);
    Ok(DiscoveryMap {
        name: settings.brand.clone(),
        version: registry_model::VERSION,
        role: "sub-registry",
        tagline: tagline(settings),
        base_url: settings.base_url.clone(),
        list_yourself: list_yourself(settings),
        inbound: limits::inbound(settings),
        protocol: Protocol {
            mcp: MCP_REVISIONS,
            a2a: A2A_VERSIONS,
            transport_preference: ["streamable-http"],
        },
        families: FAMILIES
            .iter()
            .map(|(family, version)| {
                let url = settings.url(&family_path(family));
                ((*family).to_owned(), json!({ "version": version, "url": url }))
            })
            .collect(),
        surfaces: surfaces(settings),
        documents: documents(settings),
        tools: &TOOLS,
        deal: funnel::deal(settings, counts.seats_claimed),
        activation_funnel: funnel::stages(settings),
        products: ProductEntry::all(),
        payments_open: payment_gate.payments_open,
        payment_gate,
        probes,
    })
}

fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| &text[..=first.len()])
}

fn list_yourself(settings: &Settings) -> ListYourself {
    let call = Call::template(LIST_YOURSELF.described, settings);
    ListYourself {
        method: call.method,
        headers: call.headers(),
        curl: call.curl(" "),
        url: call.url,
        body: call.body,
        then: settings.url("/api/listings/status?id={listing_id}"),
    }
}

fn documents(settings: &Settings) -> Vec<Listed> {
    let listed = everything(settings).map(|entry| Listed {
        path: entry.path(),
        also_at: entry.paths.iter().skip(1).map(|path| (*path).to_owned()).collect(),
        summary: entry.summary,
        media_type: entry.media_type,
    });
    listed.collect()
}

pub(super) fn arguments(operation: &Description) -> Vec<Argument> {
    let schema: Value = (operation.input_schema)();
    let is_required =
        |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let argument = |(name, property): (&String, &Value)| Argument {
        name: name.clone(),
        required: is_required(name),
        description: property["description"].as_str().map(str::to_owned),
    };
    schema["properties"].as_object().into_iter().flatten().map(argument).collect()
}

fn surfaces(settings: &Settings) -> Map<String, Value> {
    let extensions = format!("/v0.1/x/{}", Namespace::own(settings));
    let endpoints = [
        ("publish", "/api/publish".to_owned()),
        ("score", "/api/score?url={url}".to_owned()),
        ("status", "/api/listings/status?id={listing_id}".to_owned()),
        ("search", "/api/ard/search?q={words}".to_owned()),
        ("match", "/api/match?q={words}".to_owned()),
        ("ard", ARD_BASE.to_owned()),
        ("ard_explore", format!("{ARD_BASE}explore")),
        ("ard_agents", format!("{ARD_BASE}agents")),
        ("agents_search", "/agents/search?q={words}".to_owned()),
        ("mcp_registry", MCP_REGISTRY.to_owned()),
        ("mcp_registry_search", format!("{extensions}/search?q={{words}}")),
        ("talk", "/api/talk?listing_id={listing_id}".to_owned()),
        ("badge", "/badge/clean.svg?id={listing_id}".to_owned()),
        ("skill_file", "/skills/{name}.md".to_owned()),
        ("mcp", MCP_ENDPOINT.to_owned()),
        ("a2a", "/api/a2a".to_owned()),
    ];
    let documents = NAMED_DOCUMENTS.iter().map(|(name, document)| (*name, document.path()));
    let all = endpoints.into_iter().chain(documents);
    all.map(|(name, path)| (name.to_owned(), settings.url(&path).into())).collect()
}
