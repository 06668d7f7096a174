//! `/api/listings/active`: the Live listings of each kind, in pages, in the format of the specification.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::document::{Document, DocumentRequest, Validity, json};
use registry_app::App;
use registry_domain::funnel::{self, Deal, Stage};
use registry_domain::views::Row;
use registry_domain::views::active_page::{self, Counts, Page, PageQuery};
use registry_model::Listing;
use registry_model::error::Problem;
use registry_operations::listings::search_active::Arguments;
use registry_store::Live;

/// Of each kind.
const ROWS: u32 = 50;

/// A page of Live listings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ActiveList {
    ok: bool,
    /// The URL of this registry.
    origin: String,
    /// The name of this registry.
    brand: String,
    /// The founding offer.
    deal: Deal,
    /// The news, in a sentence.
    announce: String,
    /// The way from listing to product, in a sentence.
    funnel_loop: &'static str,
    /// The stages of a listing's life.
    stages: Vec<Stage>,
    /// The number of Live listings in all.
    counts: Counts,
    /// Live agents, newest first.
    agents: Vec<Row>,
    /// Live MCP servers, newest first.
    mcps: Vec<Row>,
    /// The cursor of the next page; null on the last.
    next_cursor: Option<String>,
}

impl Document for ActiveList {
    const PATHS: &'static [&'static str] = &["/api/listings/active"];
    const SUMMARY: &'static str =
        "The list of Live agents and MCP servers with their evidence, newest first.";
    const MAX_AGE_S: Option<u32> = Some(5);
    const SHOWS_LIVE: bool = true;
    type Query = Arguments;
    type Answer = Self;

    fn cache_validator(app: &App, request: &DocumentRequest<Arguments>) -> Validity {
        page_query(&request.query)?;
        Ok(Some(active_page::validator(app, request.live, &format!("{:?}", request.query))))
    }

    async fn render(app: &App, request: &DocumentRequest<Arguments>) -> Result<Bytes, Problem> {
        let query = page_query(&request.query)?;
        let page = active_page::read(app, &query).await?;
        json(&envelope(app, request.live, &page))
    }
}

fn page_query(query: &Arguments) -> Result<PageQuery, Problem> {
    PageQuery::read(query.kind, query.limit, query.cursor.as_deref(), ROWS)
}

fn envelope(app: &App, live: Live, page: &Page) -> ActiveList {
    let settings = &app.settings;
    let (deal, now) = (funnel::deal(settings, live.funnel.seats_claimed), app.clock.now());
    let rows = |listings: &[Listing]| listings.iter().map(|l| Row::of(l, settings, &deal, now)).collect();
    ActiveList {
        ok: true,
        origin: settings.base_url.clone(),
        brand: settings.brand.clone(),
        announce: format!(
            "{} agents and {} MCP servers are Live. Each answered a real handshake within the last {} days.",
            live.agents, live.mcps, settings.recheck_days
        ),
        funnel_loop: "list -> live -> demo -> feedback -> founding seat, or a discount code that works once payments open",
        stages: funnel::stages(settings),
        counts: live.into(),
        agents: rows(&page.agents),
        mcps: rows(&page.mcps),
        next_cursor: page.next.cursor(),
        deal: deal.clone(),
    }
}
