//! Trails in the table. A listing has one item with its values. A value falls with time: it is stored as one scaled sum for
//! each epoch (`model::Decay`), in an attribute that is named after the epoch. A board is a list of listings by one value.
//!
//! A deposit is the amount that an event adds to the trail of a listing, and to the totals. It only adds to sums, without a
//! condition or a read, so that no concurrent deposit is lost. The rank of a listing on a board is computed from values that
//! were read before the deposit.

use std::collections::{BTreeMap, BTreeSet};

use crate::prelude::*;
use crate::table::definition::Index;
use registry_model::{
    Amounts, Decay, LiveChange, StateChange, Trail, TrailEvent, TrailValue, above_threshold,
};

/// The values of a listing's trail. Trail, marks and edges have a partition of their own, so that a deposit does not
/// invalidate the cached listing. In descending order the trail sorts before the marks, so that one query reads both.
pub(crate) const TRAIL: KeyPattern = KeyPattern::new("TRAIL#", "TRAIL");
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

fn event_name(event: TrailEvent) -> String {
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

/// A trail with its listing.
pub(super) fn listing_and_trail(item: &Item, now: Moment) -> Option<(ListingId, Trail)> {
    Some((TRAIL.listing_of(item)?, trail_of(item, now)))
}

impl Transaction {
    /// Removes a listing from every board; its values stay, and it is added again when it becomes Live.
    pub(super) fn take_off_boards(&mut self, id: &ListingId) {
        let ranks = table::INDEXES.iter().flat_map(|index| index.key);
        self.update(TRAIL.of(id), Expression::default().remove_all(ranks));
        self.delete(RANKS.of(id));
    }
}

impl Expression {
    /// Adds to a decaying value, and removes the sum of an epoch that has decayed completely.
    pub(super) fn add_scaled(self, name: &str, decay: Decay, amount: f64, now: Moment) -> Self {
        if amount == 0.0 {
            return self;
        }
        let epoch = decay.epoch(now);
        let change = self.add_decimal(&format!("{name}_{epoch}"), decay.scaled(amount, now));
        change.remove(&format!("{name}_{}", epoch - 2))
    }
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
        Ok(items.iter().filter_map(|item| listing_and_trail(item, now)).collect())
    }

    /// The listings of a board, the strongest first, by one query of an index.
    pub async fn strongest_listings(&self, board: Board, limit: usize) -> Result<Vec<ListingId>> {
        let (index, partition) = board.partition();
        let page = self.query(Query::of(partition).index(index).descending().limit(limit)).await?;
        let mut seen = BTreeSet::new();
        let ids = page.items.iter().filter_map(|item| TRAIL.listing_of(item));
        Ok(ids.filter(|id| seen.insert(id.clone())).collect())
    }

    /// The trails of a board, the strongest first.
    pub async fn strongest(&self, board: Board, limit: usize, at: Moment) -> Result<Vec<(ListingId, Trail)>> {
        let ids = self.strongest_listings(board, limit).await?;
        Ok(board.ordered(self.trails_of(&ids, at).await?))
    }
}

/// The counts of trail events, in all and recently.
pub(super) const TRAIL_TOTALS: KeyPattern = KeyPattern::new("TRAILS", "");

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
pub(super) fn trail_totals_key(id: &ListingId) -> Key {
    TRAIL_TOTALS.one(key::shard(id))
}

pub(super) fn trail_totals_keys() -> impl Iterator<Item = Key> {
    (0..key::SHARDS).map(|shard| TRAIL_TOTALS.one(format_args!("{shard:02}")))
}

impl Store {
    /// The sums of all deposits, by one query.
    pub async fn trail_totals(&self, now: Moment) -> Result<TrailTotals> {
        Ok(TrailTotals::of_items(&self.partition(TRAIL_TOTALS.prefix).await?, now))
    }
}

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

/// The ranks of a board have four steps from a value to the double of it. A small deposit at a strong trail does not change
/// its rank, so that not every deposit is written to the partition of the board. Readers sort by the values.
const STEPS: f64 = 4.0;

fn rank_step(rank: f64) -> f64 {
    (rank * STEPS).floor() / STEPS
}

