//! Counters of what is Live and of the weekly recheck, so that no request counts by reading listings. Each is written
//! in one transaction with the change it counts, spread over a few items against conflicts, and summed by one query.

use super::attributes::{Item, number, s};
use super::client::Store;
use super::error::StoreError;
use super::keys;
use super::live::{FunnelCounts, Live};
use super::overdue;
use registry_model::{Moment, Sku};

const STARS: [u8; 5] = [1, 2, 3, 4, 5];

/// The weekly recheck in one ISO week.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Week {
    /// The week, `2026-W47`.
    pub name: String,
    /// Rechecks that came to a judgement.
    pub rechecked: u32,
    /// Of these, still `ok`.
    pub still_ok: u32,
    /// Demoted.
    pub demoted: u32,
}

impl Store {
    /// What is Live now, without those that were counted as overdue.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn live(&self) -> Result<Live, StoreError> {
        let read = async {
            let shards = self.partition(keys::LIVE).await?;
            let versions = shards.iter().map(|shard| u64::try_from(number(shard, "version")).unwrap_or(0));
            let overdue = overdue::read(&shards);
            Ok(Live {
                agents: sum(&shards, "agents").saturating_sub(overdue.agents),
                mcps: sum(&shards, "mcps").saturating_sub(overdue.mcps),
                as_of: overdue.at,
                expired: sum(&shards, "expired"),
                funnel: FunnelCounts {
                    seats_claimed: sum(&shards, "claimed"),
                    demos_agents: sum(&shards, "demos_agents"),
                    demos_mcps: sum(&shards, "demos_mcps"),
                    feedback_agents: sum(&shards, "feedback_agents"),
                    feedback_mcps: sum(&shards, "feedback_mcps"),
                    ratings: Sku::ALL.map(|sku| STARS.map(|stars| sum(&shards, &rated(sku, stars)))),
                },
                identities: sum(&shards, "identities"),
                version: versions.sum(),
            })
        };
        self.read_cache.live(read).await
    }

    /// How the weekly recheck goes in the week of `now`.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn week(&self, now: Moment) -> Result<Week, StoreError> {
        let shards = self.partition(&keys::week_partition(now)).await?;
        Ok(Week {
            name: keys::week(now),
            rechecked: sum(&shards, "rechecked"),
            still_ok: sum(&shards, "still_ok"),
            demoted: sum(&shards, "demoted"),
        })
    }

    /// All items of a partition that fits one answer (1 MB).
    pub(super) async fn partition(&self, pk: &str) -> Result<Vec<Item>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :pk")
            .expression_attribute_values(":pk", s(pk))
            .consistent_read(true)
            .send()
            .await?;
        Ok(answer.items.unwrap_or_default())
    }
}

pub(super) fn sum(shards: &[Item], name: &str) -> u32 {
    let sum: i64 = shards.iter().map(|shard| number(shard, name)).sum();
    u32::try_from(sum).unwrap_or(0)
}

/// The counter of a rating.
pub(super) fn rated(sku: Sku, stars: u8) -> String {
    format!("rated_{}_{stars}", sku.as_str())
}
