//! The Live listings, the newest first: what agents and MCP clients read to see who is there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AdvertisedSkill, Effect, Operation};
use crate::app::App;
use crate::error::Problem;
use crate::funnel;
use crate::http::{Caller, Validator};
use crate::listing::envelope::{self, Counts};
use crate::listing::page::{self, Cursor, Place};
use crate::listing::row::Row;
use crate::listing::{Kind, Listing};

/// Lists what is Live.
#[derive(Debug)]
pub struct SearchActive;

/// Which part of the list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// Only agents, or only MCP servers; both where it is left out.
    pub kind: Option<Wanted>,
    /// At most so many rows, from 1 to 100; 20 where it is left out.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
    /// The `next_cursor` of an earlier page.
    pub cursor: Option<String>,
}

/// A kind, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// Agents.
    Agent,
    /// MCP servers.
    Mcp,
    /// Both.
    All,
}

impl Wanted {
    /// The one kind that is wanted, if it is one.
    #[must_use]
    pub const fn only(self) -> Option<Kind> {
        match self {
            Self::Agent => Some(Kind::Agent),
            Self::Mcp => Some(Kind::Mcp),
            Self::All => None,
        }
    }
}

/// Live listings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    /// Rows of both kinds together, the newest first.
    listings: Vec<Row>,
    /// What is Live in all.
    counts: Counts,
    /// Where the next page begins; null on the last.
    next_cursor: Option<String>,
}

impl Operation for SearchActive {
    const NAME: &'static str = "search_active";
    const TITLE: &'static str = "List what is Live";
    const DESCRIPTION: &'static str = "Lists the Live agents and MCP servers, the newest first, each with the evidence \
        of its last handshake, its endpoint and its next step. Filter by kind; page with limit and cursor.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"kind": "mcp", "limit": 5}"#;
    const PHRASES: &'static [&'static str] = &[
        "list the live agents",
        "which MCP servers are live?",
        "show active listings",
        "who is in the registry?",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "search-active",
        name: "List what is Live",
        description: "Lists the Live agents and MCP servers with the evidence of their last handshake.",
        tags: &["registry", "discovery", "live"],
    }];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn made_from(app: &App) -> Result<Option<Validator>, Problem> {
        Ok(Some(envelope::validator(app, app.store.live().await?, Self::NAME)))
    }

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = limit(arguments.limit, 20)?;
        let from = arguments.cursor.as_deref().map(Cursor::read).transpose()?.unwrap_or_default();
        let only = arguments.kind.and_then(Wanted::only);
        let live = async { Ok(app.store.live().await?) };
        let (live, page) = futures::try_join!(live, page::read(app, only, &from, limit))?;
        let (listings, next) = newest(page, limit);
        let (deal, now) = (funnel::deal(&app.settings, 0), app.clock.now());
        Ok(Answer {
            ok: true,
            listings: listings.iter().map(|listing| Row::of(listing, &app.settings, &deal, now)).collect(),
            counts: live.into(),
            next_cursor: next.write(),
        })
    }
}

/// A limit within the contract's bounds.
///
/// # Errors
/// 422 outside 1 to 100.
pub fn limit(asked: Option<u32>, default: u32) -> Result<u32, Problem> {
    match asked {
        None => Ok(default),
        Some(limit) if (1..=100).contains(&limit) => Ok(limit),
        Some(_) => {
            Err(Problem::invalid("limit", "out_of_range", "`limit` must be a whole number from 1 to 100."))
        }
    }
}

/// The newest `limit` of both kinds, and where the rest begins.
fn newest(page: page::Page, limit: u32) -> (Vec<Listing>, Cursor) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (agents, mcps) = (page.agents.len(), page.mcps.len());
    let mut all: Vec<Listing> = page.agents.into_iter().chain(page.mcps).collect();
    if all.len() <= limit {
        return (all_by_age(all), page.next);
    }
    all = all_by_age(all);
    all.truncate(limit);
    let place = |kind: Kind, had: usize, next: Place| {
        let shown: Vec<&Listing> = all.iter().filter(|listing| listing.shown_kind() == kind).collect();
        match shown.last() {
            _ if shown.len() == had => next,
            Some(last) => Place::After(last.shown_at()),
            None => Place::Start,
        }
    };
    let next = Cursor {
        agents: place(Kind::Agent, agents, page.next.agents),
        mcps: place(Kind::Mcp, mcps, page.next.mcps),
    };
    (all, next)
}

fn all_by_age(mut listings: Vec<Listing>) -> Vec<Listing> {
    listings.sort_by_cached_key(|listing| std::cmp::Reverse(listing.shown_at()));
    listings
}
