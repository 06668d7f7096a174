//! `/.well-known/agent-descriptions`: Live agents as the Agent Network Protocol lists them (ANP-08, JSON-LD), page by
//! page.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::document::{Document, DocumentRequest, Validity, json as written};
use registry_app::App;
use registry_domain::views::active_page::{self, KindFilter, PageQuery};
use registry_model::error::Problem;
use registry_model::{Kind, Listing};

const PATH: &str = "/.well-known/agent-descriptions";
const AGENTS: u32 = 100;

/// Which page.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct PageRequest {
    /// The page that `next` of an earlier one names.
    #[schemars(extend("format" = "list-cursor"))]
    page: Option<String>,
}

/// A page of agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentDescriptions {
    /// What the names mean.
    #[serde(rename = "@context")]
    context: Map<String, Value>,
    /// `CollectionPage`.
    #[serde(rename = "@type")]
    of_type: &'static str,
    /// This page.
    url: String,
    /// Who publishes it.
    name: String,
    /// Live agents on all pages.
    total_items: u32,
    items: Vec<Item>,
    /// The URL of the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// An agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Item {
    /// `ad:AgentDescription`.
    #[serde(rename = "@type")]
    of_type: &'static str,
    name: String,
    /// Its card.
    #[serde(rename = "@id")]
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl Document for AgentDescriptions {
    const PATHS: &'static [&'static str] = &[PATH];
    const SUMMARY: &'static str = "Live agents as the Agent Network Protocol lists them, page by page.";
    const MAX_AGE_S: Option<u32> = Some(60);
    const SHOWS_LIVE: bool = true;
    type Query = PageRequest;
    type Answer = Self;

    fn cache_validator(app: &App, request: &DocumentRequest<PageRequest>) -> Validity {
        page_query(&request.query)?;
        let name = format!("{PATH}?{:?}/{}", request.query, app.settings.base_url);
        Ok(Some(active_page::validator(app, request.live, &name)))
    }

    async fn render(app: &App, request: &DocumentRequest<PageRequest>) -> Result<Bytes, Problem> {
        let page = active_page::read(app, &page_query(&request.query)?).await?;
        let url = |page: &str| app.settings.url(&format!("{PATH}?page={page}"));
        let context = json!({
            "@vocab": "https://schema.org/",
            "did": "https://w3id.org/did#",
            "ad": "https://agent-network-protocol.com/ad#",
        });
        written(&AgentDescriptions {
            context: context.as_object().cloned().unwrap_or_default(),
            of_type: "CollectionPage",
            url: request.query.page.as_deref().map_or_else(|| app.settings.url(PATH), url),
            name: app.settings.brand.clone(),
            total_items: request.live.of(Kind::Agent),
            items: page.agents.iter().map(item).collect(),
            next: page.next.write().as_deref().map(url),
        })
    }
}

fn page_query(request: &PageRequest) -> Result<PageQuery, Problem> {
    PageQuery::read(Some(KindFilter::Agent), None, request.page.as_deref(), AGENTS)
}

fn item(listing: &Listing) -> Item {
    Item {
        of_type: "ad:AgentDescription",
        name: listing.name.clone(),
        id: listing.shown_card_url().to_owned(),
        description: listing.description.clone(),
    }
}
