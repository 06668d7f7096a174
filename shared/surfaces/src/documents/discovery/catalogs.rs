//! Two documents. `/agentmap.json` contains the addresses that an agent looks for first, by purpose.
//! `/.well-known/api-catalog` (RFC 9727) contains the APIs of this registry as a set of links (RFC 9264). For
//! each API, it links to the description and to the current state.

use super::{DISCOVERY_MAP, LLMS_FULL, OPENAPI, SKILL_INDEX, SKILL_JSON};
use crate::documents::{self, API_CATALOG_LINK, json as json_bytes};
use crate::prelude::*;
use registry_model::protocol::{ARD_BASE, MCP_ENDPOINT, MCP_REGISTRY};

/// The addresses that an agent looks for first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Agentmap {
    agentmap: bool,
    version: &'static str,
    /// Catalogs of Live listings.
    catalogs: Vec<String>,
    /// The agent card of this registry, in all its forms.
    agent_cards: Vec<String>,
    /// The MCP server card of this registry, in all its forms.
    mcp_cards: Vec<String>,
    /// Search by the ARD standard.
    search: String,
    skill: String,
    skills: String,
    openapi: String,
    api_catalog: String,
    feed: String,
    discovery: String,
    /// The keys with which this registry signs.
    keys: Vec<String>,
}

pub static AGENTMAP: AnyDocument = AnyDocument {
    paths: &["/agentmap.json", "/.well-known/agentmap.json"],
    summary: "The URLs of the cards, catalogs, search and feed of this registry, for agents.",
    max_age_s: Some(3600),
    ..AnyDocument::fixed::<Agentmap>(|app, _| Box::pin(async { json_bytes(&agentmap(&app.settings)) }))
};

fn agentmap(settings: &Settings) -> Agentmap {
    let url = |document: &AnyDocument| settings.url(&document.path());
    let all = |documents: &[&AnyDocument]| -> Vec<String> {
        let paths = documents.iter().flat_map(|document| document.paths);
        paths.map(|path| settings.url(path)).collect()
    };
    Agentmap {
        agentmap: true,
        version: "1.0",
        catalogs: all(&[
            &documents::AI_CATALOG,
            &documents::LINKED_CATALOG,
            &documents::FEDERATION_CATALOGUE,
            &documents::WELL_KNOWN_AGENTS,
            &documents::AGENT_DESCRIPTIONS,
        ]),
        agent_cards: all(&[&documents::AGENT_CARD, &documents::STRICT_AGENT_CARD, &documents::A2A_CARD]),
        mcp_cards: all(&[&documents::WIDE_SERVER_CARD, &documents::SERVER_CARD]),
        search: settings.url(&format!("{ARD_BASE}search")),
        skill: url(&SKILL_JSON),
        skills: url(&SKILL_INDEX),
        openapi: url(&OPENAPI),
        api_catalog: url(&API_CATALOG),
        feed: url(&documents::ACTIVITY_FEED),
        discovery: url(&DISCOVERY_MAP),
        keys: all(&[&documents::KEY_SET, &documents::SIGNATURE_DIRECTORY]),
    }
}

pub static API_CATALOG: AnyDocument = AnyDocument {
    paths: &["/.well-known/api-catalog"],
    summary: "The APIs of this registry, each with its description document (RFC 9727).",
    media_type: "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
    max_age_s: Some(3600),
    headers: &[API_CATALOG_LINK],
    ..AnyDocument::fixed::<Map<String, Value>>(|app, _| {
        Box::pin(async { json_bytes(&linkset(&app.settings)) })
    })
};

fn linkset(settings: &Settings) -> Value {
    let link = |document: &AnyDocument| json!([{ "href": settings.url(&document.path()), "type": document.media_type }]);
    let api = |path: &str, description: &AnyDocument| {
        json!({
            "anchor": settings.url(path), "service-desc": link(description),
            "service-doc": link(&LLMS_FULL), "status": link(&documents::PROBE_STATISTICS),
        })
    };
    let others = [
        api(MCP_ENDPOINT, &documents::WIDE_SERVER_CARD),
        api("/api/a2a", &documents::AGENT_CARD),
        api(ARD_BASE, &documents::AI_CATALOG),
        api(MCP_REGISTRY, &OPENAPI),
    ];
    let mut whole = api("", &OPENAPI);
    whole["item"] = others.iter().map(|api| json!({ "href": api["anchor"] })).collect();
    let all: Vec<Value> = std::iter::once(whole).chain(others).collect();
    json!({ "linkset": all })
}
