//! Deposits. A deposit is the amount that an event adds to the trail of a listing, and to the totals. It only adds to sums,
//! without a condition or a read, so that no concurrent deposit is lost. The rank of a listing on a board is computed from
//! values that were read before the deposit.

use std::collections::BTreeMap;

use super::trail_totals::totals_of;
use super::trails::{Board, RANKS, TRAIL, add_scaled, event_name, rank_text};
use crate::prelude::*;
use registry_model::{Amounts, Decay, LiveChange, StateChange, TrailEvent, TrailValue};

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

fn step(rank: f64) -> f64 {
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
        let change = Board::Hot.partition().0.key.into_iter().fold(change, Expression::remove);
        ranked(change, Board::Dangerous, self, now)
    }

    fn ranks(&self, now: Moment) -> Expression {
        ranked(ranked(Expression::default(), Board::Hot, self, now), Board::Demand, self, now)
    }
}

/// Adds all deposits of a transaction, so that it writes each item once.
pub(super) fn add(transaction: &mut Transaction, deposits: &[Deposit], now: Moment) {
    add_with_pairs(transaction, deposits, 0, now);
}

/// Like [`add`], with so many pairs of listings that were used together for the first time.
pub(super) fn add_with_pairs(
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
    if let Some((key, totals)) = totals_change(deposits, new_pairs, now) {
        transaction.update(key, totals);
    }
}

/// How often each event happened, and the number of marks that are left.
fn counts<'a>(all: impl IntoIterator<Item = &'a Deposit>) -> (BTreeMap<TrailEvent, i64>, i64) {
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
    /// Writes the deposits that reads collected, in one transaction.
    pub async fn write_deposits(&self, deposits: &[Deposit], now: Moment) -> Result<()> {
        let mut transaction = Transaction::default();
        add(&mut transaction, deposits, now);
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
        assert!(totals_change(&elsewhere, 1, Moment::UNIX_EPOCH).is_none());
    }
}
