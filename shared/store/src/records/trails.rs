//! Trails in the table. A listing has one item with its values. A value falls with time: it is stored as one scaled sum for
//! each epoch (`model::Decay`), in an attribute that is named after the epoch. A deposit is the amount that an event adds. It
//! only adds to a sum, without a condition or a read, so that no concurrent deposit is lost. A board is a list of listings by
//! one value. The rank of a listing on a board is computed from values that were read before the deposit.

use std::collections::{BTreeMap, BTreeSet};

use super::trail_totals;
use crate::prelude::*;
use crate::table::Index;
use registry_model::{
    Amounts, Decay, LiveChange, StateChange, Trail, TrailEvent, TrailValue, above_threshold,
};

/// The values of a listing's trail. Trail, marks and edges have a partition of their own, so that a deposit does not
/// invalidate the cached listing. In descending order the trail sorts before the marks, so that one query reads both.
pub(super) const TRAIL: Place = Place::new("TRAIL#", "TRAIL");
/// The ranks of a listing on the boards of attraction and demand. An item has one rank in each index.
pub(super) const RANKS: Place = Place::new("TRAIL#", "DEMAND");

/// What an event adds to the trail of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Deposit {
    pub listing: ListingId,
    pub event: TrailEvent,
    pub times: u32,
    /// The sum over all times.
    pub amounts: Amounts,
    /// The values of the trail before the deposit, if they were read. The ranks of the trail on the boards are computed
    /// from these values and the amounts. If they were not read, the ranks are computed from the amounts alone. The
    /// next deposit with known values then corrects the ranks.
    pub known: Option<Amounts>,
    /// The listing becomes Live, so all its ranks are written: a withdrawal removes them.
    pub rises: bool,
    pub with_mark: bool,
    /// The event concerns several listings, and it is counted at another one of them.
    pub counted_elsewhere: bool,
    /// How a use of the listing went: whether well, and its quality from 0 to 1.
    pub outcome: Option<(bool, f64)>,
}

impl Deposit {
    pub fn of(listing: &ListingId, event: TrailEvent) -> Self {
        Self {
            listing: listing.clone(),
            event,
            times: 1,
            amounts: event.amounts(),
            known: None,
            rises: false,
            with_mark: false,
            counted_elsewhere: false,
            outcome: None,
        }
    }

    /// Adds the values that the trail had before the deposit.
    #[must_use]
    pub fn on(self, known: Option<Amounts>) -> Self {
        Self { known, ..self }
    }

    /// The deposit of an answered probe, which also reduces known danger.
    pub fn of_answered_probe(change: &StateChange) -> Self {
        let mut deposit = Self::of(&change.before.id, TrailEvent::ProbeOk).on(change.trail);
        deposit.amounts.danger -= change.trail.unwrap_or_default().relief();
        deposit.rises = change.live_change() == LiveChange::Risen;
        deposit
    }
}

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
    const fn place(self) -> (Index, &'static str) {
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

/// The ranks of a board have four steps from a value to the double of it. A small deposit at a strong trail does not change
/// its rank, so that not every deposit is written to the partition of the board. Readers sort by the values.
const STEPS: f64 = 4.0;

fn step(rank: f64) -> f64 {
    (rank * STEPS).floor() / STEPS
}

/// Sets the rank of an item on a board after a deposit.
fn ranked(change: Expression, board: Board, deposit: &Merged<'_>, now: Moment) -> Expression {
    let (index, partition) = board.place();
    let value = board.value();
    let amount = deposit.amounts.of(value);
    let rises = deposit.deposits.iter().any(|one| one.rises);
    if amount == 0.0 && !rises {
        return change;
    }
    let before = deposit.known.map(|known| known.of(value));
    let [pk, sk] = index.key;
    let place = |value_at: f64| value.decay().rank(value_at, now).map(step);
    let (rank, earlier) = (place(before.unwrap_or(0.0) + amount), before.and_then(place));
    match (rank, before) {
        (Some(rank), Some(_)) if earlier == Some(rank) && !rises => change,
        (Some(rank), Some(_)) => change.set(pk, s(partition)).set(sk, s(rank_text(rank))),
        // The earlier value is not known. This rank is the minimum, and an existing one may be higher.
        (Some(rank), None) => change.set_once(pk, s(partition)).set_once(sk, s(rank_text(rank))),
        (None, Some(_)) => change.remove(pk).remove(sk),
        (None, None) => change,
    }
}

#[derive(Default)]
struct Merged<'a> {
    amounts: Amounts,
    known: Option<Amounts>,
    deposits: Vec<&'a Deposit>,
}

