//! Counters of Live listings and of the weekly recheck, so that no request has to read listings to count
//! them. A counter is written in the same transaction as the change that it counts. Each counter is divided
//! over a few items, so that writes do not conflict. One query reads these items, and their sum is the count.

use super::cached::{FunnelCounts, Live};
use super::demos;
use super::overdue;
use crate::table::prelude::*;
use registry_model::Sku;

const STARS: [u8; 5] = [1, 2, 3, 4, 5];

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
            Some(_) => Ok(live_of(&self.query(Query::of(keys::LIVE)).await?.items)),
            None => self.live_now().await,
        };
        self.read_cache.live(read).await
    }

    /// The same, read from the table with all earlier writes.
    pub(crate) async fn live_now(&self) -> Result<Live> {
        Ok(live_of(&self.partition(keys::LIVE).await?))
    }

    pub async fn week(&self, now: Moment) -> Result<Week> {
        let shards = self.partition(&keys::week_partition(now)).await?;
        Ok(Week {
            name: now.iso_week(),
            rechecked: sum(&shards, "rechecked"),
            still_ok: sum(&shards, "still_ok"),
            demoted: sum(&shards, "demoted"),
        })
    }
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

pub(crate) fn rating_counter(sku: Sku, stars: u8) -> String {
    format!("rated_{}_{stars}", sku.as_str())
}
