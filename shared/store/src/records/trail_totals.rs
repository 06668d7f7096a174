//! The total counts and the recent counts of trail events. The economy figures are computed from these
//! counts. Each deposit updates the counts in its own transaction. The counts are divided over a few items,
//! so that writes do not conflict. One query reads these items, and their sum is the count.

use std::collections::BTreeMap;

use super::trails::{add_scaled, counts, sum_left};
use crate::prelude::*;
use registry_model::{Decay, TrailEvent};

/// The counts of trail events, in all and recently.
pub(super) const TOTALS: Place = Place::new("TRAILS", "");

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

/// The change of the totals by the deposits of a transaction and by new pairs of listings that were used together. All of
/// them change one item: only the sum of the items counts, and transactions on fewer items conflict less.
pub(super) fn added(deposits: &[Deposit], new_pairs: u32, now: Moment) -> Option<(Key, Expression)> {
    let counted: Vec<&Deposit> = deposits.iter().filter(|deposit| !deposit.counted_elsewhere).collect();
    let key = totals_of(&counted.first()?.listing);
    Some((key, of_deposits(&counted, now).add("compositions", new_pairs)))
}

fn of_deposits(deposits: &[&Deposit], now: Moment) -> Expression {
    let (events, marks) = counts(deposits.iter().copied());
    let mut change = Expression::default();
    for (event, times) in events {
        let recent = format!("recent_{}", event.as_str());
        change = change.add(&format!("count_{}", event.as_str()), times);
        change = add_scaled(change, &recent, Decay::RECENT, times as f64, now);
    }
    let outcomes = deposits.iter().filter_map(|deposit| deposit.outcome);
    let (ok, quality) =
        outcomes.fold((0, 0.0), |(ok, sum), (well, quality)| (ok + i64::from(well), sum + quality));
    change.add("marks", marks).add("outcomes_ok", ok).add_decimal("quality", quality)
}

impl Store {
    /// The sums of all deposits, by one query.
    pub async fn trail_totals(&self, now: Moment) -> Result<TrailTotals> {
        Ok(TrailTotals::of_items(&self.partition(TOTALS.prefix).await?, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deposits_at_many_listings_change_one_item_of_the_totals() {
        let now = Moment::UNIX_EPOCH;
        let deposits: Vec<Deposit> = (0..25)
            .map(|n| Deposit::of(&format!("mcp-{n}").parse().unwrap(), TrailEvent::MatchHit))
            .collect();
        let (key, change) = added(&deposits, 0, now).unwrap();
        assert_eq!(key, totals_of(&deposits[0].listing));
        assert!(
            change
                .values()
                .is_some_and(|values| values.values().any(|value| value.as_n() == Ok(&"25".to_owned())))
        );
    }

    #[test]
    fn deposits_that_are_counted_elsewhere_do_not_change_the_totals() {
        let deposit = Deposit::of(&"mcp-1".parse().unwrap(), TrailEvent::UsedWith);
        let elsewhere = [Deposit { counted_elsewhere: true, ..deposit }];
        assert!(added(&elsewhere, 1, Moment::UNIX_EPOCH).is_none());
    }
}
