//! The active list as REST shows it: a page of rows of each kind in the contract's envelope, and the validator
//! by which an unchanged page is neither made nor sent again.

use schemars::JsonSchema;
use serde::Serialize;

use super::page::{self, Cursor};
use super::{Kind, row::Row};
use crate::app::App;
use crate::error::Problem;
use crate::funnel::{self, Deal, Stage};
use crate::http::Validator;
use crate::store::Live;

/// The contract's "Active list envelope".
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Envelope {
    ok: bool,
    /// This registry.
    origin: String,
    /// The name it goes by.
    brand: String,
    /// The founding offer.
    deal: Deal,
    /// What is new, in a sentence.
    announce: String,
    /// The way from listing to product, in a sentence.
    funnel_loop: &'static str,
    /// The stages of a listing's life.
    stages: Vec<Stage>,
    /// What is Live in all.
    counts: Counts,
    /// Live agents, the newest first.
    agents: Vec<Row>,
    /// Live MCP servers, the newest first.
    mcps: Vec<Row>,
    /// Where the next page begins; null on the last.
    next_cursor: Option<String>,
}

/// What is Live in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Live agents.
    pub agents_active: u32,
    /// Live MCP servers.
    pub mcp_active: u32,
}

impl From<Live> for Counts {
    fn from(live: Live) -> Self {
        Self { agents_active: live.agents, mcp_active: live.mcps }
    }
}

/// The validator of what the list shows at this moment: it changes with every write to a Live row and, because
/// rows show their age to a tenth of an hour, every six minutes.
#[must_use]
pub fn validator(app: &App, live: Live, page: &str) -> Validator {
    let tenth_of_an_hour = app.clock.now().as_second() / 360;
    Validator::weak(&format!("{}/{tenth_of_an_hour}/{page}", live.version))
}

/// Reads and renders a page.
///
/// # Errors
/// The table is busy.
pub async fn read(
    app: &App,
    live: Live,
    only: Option<Kind>,
    from: &Cursor,
    limit: u32,
) -> Result<Envelope, Problem> {
    let page = page::read(app, only, from, limit).await?;
    let settings = &app.settings;
    let (deal, now) = (funnel::deal(settings, 0), app.clock.now());
    let rows =
        |listings: &[super::Listing]| listings.iter().map(|l| Row::of(l, settings, &deal, now)).collect();
    Ok(Envelope {
        ok: true,
        origin: settings.base_url.clone(),
        brand: settings.brand.clone(),
        announce: format!(
            "{} agents and {} MCP servers are Live: each answered a real handshake within {} days.",
            live.agents, live.mcps, settings.recheck_days
        ),
        funnel_loop: "list -> live -> demo -> feedback -> founding seat, or a discount kept until payments open",
        stages: funnel::stages(settings),
        counts: live.into(),
        agents: rows(&page.agents),
        mcps: rows(&page.mcps),
        next_cursor: page.next.write(),
        deal: deal.clone(),
    })
}