impl Merged<'_> {
    fn trail(&self, now: Moment) -> Expression {
        let mut change = Expression::default();
        for value in TrailValue::ALL {
            change = add_scaled(change, value.as_str(), value.decay(), self.amounts.of(value), now);
        }
        let (events, marks) = counts(self.deposits.iter().copied());
        for (event, times) in events {
            change = change.add(&event_name(event), times);
        }
        change = change.add("marks", marks);
        // Earlier versions had the rank of attraction in this item.
        let change = Board::Hot.place().0.key.into_iter().fold(change, Expression::remove);
        ranked(change, Board::Dangerous, self, now)
    }

    fn ranks(&self, now: Moment) -> Expression {
        ranked(ranked(Expression::default(), Board::Hot, self, now), Board::Demand, self, now)
    }
}

fn event_name(event: TrailEvent) -> String {
    format!("event_{}", event.as_str())
}

pub(super) fn trail_of(item: &Item, now: Moment) -> Trail {
    let value = |value: TrailValue| value_left(item, value.as_str(), value.decay(), now);
    let events = TrailEvent::ALL.into_iter().map(|event| (event, count(item, &event_name(event))));
    Trail {
        values: Amounts::from_fn(value),
        marks: count(item, "marks"),
        events: events.filter(|(_, times)| *times > 0).collect(),
    }
}

/// The listing that a trail, mark or edge belongs to.
pub(super) fn listing_of(item: &Item) -> Option<ListingId> {
    TRAIL.listing_of(item)
}

/// Adds all deposits of a transaction, so that it writes each item once.
pub(super) fn deposit(transaction: &mut Transaction, deposits: &[Deposit], now: Moment) {
    deposit_with_pairs(transaction, deposits, 0, now);
}

/// Like [`deposit`], with so many pairs of listings that were used together for the first time.
pub(super) fn deposit_with_pairs(
    transaction: &mut Transaction,
    deposits: &[Deposit],
    new_pairs: u32,
    now: Moment,
) {
    let mut merged: BTreeMap<&ListingId, Merged<'_>> = BTreeMap::new();
    for deposit in deposits {
        let of_listing = merged.entry(&deposit.listing).or_default();
        of_listing.amounts = of_listing.amounts.plus(deposit.amounts);
        of_listing.known = of_listing.known.or(deposit.known);
        of_listing.deposits.push(deposit);
    }
    for (listing, of_listing) in merged {
        transaction.update(TRAIL.of(listing), of_listing.trail(now));
        transaction.update(RANKS.of(listing), of_listing.ranks(now));
    }
    if let Some((key, totals)) = trail_totals::added(deposits, new_pairs, now) {
        transaction.update(key, totals);
    }
}

/// Removes a listing from every board; its values stay, and it is added again when it becomes Live.
pub(super) fn take_off_boards(transaction: &mut Transaction, id: &ListingId) {
    let ranks = table::INDEXES.iter().flat_map(|index| index.key);
    transaction.update(TRAIL.of(id), ranks.fold(Expression::default(), Expression::remove));
    transaction.delete(RANKS.of(id));
}

/// How often each event happened, and the number of marks that are left.
pub(super) fn counts<'a>(all: impl IntoIterator<Item = &'a Deposit>) -> (BTreeMap<TrailEvent, i64>, i64) {
    let (mut events, mut marks) = (BTreeMap::new(), 0);
    for deposit in all {
        *events.entry(deposit.event).or_default() += i64::from(deposit.times);
        marks += i64::from(deposit.with_mark);
    }
    (events, marks)
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
    /// Writes the deposits that reads collected, in one transaction.
    pub async fn write_deposits(&self, deposits: &[Deposit], now: Moment) -> Result<()> {
        let mut transaction = Transaction::default();
        deposit(&mut transaction, deposits, now);
        self.commit(transaction).await.map(drop)
    }

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
        let (index, partition) = board.place();
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