/// Sets the rank of an item on a board after a deposit.
fn ranked(change: Expression, board: Board, deposit: &Merged<'_>, now: Moment) -> Expression {
    let (index, partition) = board.partition();
    let value = board.value();
    let amount = deposit.amounts.of(value);
    let rises = deposit.deposits.iter().any(|one| one.rises);
    if amount == 0.0 && !rises {
        return change;
    }
    let before = deposit.known.map(|known| known.of(value));
    let [pk, sk] = index.key;
    let place = |value_at: f64| value.decay().rank(value_at, now).map(rank_step);
    let (rank, earlier) = (place(before.unwrap_or(0.0) + amount), before.and_then(place));
    match (rank, before) {
        (Some(rank), Some(_)) if earlier == Some(rank) && !rises => change,
        (Some(rank), Some(_)) => change.set_all(index.place(partition, rank_text(rank))),
        // The earlier value is not known. This rank is the minimum, and an existing one may be higher.
        (Some(rank), None) => change.set_once(pk, s(partition)).set_once(sk, s(rank_text(rank))),
        (None, Some(_)) => change.remove_all(index.key),
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
            change = change.add_scaled(value.as_str(), value.decay(), self.amounts.of(value), now);
        }
        let (events, marks) = event_counts(self.deposits.iter().copied());
        for (event, times) in events {
            change = change.add(&event_name(event), times);
        }
        change = change.add("marks", marks);
        // Earlier versions had the rank of attraction in this item.
        let change = change.remove_all(Board::Hot.partition().0.key);
        ranked(change, Board::Dangerous, self, now)
    }

    fn ranks(&self, now: Moment) -> Expression {
        ranked(ranked(Expression::default(), Board::Hot, self, now), Board::Demand, self, now)
    }
}

impl Transaction {
    /// Adds all deposits of a transaction, so that it writes each item once.
    pub(super) fn add_deposits(&mut self, deposits: &[Deposit], now: Moment) {
        self.add_deposits_with_pairs(deposits, 0, now);
    }

    /// Like [`Transaction::add_deposits`], with so many pairs of listings that were used together for the first time.
    pub(super) fn add_deposits_with_pairs(&mut self, deposits: &[Deposit], new_pairs: u32, now: Moment) {
        let mut merged: BTreeMap<&ListingId, Merged<'_>> = BTreeMap::new();
        for deposit in deposits {
            let of_listing = merged.entry(&deposit.listing).or_default();
            of_listing.amounts = of_listing.amounts.plus(deposit.amounts);
            of_listing.known = of_listing.known.or(deposit.known);
            of_listing.deposits.push(deposit);
        }
        for (listing, of_listing) in merged {
            self.update(TRAIL.of(listing), of_listing.trail(now));
            self.update(RANKS.of(listing), of_listing.ranks(now));
        }
        if let Some((key, totals)) = totals_change(deposits, new_pairs, now) {
            self.update(key, totals);
        }
    }
}

/// How often each event happened, and the number of marks that are left.
fn event_counts<'a>(all: impl IntoIterator<Item = &'a Deposit>) -> (BTreeMap<TrailEvent, i64>, i64) {
    let (mut events, mut marks) = (BTreeMap::new(), 0);
    for deposit in all {
        *events.entry(deposit.event).or_default() += i64::from(deposit.times);
        marks += i64::from(deposit.with_mark);
    }
    (events, marks)
}

/// The change of the totals by the deposits of a transaction and by new pairs of listings that were used together. All of
/// them change one item: only the sum of the items counts, and transactions on fewer items conflict less.
fn totals_change(deposits: &[Deposit], new_pairs: u32, now: Moment) -> Option<(Key, Expression)> {
    let counted: Vec<&Deposit> = deposits.iter().filter(|deposit| !deposit.counted_elsewhere).collect();
    let key = trail_totals_key(&counted.first()?.listing);
    Some((key, totals_of_deposits(&counted, now).add("compositions", new_pairs)))
}

fn totals_of_deposits(deposits: &[&Deposit], now: Moment) -> Expression {
    let (events, marks) = event_counts(deposits.iter().copied());
    let mut change = Expression::default();
    for (event, times) in events {
        let recent = format!("recent_{}", event.as_str());
        change = change.add(&format!("count_{}", event.as_str()), times);
        change = change.add_scaled(&recent, Decay::RECENT, times as f64, now);
    }
    let outcomes = deposits.iter().filter_map(|deposit| deposit.outcome);
    let (ok, quality) =
        outcomes.fold((0, 0.0), |(ok, sum), (well, quality)| (ok + i64::from(well), sum + quality));
    change.add("marks", marks).add("outcomes_ok", ok).add_decimal("quality", quality)
}

impl Store {
    /// Writes the deposits that reads collected, in one transaction.
    pub async fn write_deposits(&self, deposits: &[Deposit], now: Moment) -> Result<()> {
        let mut transaction = Transaction::default();
        transaction.add_deposits(deposits, now);
        self.commit(transaction).await.map(drop)
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
        let (key, change) = totals_change(&deposits, 0, now).unwrap();
        assert_eq!(key, trail_totals_key(&deposits[0].listing));
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
        assert!(totals_change(&elsewhere, 1, Moment::UNIX_EPOCH).is_none());
    }
}
