//! Counters of Live listings and of the weekly recheck, so that no request has to read listings to count
//! them. A counter is written in the same transaction as the change that it counts. Each counter is divided
//! over a few items, so that writes do not conflict. One query reads these items, and their sum is the count.

use crate::counts::{FunnelCounts, Live};
use crate::prelude::*;
use registry_model::{Kind, Sku};

/// The counters of what is Live, and what the active list shows with them.
pub(crate) const LIVE: KeyPattern = KeyPattern::new("LIVE", "");
/// In the partition of the Live counters, so that one query reads both.
pub(super) const OVERDUE: KeyPattern = KeyPattern::new(LIVE.prefix, "OVERDUE");

/// The weekly recheck, by ISO week.
pub(super) const WEEK: KeyPattern = KeyPattern::new("WEEK#", "");

/// The counter of demos that followed an invitation and are not confirmed.
pub(super) const UNCONFIRMED: &str = "demos_unconfirmed";

const STARS: [u8; 5] = [1, 2, 3, 4, 5];

/// How many Live listings are overdue, and when they were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverdueCount {
    pub agents: u32,
    pub mcps: u32,
    pub at: Option<Moment>,
    /// What was Live at that time, without the overdue listings: agents and MCP servers. `None` before the first count.
    pub live: Option<(u32, u32)>,
}

impl OverdueCount {
    pub const fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Agent => self.agents += 1,
            Kind::Mcp => self.mcps += 1,
        }
    }

    /// The count among the items of the partition of what is Live.
    pub(super) fn of_items(items: &[Item]) -> Self {
        let Some(item) = items.iter().find(|item| OVERDUE.matches(item)) else {
            return Self::default();
        };
        Self {
            agents: unsigned(item, "overdue_agents"),
            mcps: unsigned(item, "overdue_mcps"),
            at: moment(item, "at"),
            live: item
                .contains_key("live_mcps")
                .then(|| (unsigned(item, "live_agents"), unsigned(item, "live_mcps"))),
        }
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
        self.read_cache.live(LIVE.prefix, read).await
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
    let overdue = OverdueCount::of_items(shards);
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
            demos_unconfirmed: count(UNCONFIRMED),
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
