//! The endpoints of the registry by their purpose: the short names under which clients of the discovery map look for
//! them.

use serde_json::{Map, Value};

use super::contents::{
    AGENTMAP, AI_TEXT, API_CATALOG, LLMS, LLMS_FULL, MAP, OPENAPI, ROBOTS, SKILL_INDEX, SKILL_JSON,
};
use crate::documents::{self, AnyDocument};
use crate::registry_api::Namespace;
use registry_model::protocol::{ARD_BASE, MCP_ENDPOINT, MCP_REGISTRY};
use registry_model::settings::Settings;

/// What documents are called.
const DOCUMENTS: [(&str, &AnyDocument); 23] = [
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
];

/// Every surface and its URL.
pub(super) fn surfaces(settings: &Settings) -> Map<String, Value> {
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
    let guides = [
        ("discovery", MAP),
        ("skill", SKILL_JSON),
        ("skills", SKILL_INDEX),
        ("llms_txt", LLMS),
        ("llms_full_txt", LLMS_FULL),
        ("ai_txt", AI_TEXT),
        ("openapi", OPENAPI),
        ("api_catalog", API_CATALOG),
        ("agentmap", AGENTMAP),
        ("robots", ROBOTS),
    ];
    let documents = DOCUMENTS.iter().map(|(name, document)| {
        let path = document.paths.first().copied().unwrap_or_default();
        (*name, path.to_owned())
    });
    let guides = guides.into_iter().map(|(name, entry)| (name, entry.path()));
    endpoints
        .into_iter()
        .chain(documents)
        .chain(guides)
        .map(|(name, path)| (name.to_owned(), settings.url(&path).into()))
        .collect()
}
