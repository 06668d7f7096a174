//! The total counts and the recent counts of trail events. The economy figures are computed from these
//! counts. Each deposit updates the counts in its own transaction. The counts are divided over a few items,
//! so that writes do not conflict. One query reads these items, and their sum is the count.

use std::collections::BTreeMap;

use super::trails::sum_left;
use crate::prelude::*;
use registry_model::{Decay, TrailEvent};

/// The counts of trail events, in all and recently.
pub(super) const TOTALS: KeyPattern = KeyPattern::new("TRAILS", "");

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EventTotal {
    /// Since the table exists.
    pub count: u64,
    /// Recently: a sum with a half-life of 72 hours.
    pub recent: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrailTotals {
    pub events: BTreeMap<TrailEvent, EventTotal>,
    pub marks: u64,
    /// Pairs of listings that were used together.
    pub compositions: u64,
    /// Outcomes that were good.
    pub outcomes_ok: u64,
    /// The sum of the qualities of outcomes, each from 0 to 1.
    pub quality_sum: f64,
}

impl TrailTotals {
    pub fn of(&self, event: TrailEvent) -> EventTotal {
        self.events.get(&event).copied().unwrap_or_default()
    }

    /// The sum of the items of all shards.
    pub(super) fn of_items(items: &[Item], now: Moment) -> Self {
        let of_event = |event: TrailEvent| EventTotal {
            count: sum(items, &format!("count_{}", event.as_str())),
            recent: sum_left(items, &format!("recent_{}", event.as_str()), Decay::RECENT, now).max(0.0),
        };
        let events = TrailEvent::ALL.into_iter().map(|event| (event, of_event(event)));
        Self {
            events: events.filter(|(_, total)| total.count > 0).collect(),
            marks: sum(items, "marks"),
            compositions: sum(items, "compositions"),
            outcomes_ok: sum(items, "outcomes_ok"),
            quality_sum: items.iter().map(|item| decimal(item, "quality")).sum(),
        }
    }
}

/// The item that counts the events of a listing.
pub(super) fn totals_of(id: &ListingId) -> Key {
    TOTALS.one(key::shard(id))
}

pub(super) fn all_totals() -> impl Iterator<Item = Key> {
    (0..key::SHARDS).map(|shard| TOTALS.one(format_args!("{shard:02}")))
}

impl Store {
    /// The sums of all deposits, by one query.
    pub async fn trail_totals(&self, now: Moment) -> Result<TrailTotals> {
        Ok(TrailTotals::of_items(&self.partition(TOTALS.prefix).await?, now))
    }
}
