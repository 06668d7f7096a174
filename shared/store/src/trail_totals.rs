//! How often each event of trails was, since the table exists and of late: what the economy is reckoned from. Written in the
//! transaction of each deposit, spread over a few items against conflicts, and summed by one query.

use std::collections::BTreeMap;

use super::attributes::{Item, decimal, number};
use super::client::Store;
use super::deposit::{Deposit, add_scaled};
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use registry_model::{Decay, Moment, TrailEvent};

/// How often an event was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EventTotal {
    /// Since the table exists.
    pub count: u64,
    /// Of late: a sum with a half-life of 72 hours.
    pub recent: f64,
}

/// All that was deposited.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrailTotals {
    /// By event.
    pub events: BTreeMap<TrailEvent, EventTotal>,
    /// Marks that were left.
    pub marks: u64,
    /// Pairs of listings that were used together.
    pub compositions: u64,
    /// Outcomes that were good.
    pub outcomes_ok: u64,
    /// The sum of the qualities of outcomes, each from 0 to 1.
    pub quality_sum: f64,
}

impl TrailTotals {
    /// How often an event was.
    #[must_use]
    pub fn of(&self, event: TrailEvent) -> EventTotal {
        self.events.get(&event).copied().unwrap_or_default()
    }

    /// The sum of the items of all shards.
    pub(super) fn of_items(items: &[Item], now: Moment) -> Self {
        let sum = |name: &str| {
            let sum: i64 = items.iter().map(|item| number(item, name)).sum();
            u64::try_from(sum).unwrap_or(0)
        };
        let of_event = |event: TrailEvent| {
            let epoch = Decay::RECENT.epoch(now);
            let left = |epoch: i64| {
                let name = format!("recent_{}_{epoch}", event.as_str());
                let sum: f64 = items.iter().map(|item| decimal(item, &name)).sum();
                Decay::RECENT.left(sum, epoch, now)
            };
            let recent = (left(epoch) + left(epoch - 1)).max(0.0);
            EventTotal { count: sum(&format!("count_{}", event.as_str())), recent }
        };
        let events = TrailEvent::ALL.into_iter().map(|event| (event, of_event(event)));
        Self {
            events: events.filter(|(_, total)| total.count > 0).collect(),
            marks: sum("marks"),
            compositions: sum("compositions"),
            outcomes_ok: sum("outcomes_ok"),
            quality_sum: items.iter().map(|item| decimal(item, "quality")).sum(),
        }
    }
}

/// What deposits add to the totals, by item, with so many new pairs of listings that were used together.
pub(super) fn added(deposits: &[Deposit], new_pairs: u32, now: Moment) -> Vec<(Key, Expression)> {
    let mut shards: BTreeMap<String, (Key, Vec<&Deposit>)> = BTreeMap::new();
    for deposit in deposits.iter().filter(|deposit| !deposit.counted_elsewhere) {
        let key = keys::trail_totals(&deposit.listing);
        shards.entry(key.sk.clone()).or_insert_with(|| (key, Vec::new())).1.push(deposit);
    }
    let mut new_pairs = i64::from(new_pairs);
    let changes = shards.into_values().map(|(key, deposits)| {
        let pairs = std::mem::take(&mut new_pairs);
        (key, of_shard(&deposits, now).add("compositions", pairs))
    });
    changes.collect()
}

fn of_shard(deposits: &[&Deposit], now: Moment) -> Expression {
    let mut counts: BTreeMap<TrailEvent, u32> = BTreeMap::new();
    for deposit in deposits {
        *counts.entry(deposit.event).or_default() += deposit.times;
    }
    let mut change = Expression::default();
    for (event, times) in counts {
        let recent = format!("recent_{}", event.as_str());
        change = change.add(&format!("count_{}", event.as_str()), i64::from(times));
        change = add_scaled(change, &recent, Decay::RECENT, f64::from(times), now);
    }
    let outcomes = deposits.iter().filter_map(|deposit| deposit.outcome);
    let (ok, quality) =
        outcomes.fold((0, 0.0), |(ok, sum), (well, quality)| (ok + i64::from(well), sum + quality));
    let marks = deposits.iter().filter(|deposit| deposit.with_mark).count();
    change
        .add("marks", i64::try_from(marks).unwrap_or(0))
        .add("outcomes_ok", ok)
        .add_decimal("quality", quality)
}

impl Store {
    /// All that was deposited, by one query.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn trail_totals(&self, now: Moment) -> Result<TrailTotals, StoreError> {
        Ok(TrailTotals::of_items(&self.partition(keys::TRAILS).await?, now))
    }
}
