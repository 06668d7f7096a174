//! `/api/listings/active`: the Live listings of each kind, in pages, in the format of the specification.

use super::document::json;
use crate::prelude::*;
use registry_features::funnel::{self, Deal, Stage};
use registry_features::listing::Row;
use registry_features::listing::active_page::{self, Counts, PageQuery};
use registry_features::operation::View;
use registry_features::operation::arguments::KindFilter;

/// Of each kind.
const ROWS: u32 = 50;

/// The members of the short form.
const SHORT: [&str; 17] = [
    "ok",
    "counts",
    "next_cursor",
    "agents.listing_id",
    "agents.kind",
    "agents.name",
    "agents.description",
    "agents.agent_card_url",
    "agents.proven_domain",
    "agents.probe",
    "mcps.listing_id",
    "mcps.kind",
    "mcps.name",
    "mcps.description",
    "mcps.agent_card_url",
    "mcps.proven_domain",
    "mcps.probe",
];

/// A page of the list, with an optional filter, and which part of it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct ListQuery {
    /// Returns only agents or only MCP servers. Default: both.
    kind: Option<KindFilter>,
    /// The maximum number of rows of each kind, from 1 to 100; default: 50.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// The `next_cursor` that the previous page returned.
    #[schemars(extend("format" = "list-cursor"))]
    cursor: Option<String>,
    /// `short` leaves out the offers and other members that are the same in each row. Default: `full`.
    #[schemars(skip)]
    detail: Option<String>,
}

/// A page of Live listings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ActiveList {
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

pub static ACTIVE_LIST: AnyDocument = AnyDocument {
    paths: &["/api/listings/active"],
    summary: "The list of Live agents and MCP servers with their evidence, newest first.",
    max_age_s: Some(5),
    shows_live: true,
    validator: |app, request| {
        let query: &ListQuery = request.query()?;
        page_query(query)?;
        view(query)?;
        Ok(Some(active_page::validator(app, request.live, &format!("{query:?}"))))
    },
    ..AnyDocument::of::<ActiveList>(|app, request| Box::pin(render(app, request))).with_query::<ListQuery>()
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let query: &ListQuery = request.query()?;
    let page = active_page::Page::read(app, &page_query(query)?).await?;
    let (settings, live) = (&app.settings, request.live);
    let (deal, now) = (funnel::deal(settings, live.funnel.seats_claimed), app.clock.now());
    let rows = |listings: &[Listing]| listings.iter().map(|l| Row::of(l, settings, &deal, now)).collect();
    let whole = ActiveList {
        ok: true,
        origin: settings.base_url.clone(),
        brand: settings.brand.clone(),
        announce: format!(
            "{} and {} are Live. Each answered a real handshake within the last {}; others leave this count within an hour.",
            counted(live.agents, "agent"),
            counted(live.mcps, "MCP server"),
            counted(settings.recheck_days, "day")
        ),
        funnel_loop: "list -> live -> demo -> feedback -> founding seat, or a discount code that works while payments are open",
        stages: funnel::stages(settings),
        counts: Counts::of(live, now),
        agents: rows(&page.agents),
        mcps: rows(&page.mcps),
        next_cursor: page.next.cursor(),
        deal: deal.clone(),
    };
    match view(query)? {
        View::Full => json(&whole),
        view => json(&view.part(&SHORT, serde_json::json!(whole))),
    }
}

fn view(query: &ListQuery) -> Result<View, Problem> {
    View::chosen(query.detail.as_deref())
}

fn page_query(query: &ListQuery) -> Result<PageQuery, Problem> {
    PageQuery::read(query.kind, query.limit, query.cursor.as_deref(), ROWS)
}
