//! `/agentmap.json`: the few addresses that an agent looks for first, by their purpose.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::contents::{AGENTMAP, API_CATALOG, MAP, OPENAPI, SKILL_INDEX, SKILL_JSON};
use crate::documents::{self, AnyDocument, Document, DocumentRequest, NoQuery, json};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::protocol::ARD_BASE;

/// The addresses.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Agentmap {
    agentmap: bool,
    version: &'static str,
    /// Catalogues of what is Live.
    catalogs: Vec<String>,
    /// The agent card of this registry, in all its forms.
    agent_cards: Vec<String>,
    /// The MCP server card of this registry, in all its forms.
    mcp_cards: Vec<String>,
    /// Search in the ARD standard.
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

impl Document for Agentmap {
    const PATHS: &'static [&'static str] = AGENTMAP.paths;
    const SUMMARY: &'static str = AGENTMAP.summary;
    const MAX_AGE_S: Option<u32> = Some(3600);
    type Query = NoQuery;
    type Answer = Self;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let url = |path: &str| app.settings.url(path);
        let all = |of: &[&AnyDocument]| -> Vec<String> {
            of.iter().flat_map(|document| document.paths).map(|path| url(path)).collect()
        };
        json(&Self {
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
            search: url(&format!("{ARD_BASE}search")),
            skill: url(&SKILL_JSON.path()),
            skills: url(&SKILL_INDEX.path()),
            openapi: url(&OPENAPI.path()),
            api_catalog: url(&API_CATALOG.path()),
            feed: url(documents::ACTIVITY_FEED.paths.first().copied().unwrap_or_default()),
            discovery: url(&MAP.path()),
            keys: all(&[&documents::KEY_SET, &documents::SIGNATURE_DIRECTORY]),
        })
    }
}
