//! Trails in the table: one item per listing with a scaled sum of each value (`model::Decay`). A deposit is an ADD without
//! condition or reading, so concurrent depositors lose nothing; its place on a board is set from what was read before.

use std::collections::BTreeMap;

use super::attributes::{Item, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::deposit::{Deposit, add_scaled, count_of, value_left};
use super::error::StoreError;
use super::expression::Expression;
use super::table::{self, Index};
use super::transaction::Transaction;
use super::{keys, trail_totals};
use registry_model::{Amounts, ListingId, Moment, Trail, TrailEvent, TrailValue};

/// An order of trails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// By attraction.
    Hot,
    /// By danger.
    Dangerous,
    /// By demand.
    Demand,
}

impl Board {
    /// The value by which it is ordered.
    #[must_use]
    pub const fn value(self) -> TrailValue {
        match self {
            Self::Hot => TrailValue::Attraction,
            Self::Dangerous => TrailValue::Danger,
            Self::Demand => TrailValue::Demand,
        }
    }

    /// Its index, and its partition there. Probes move the places of attraction and danger most often, and the index of
    /// keys is the cheapest to move in; demand comes by the batch, so its place is an item of its own.
    const fn place(self) -> (Index, &'static str) {
        match self {
            Self::Hot => (table::SHOWN, "TRAILS#hot"),
            Self::Dangerous => (table::DUE, "TRAILS#dangerous"),
            Self::Demand => (table::DUE, "TRAILS#demand"),
        }
    }
}

/// A place as a sort key: of two such texts the greater is the stronger.
pub(super) fn place_text(place: f64) -> String {
    format!("{place:020.8}")
}

/// Where an item stands on a board after a deposit.
fn placed(change: Expression, board: Board, deposit: &Merged<'_>, now: Moment) -> Expression {
    let (index, partition) = board.place();
    let value = board.value();
    let amount = deposit.amounts.of(value);
    if amount == 0.0 {
        return change;
    }
    let before = deposit.known.map(|known| known.of(value));
    let [pk, sk] = index.key;
    match (value.decay().place(before.unwrap_or(0.0) + amount, now), before) {
        (Some(place), Some(_)) => change.set(pk, s(partition)).set(sk, s(place_text(place))),
        // Nobody read what there was: this is the least that it can be, and may be less than its place says.
        (Some(place), None) => change.set_once(pk, s(partition)).set_once(sk, s(place_text(place))),
        (None, Some(_)) => change.remove(pk).remove(sk),
        (None, None) => change,
    }
}

/// The deposits of one listing.
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
        let mut counts: BTreeMap<TrailEvent, i64> = BTreeMap::new();
        for deposit in &self.deposits {
            *counts.entry(deposit.event).or_default() += i64::from(deposit.times);
        }
        for (event, times) in counts {
            change = change.add(&event_name(event), times);
        }
        let marks = self.deposits.iter().filter(|deposit| deposit.with_mark).count();
        change = change.add("marks", i64::try_from(marks).unwrap_or(0));
        placed(placed(change, Board::Hot, self, now), Board::Dangerous, self, now)
    }
}

fn event_name(event: TrailEvent) -> String {
    format!("event_{}", event.as_str())
}

pub(super) fn trail_of(item: &Item, now: Moment) -> Trail {
    let value = |value: TrailValue| value_left(item, value.as_str(), value.decay(), now);
    let events = TrailEvent::ALL.into_iter().map(|event| (event, count_of(item, &event_name(event))));
    Trail {
        attraction: value(TrailValue::Attraction),
        danger: value(TrailValue::Danger),
        demand: value(TrailValue::Demand),
        joined: value(TrailValue::Joined),
        marks: count_of(item, "marks"),
        endorsements: count_of(item, &event_name(TrailEvent::Endorse)),
        events: events.filter(|(_, times)| *times > 0).collect(),
    }
}

/// The listing whose trail, mark or edge an item is.
pub(super) fn listing_of(item: &Item) -> Option<ListingId> {
    text(item, "pk").strip_prefix(keys::TRAIL_OF)?.parse().ok()
}

impl Store {
    /// Deposits something within a transaction: at the listing, and in the totals. A transaction that deposits twice does
    /// so by [`Store::deposit_all`], because none may write an item twice.
    pub(super) fn deposit(
        &self,
        transaction: &mut Transaction,
        deposit: &Deposit,
        now: Moment,
    ) -> Result<(), StoreError> {
        self.deposit_all(transaction, std::slice::from_ref(deposit), now)
    }

