//! Returns the Live listings, newest first. Agents and MCP servers are read from the index of the active list
//! in pages. Then both are merged by age, with one cursor for both.

use crate::funnel;
use crate::listing::Row;
use crate::listing::active_page::{self, Counts, Page, PageQuery};
use crate::operation::arguments::KindFilter;
use crate::prelude::*;
use registry_model::cache::CacheValidator;

const DEFAULT_LIMIT: u32 = 20;

pub struct SearchActive;

/// A page of the list, with an optional filter.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// Returns only agents or only MCP servers. Default: both.
    pub kind: Option<KindFilter>,
    /// The maximum number of rows, from 1 to 100; default: 20.
    #[schemars(range(min = 1, max = 100), extend("default" = 20))]
    pub limit: Option<u32>,
    /// The `next_cursor` that the previous page returned.
    #[schemars(extend("format" = "list-cursor"))]
    pub cursor: Option<String>,
}

/// A page of Live listings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Listings of both kinds, the newest first.
    listings: Vec<Row>,
    /// The number of Live listings by kind.
    counts: Counts,
    /// The cursor of the next page; null on the last page.
    next_cursor: Option<String>,
}

impl Operation for SearchActive {
    const NAME: &'static str = "search_active";
    const TITLE: &'static str = "List Live listings";
    const DESCRIPTION: &'static str = "Lists the Live agents and MCP servers, newest first, with the URL and \
        score of each; with `detail` `full`, also with its evidence and what to do next. Use `kind` to get only \
        agents or only MCP servers. Use `limit` and `cursor` to get more pages.";
    const PHRASES: &'static [&'static str] = &[
        "list the live agents",
        "which MCP servers are live?",
        "show active listings",
        "who is in the registry?",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"kind": "mcp", "limit": 5}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{counts.agents_active#agent} and {counts.mcp_active#MCP server} are Live; other states are not counted. Expired proofs are left out within an hour.",
        r#"Newest first: [listings]"{name}" ({kind}, {listing_id}) | : "{description}" | {agent_card_url} | , failing since {probe.failing_since}"#,
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Lists the Live agents and MCP servers with the evidence of their last good handshake.",
        &["registry", "discovery", "live"],
    )];
    const SHORT: &'static [&'static str] = &[
        "ok",
        "counts",
        "next_cursor",
        "listings.listing_id",
        "listings.kind",
        "listings.name",
        "listings.description",
        "listings.protocol_version",
        "listings.name_standing",
        "listings.proven_domain",
        "listings.probe.probed_at",
        "listings.probe.failing_since",
        "listings.agent_card_url",
        "listings.probe.score",
    ];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn cache_validator(app: &App) -> Result<Option<CacheValidator>, Problem> {
        Ok(Some(active_page::validator(app, app.store.live().await?, Self::NAME)))
    }

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let Arguments { kind, limit, cursor } = arguments;
        let query = PageQuery::read(kind, limit, cursor.as_deref(), DEFAULT_LIMIT)?;
        let live = async { Ok(app.store.live().await?) };
        let (live, page) = futures::try_join!(live, Page::read(app, &query))?;
        let (listings, next) = page.newest(&query.from, query.limit);
        let (deal, now) = (funnel::deal(&app.settings, live.funnel.seats_claimed), app.clock.now());
        Ok(Answer {
            listings: listings.iter().map(|listing| Row::of(listing, &app.settings, &deal, now)).collect(),
            counts: Counts::of(live, now),
            next_cursor: next.cursor(),
        })
    }
}
