//! Pages of the Active listings of both kinds, with one opaque cursor for both. A page costs one query for
//! each kind that still has rows.

use std::fmt;
use std::str::FromStr;

use crate::operation::arguments::{KindFilter, page_limit};
use crate::prelude::*;
use registry_model::cache::CacheValidator;
use registry_model::{Cursor, ForeignCursor, TimeKey};
use registry_store::Live;

/// How far one kind was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KindPosition {
    #[default]
    Start,
    After(String),
    End,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivePosition {
    pub agents: KindPosition,
    pub mcps: KindPosition,
}

impl ActivePosition {
    /// `None` if nothing is left.
    pub fn cursor(&self) -> Option<String> {
        let is_end = (&self.agents, &self.mcps) == (&KindPosition::End, &KindPosition::End);
        (!is_end).then(|| Cursor(self).to_string())
    }
}

impl fmt::Display for ActivePosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for ActivePosition {
    type Err = ForeignCursor;

    fn from_str(text: &str) -> Result<Self, ForeignCursor> {
        let position: Self = serde_json::from_str(text).map_err(|_| ForeignCursor)?;
        let is_valid = |position: &KindPosition| match position {
            KindPosition::Start | KindPosition::End => true,
            KindPosition::After(key) => {
                key.parse::<TimeKey>().is_ok()
                    && key.split_once('#').is_some_and(|(_, id)| id.parse::<ListingId>().is_ok())
            }
        };
        let is_end = (&position.agents, &position.mcps) == (&KindPosition::End, &KindPosition::End);
        let is_issued = is_valid(&position.agents) && is_valid(&position.mcps) && !is_end;
        if is_issued { Ok(position) } else { Err(ForeignCursor) }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Page {
    pub agents: Vec<Listing>,
    pub mcps: Vec<Listing>,
    pub next: ActivePosition,
}

impl Page {
    /// The listings of each kind at the cursor, without those whose proof has expired.
    pub async fn read(app: &App, query: &PageQuery) -> Result<Self, Problem> {
        let PageQuery { only, from, limit } = query;
        let start = |kind: Kind, from: &KindPosition| match only {
            Some(only) if *only != kind => KindPosition::End,
            _ => from.clone(),
        };
        let agents = part(app, Kind::Agent, start(Kind::Agent, &from.agents), *limit);
        let mcps = part(app, Kind::Mcp, start(Kind::Mcp, &from.mcps), *limit);
        let ((agents, agents_next), (mcps, mcps_next)) = futures::try_join!(agents, mcps)?;
        Ok(Self { agents, mcps, next: ActivePosition { agents: agents_next, mcps: mcps_next } })
    }

    /// The newest `limit` listings of both kinds, and the cursor of the rest. For a kind without a row in the page,
    /// the cursor stays where this page began.
    pub fn newest(self, from: &ActivePosition, limit: u32) -> (Vec<Listing>, ActivePosition) {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let (agents, mcps) = (self.agents.len(), self.mcps.len());
        let mut all: Vec<Listing> = self.agents.into_iter().chain(self.mcps).collect();
        all.sort_by_cached_key(|listing| std::cmp::Reverse(listing.list_position()));
        if all.len() <= limit {
            return (all, self.next);
        }
        all.truncate(limit);
        let position = |kind: Kind, had: usize, from: &KindPosition, next: KindPosition| {
            let shown: Vec<&Listing> = all.iter().filter(|listing| listing.likely_kind() == kind).collect();
            match shown.last() {
                _ if shown.len() == had => next,
                Some(last) => KindPosition::After(last.list_position()),
                None => from.clone(),
            }
        };
        let next = ActivePosition {
            agents: position(Kind::Agent, agents, &from.agents, self.next.agents),
            mcps: position(Kind::Mcp, mcps, &from.mcps, self.next.mcps),
        };
        (all, next)
    }
}

#[derive(Clone, Debug)]
pub struct PageQuery {
    pub only: Option<Kind>,
    pub from: ActivePosition,
    pub limit: u32,
}

impl PageQuery {
    /// `default` is the limit if none is given.
    pub fn read(
        kind: Option<KindFilter>,
        limit: Option<u32>,
        cursor: Option<&str>,
        default: u32,
    ) -> Result<Self, Problem> {
        Ok(Self {
            only: kind.and_then(KindFilter::only),
            limit: page_limit(limit, default)?,
            from: Cursor::position(cursor, "next_cursor")?.unwrap_or_default(),
        })
    }
}

async fn part(
    app: &App,
    kind: Kind,
    from: KindPosition,
    limit: u32,
) -> Result<(Vec<Listing>, KindPosition), Problem> {
    let after = match &from {
        KindPosition::End => return Ok((Vec::new(), KindPosition::End)),
        KindPosition::Start => None,
        KindPosition::After(key) => Some(key.as_str()),
    };
    let (listings, more) = app.store.active(kind, after, limit).await?;
    let oldest_proof = app.oldest_proof();
    let live = listings.into_iter().filter(|listing| listing.is_live(oldest_proof)).collect();
    Ok((live, more.map_or(KindPosition::End, KindPosition::After)))
}

/// Live listings in total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Live agents.
    pub agents_active: u32,
    /// Live MCP servers.
    pub mcp_active: u32,
    /// The time of the answer. Listings whose proof has expired are left out within an hour.
    pub as_of: Moment,
}

impl Counts {
    pub const fn of(live: Live, now: Moment) -> Self {
        Self { agents_active: live.agents, mcp_active: live.mcps, as_of: now }
    }
}

/// How long one page is used. A page is read from an index that may not contain the newest change yet, although the
/// version does. So the same version is rendered again after this time. Rows also show their age, to six minutes.
const RENDERED_FOR_S: i64 = 60;

/// The validator of the list at this moment. It changes with every write to a Live row, and with time.
pub fn validator(app: &App, live: Live, page: &str) -> CacheValidator {
    let time_slot = app.clock.now().as_second() / RENDERED_FOR_S;
    CacheValidator::weak(&format!("{}/{time_slot}/{page}", live.version))
}