    /// Deposits all of this within a transaction, which writes each item once.
    pub(super) fn deposit_all(
        &self,
        transaction: &mut Transaction,
        deposits: &[Deposit],
        now: Moment,
    ) -> Result<(), StoreError> {
        self.deposit_all_with(transaction, deposits, 0, now)
    }

    /// The same, with so many pairs of listings that were used together for the first time.
    pub(super) fn deposit_all_with(
        &self,
        transaction: &mut Transaction,
        deposits: &[Deposit],
        new_pairs: u32,
        now: Moment,
    ) -> Result<(), StoreError> {
        let mut merged: BTreeMap<&str, Merged<'_>> = BTreeMap::new();
        for deposit in deposits {
            let of_listing = merged.entry(deposit.listing.as_str()).or_insert_with(|| Merged {
                amounts: Amounts::NONE,
                known: None,
                deposits: Vec::new(),
            });
            of_listing.amounts = of_listing.amounts.plus(deposit.amounts);
            of_listing.known = of_listing.known.or(deposit.known);
            of_listing.deposits.push(deposit);
        }
        for of_listing in merged.values() {
            let Some(first) = of_listing.deposits.first() else { continue };
            self.update(transaction, &keys::trail(&first.listing), &of_listing.trail(now))?;
            let demand = placed(Expression::default(), Board::Demand, of_listing, now);
            self.update(transaction, &keys::demand(&first.listing), &demand)?;
        }
        for (key, totals) in trail_totals::added(deposits, new_pairs, now) {
            self.update(transaction, &key, &totals)?;
        }
        Ok(())
    }

    /// Deposits what reads noted, in a transaction of its own.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn deposit_noted(&self, deposits: &[Deposit], now: Moment) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        self.deposit_all(&mut transaction, deposits, now)?;
        self.transact(transaction).await.map(drop)
    }

    /// Takes a listing off every board, as a part of a transaction; its values stay, and the next deposit brings it back.
    pub(super) fn take_off_boards(
        &self,
        transaction: &mut Transaction,
        id: &ListingId,
    ) -> Result<(), StoreError> {
        let places = table::INDEXES.iter().flat_map(|index| index.key);
        let off = places.fold(Expression::default(), |change, name| change.remove(name));
        self.update(transaction, &keys::trail(id), &off)?;
        self.delete(transaction, &keys::demand(id), None)
    }

    /// The trail of a listing; one where nothing was deposited is empty.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn trail(&self, id: &ListingId, now: Moment) -> Result<Trail, StoreError> {
        Ok(self.trails_of(std::slice::from_ref(id), now).await?.remove(id).unwrap_or_default())
    }

    /// The trails of listings; those where nothing was deposited are left out.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn trails_of(
        &self,
        ids: &[ListingId],
        now: Moment,
    ) -> Result<BTreeMap<ListingId, Trail>, StoreError> {
        let keys = ids.iter().map(|id| keys::trail(id).item()).collect();
        let items = self.batch_get(keys, Consistency::Eventual).await?;
        Ok(items.iter().filter_map(|item| Some((listing_of(item)?, trail_of(item, now)))).collect())
    }

    /// The listings that stand first on a board, the strongest first, by one query of an index.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn strongest_listings(&self, board: Board, limit: usize) -> Result<Vec<ListingId>, StoreError> {
        let (index, partition) = board.place();
        let [pk, _] = index.key;
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(index.name)
            .key_condition_expression(format!("{pk} = :board"))
            .expression_attribute_values(":board", s(partition))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(50))
            .send()
            .await?;
        Ok(answer.items.unwrap_or_default().iter().filter_map(listing_of).collect())
    }

    /// The trails that stand first on a board, the strongest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn strongest(
        &self,
        board: Board,
        limit: usize,
        now: Moment,
    ) -> Result<Vec<(ListingId, Trail)>, StoreError> {
        let ids = self.strongest_listings(board, limit).await?;
        let trails = self.trails_of(&ids, now).await?;
        let mut strongest: Vec<(ListingId, Trail)> =
            trails.into_iter().filter(|(_, trail)| trail.of(board.value()) > 0.0).collect();
        strongest.sort_by(|(_, one), (_, other)| other.of(board.value()).total_cmp(&one.of(board.value())));
        Ok(strongest)
    }
}
