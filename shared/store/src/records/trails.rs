//! Trails in the table. A listing has one item with its values. A value falls with time: it is stored as one scaled sum for
//! each epoch (`model::Decay`), in an attribute that is named after the epoch. A board is a list of listings by one value.

use std::collections::{BTreeMap, BTreeSet};

use crate::prelude::*;
use crate::table::Index;
use registry_model::{Amounts, Decay, Trail, TrailEvent, TrailValue, above_threshold};

/// The values of a listing's trail. Trail, marks and edges have a partition of their own, so that a deposit does not
/// invalidate the cached listing. In descending order the trail sorts before the marks, so that one query reads both.
pub(super) const TRAIL: KeyPattern = KeyPattern::new("TRAIL#", "TRAIL");
/// The ranks of a listing on the boards of attraction and demand. An item has one rank in each index.
pub(super) const RANKS: KeyPattern = KeyPattern::new("TRAIL#", "DEMAND");

/// An order of trails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// By attraction.
    Hot,
    Dangerous,
    Demand,
}

impl Board {
    #[must_use]
    pub const fn value(self) -> TrailValue {
        match self {
            Self::Hot => TrailValue::Attraction,
            Self::Dangerous => TrailValue::Danger,
            Self::Demand => TrailValue::Demand,
        }
    }

    /// Trails with a value on this board, the strongest first.
    pub(super) fn ordered<T>(self, trails: impl IntoIterator<Item = (T, Trail)>) -> Vec<(T, Trail)> {
        let value = |trail: &Trail| trail.values.of(self.value());
        let mut ordered: Vec<(T, Trail)> =
            trails.into_iter().filter(|(_, trail)| value(trail) > 0.0).collect();
        ordered.sort_by(|(_, one), (_, other)| value(other).total_cmp(&value(one)));
        ordered
    }

    /// The index of the board, and the partition there. The ranks of attraction and demand are in a separate item, which only
    /// changes if a rank does: each change of an item is also written to the indexes that contain all of it.
    pub(super) const fn partition(self) -> (Index, &'static str) {
        match self {
            Self::Hot => (table::SHOWN, "TRAILS#hot"),
            Self::Dangerous => (table::DUE, "TRAILS#dangerous"),
            Self::Demand => (table::DUE, "TRAILS#demand"),
        }
    }
}

/// A rank as a sort key. A greater text means a stronger trail.
pub(super) fn rank_text(rank: f64) -> String {
    format!("{rank:020.8}")
}

pub(super) fn event_name(event: TrailEvent) -> String {
    format!("event_{}", event.as_str())
}

pub(super) fn trail_of(item: &Item, now: Moment) -> Trail {
    let value = |value: TrailValue| value_left(item, value.as_str(), value.decay(), now);
    let events = TrailEvent::ALL.into_iter().map(|event| (event, unsigned(item, &event_name(event))));
    Trail {
        values: Amounts::from_fn(value),
        marks: unsigned(item, "marks"),
        events: events.filter(|(_, times)| *times > 0).collect(),
    }
}

/// The listing that a trail, mark or edge belongs to.
pub(super) fn listing_of(item: &Item) -> Option<ListingId> {
    TRAIL.listing_of(item)
}

/// Removes a listing from every board; its values stay, and it is added again when it becomes Live.
pub(super) fn take_off_boards(transaction: &mut Transaction, id: &ListingId) {
    let ranks = table::INDEXES.iter().flat_map(|index| index.key);
    transaction.update(TRAIL.of(id), ranks.fold(Expression::default(), Expression::remove));
    transaction.delete(RANKS.of(id));
}

/// Adds to a decaying value, and removes the sum of an epoch that has decayed completely.
pub(super) fn add_scaled(to: Expression, name: &str, decay: Decay, amount: f64, now: Moment) -> Expression {
    if amount == 0.0 {
        return to;
    }
    let epoch = decay.epoch(now);
    let change = to.add_decimal(&format!("{name}_{epoch}"), decay.scaled(amount, now));
    change.remove(&format!("{name}_{}", epoch - 2))
}

/// The sum of a decaying value over items at `now`, without a threshold.
pub(super) fn sum_left(items: &[Item], name: &str, decay: Decay, now: Moment) -> f64 {
    let epoch = decay.epoch(now);
    let left = |epoch: i64| {
        let name = format!("{name}_{epoch}");
        decay.left(items.iter().map(|item| decimal(item, &name)).sum(), epoch, now)
    };
    left(epoch) + left(epoch - 1)
}

/// A decaying value at `now`; 0 below the threshold.
pub(super) fn value_left(item: &Item, name: &str, decay: Decay, now: Moment) -> f64 {
    above_threshold(sum_left(std::slice::from_ref(item), name, decay, now))
}

impl Store {
    /// The trail of a listing; empty where nothing was deposited.
    pub async fn trail(&self, id: &ListingId, now: Moment) -> Result<Trail> {
        Ok(self.trails_of(std::slice::from_ref(id), now).await?.remove(id).unwrap_or_default())
    }

    /// The trails of listings; those where nothing was deposited are left out.
    pub async fn trails_of(&self, ids: &[ListingId], now: Moment) -> Result<BTreeMap<ListingId, Trail>> {
        let items = self.batch_get(TRAIL.all(ids), Consistency::Eventual).await?;
        Ok(items.iter().filter_map(|item| Some((listing_of(item)?, trail_of(item, now)))).collect())
    }

    /// The listings of a board, the strongest first, by one query of an index.
    pub async fn strongest_listings(&self, board: Board, limit: usize) -> Result<Vec<ListingId>> {
        let (index, partition) = board.partition();
        let page = self.query(Query::of(partition).index(index).descending().limit(limit)).await?;
        let mut seen = BTreeSet::new();
        Ok(page.items.iter().filter_map(listing_of).filter(|id| seen.insert(id.clone())).collect())
    }

    /// The trails of a board, the strongest first.
    pub async fn strongest(&self, board: Board, limit: usize, at: Moment) -> Result<Vec<(ListingId, Trail)>> {
        let ids = self.strongest_listings(board, limit).await?;
        Ok(board.ordered(self.trails_of(&ids, at).await?))
    }
}
