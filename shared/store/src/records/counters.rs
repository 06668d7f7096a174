//! Counters of Live listings and of the weekly recheck, so that no request has to read listings to count
//! them. A counter is written in the same transaction as the change that it counts. Each counter is divided
//! over a few items, so that writes do not conflict. One query reads these items, and their sum is the count.

use super::{demos, overdue};
use crate::prelude::*;
use registry_model::{Kind, Sku};

/// The counters of what is Live, and what the active list shows with them.
pub(crate) const LIVE: Place = Place::new("LIVE", "");
/// The weekly recheck, by ISO week.
pub(super) const WEEK: Place = Place::new("WEEK#", "");

const STARS: [u8; 5] = [1, 2, 3, 4, 5];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    pub agents: u32,
    pub mcps: u32,
    /// When listings with an expired proof were last subtracted; `None` before the first time.
    pub as_of: Option<Moment>,
    /// The agents and MCP servers that were Live at that time.
    pub counted: Option<(u32, u32)>,
    /// Listings that were never Live, failed for thirty days and were deleted, since the table exists.
    pub expired: u32,
    pub funnel: FunnelCounts,
    /// Listings whose domain bound a key, since the table exists.
    pub identities: u32,
    /// Grows with every change to anything that the active list shows.
    pub version: u64,
}

/// The counters of the funnel since the table exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunnelCounts {
    pub seats_claimed: u32,
    pub demos_agents: u32,
    pub demos_mcps: u32,
    /// Demos of both kinds that followed an invitation and are not confirmed.
    pub demos_unconfirmed: u32,
    pub feedback_agents: u32,
    pub feedback_mcps: u32,
    /// Feedback of agents that is a draft. Earlier versions did not count these.
    pub drafts_agents: u32,
    pub drafts_mcps: u32,
    /// Ratings by product and by stars, without those of drafts that were sent unchanged.
    pub ratings: Ratings,
}

/// How often each product was rated 1 to 5; the products in the order of [`Sku::ALL`].
pub type Ratings = [[u32; 5]; Sku::ALL.len()];

impl Live {
    pub const fn of(&self, kind: Kind) -> u32 {
        by_kind(kind, self.agents, self.mcps)
    }
}

/// The weekly recheck in one ISO week.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Week {
    /// Such as `2026-W47`.
    pub name: String,
    /// Live listings that were probed again.
    pub rechecked: u32,
    /// Of these, the listings that passed at least once.
    pub still_ok: u32,
    pub demoted: u32,
}

impl Store {
    /// What is Live, without the listings that were counted as overdue. If other processes write to the table, their changes
    /// are missing for about a second; no decision depends on this count alone.
    pub async fn live(&self) -> Result<Live> {
        // After a write of this process, the counts are not cached, and its own write must be in them.
        let read = async |outdated: Option<Live>| match outdated {
            Some(_) => Ok(live_of(&self.query(Query::of(LIVE.prefix)).await?.items)),
            None => self.live_now().await,
        };
        self.read_cache.live(read).await
    }

    /// The same, read from the table with all earlier writes.
    pub(super) async fn live_now(&self) -> Result<Live> {
        Ok(live_of(&self.partition(LIVE.prefix).await?))
    }

    pub async fn week(&self, now: Moment) -> Result<Week> {
        let name = now.iso_week();
        let shards = self.partition(&WEEK.partition(&name)).await?;
        Ok(Week {
            name,
            rechecked: sum(&shards, "rechecked"),
            still_ok: sum(&shards, "still_ok"),
            demoted: sum(&shards, "demoted"),
        })
    }
}

/// The item of the Live counters that counts what happens to a listing.
pub(super) fn live(id: &ListingId) -> Key {
    LIVE.one(key::shard(id))
}

/// Counts a new version of the active list, so that no page cached before is shown again.
pub(super) fn bump_version(transaction: &mut Transaction, id: &ListingId) {
    transaction.update(live(id), Expression::default().add("version", 1));
}

fn live_of(shards: &[Item]) -> Live {
    let count = |name: &str| sum::<u32>(shards, name);
    let overdue = overdue::read(shards);
    Live {
        agents: count("agents").saturating_sub(overdue.agents),
        mcps: count("mcps").saturating_sub(overdue.mcps),
        as_of: overdue.at,
        counted: overdue.live,
        expired: count("expired"),
        funnel: FunnelCounts {
            seats_claimed: count("claimed"),
            demos_agents: count("demos_agents"),
            demos_mcps: count("demos_mcps"),
            demos_unconfirmed: count(demos::UNCONFIRMED),
            feedback_agents: count("feedback_agents"),
            feedback_mcps: count("feedback_mcps"),
            drafts_agents: count("drafts_agents"),
            drafts_mcps: count("drafts_mcps"),
            ratings: Sku::ALL.map(|sku| STARS.map(|stars| count(&rating_counter(sku, stars)))),
        },
        identities: count("identities"),
        version: sum(shards, "version"),
    }
}

pub(super) fn rating_counter(sku: Sku, stars: u8) -> String {
    format!("rated_{}_{stars}", sku.as_str())
}

/// What belongs to a kind of listings, such as the name of its counter.
pub(super) const fn by_kind<T: Copy>(kind: Kind, of_agents: T, of_mcps: T) -> T {
    match kind {
        Kind::Agent => of_agents,
        Kind::Mcp => of_mcps,
    }
}
