//! `/.well-known/agent-descriptions`: the Live agents in pages, in the Agent Network Protocol's format (ANP-08, JSON-LD).

use super::document::json as json_bytes;
use crate::prelude::*;
use registry_features::listing::active_page::{self, PageQuery};
use registry_features::operation::arguments::KindFilter;

const PATH: &str = "/.well-known/agent-descriptions";
const AGENTS: u32 = 100;

/// A page of the list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct PageRequest {
    /// The cursor of the page, from `next` of the previous page.
    #[schemars(extend("format" = "list-cursor"))]
    page: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AgentDescriptions {
    /// The JSON-LD context.
    #[serde(rename = "@context")]
    context: Map<String, Value>,
    /// `CollectionPage`.
    #[serde(rename = "@type")]
    of_type: &'static str,
    url: String,
    /// The name of this registry.
    name: String,
    /// The number of Live agents on all pages.
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
    /// The URL of its card.
    #[serde(rename = "@id")]
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

pub static AGENT_DESCRIPTIONS: AnyDocument = AnyDocument {
    paths: &[PATH],
    summary: "Live agents in the format of the Agent Network Protocol, in pages.",
    max_age_s: Some(60),
    shows_live: true,
    validator: |app, request| {
        let query: &PageRequest = request.query()?;
        page_query(query)?;
        let name = format!("{PATH}?{query:?}/{}", app.settings.base_url);
        Ok(Some(active_page::validator(app, request.live, &name)))
    },
    ..AnyDocument::of::<AgentDescriptions>(|app, request| Box::pin(render(app, request)))
        .with_query::<PageRequest>()
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let query: &PageRequest = request.query()?;
    let page = active_page::Page::read(app, &page_query(query)?).await?;
    let url = |page: &str| app.settings.url(&format!("{PATH}?page={page}"));
    let context = json!({
        "@vocab": "https://schema.org/",
        "did": "https://w3id.org/did#",
        "ad": "https://agent-network-protocol.com/ad#",
    });
    json_bytes(&AgentDescriptions {
        context: context.as_object().cloned().unwrap_or_default(),
        of_type: "CollectionPage",
        url: query.page.as_deref().map_or_else(|| app.settings.url(PATH), url),
        name: app.settings.brand.clone(),
        total_items: request.live.of(Kind::Agent),
        items: page.agents.iter().map(item).collect(),
        next: page.next.cursor().as_deref().map(url),
    })
}

fn page_query(request: &PageRequest) -> Result<PageQuery, Problem> {
    let query = PageQuery::read(Some(KindFilter::Agent), None, request.page.as_deref(), AGENTS);
    query
        .map_err(|_| Problem::invalid("page", Code::BadCursor, "`page` must be from `next` of another page."))
}

fn item(listing: &Listing) -> Item {
    Item {
        of_type: "ad:AgentDescription",
        name: listing.texts.name.clone(),
        id: listing.public_card_url().to_owned(),
        description: listing.texts.description.clone(),
    }
}
