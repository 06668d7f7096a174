//! A deposit, and how a value that decays is kept in an item: as one scaled sum for each epoch (`model::Decay`), in an attribute
//! that carries the epoch. An ADD without condition or reading, so that concurrent depositors lose nothing.

use super::attributes::{Item, decimal, number};
use super::expression::Expression;
use registry_model::{Amounts, Decay, ListingId, Moment, TrailEvent, audible};

/// Something that is deposited at a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Deposit {
    /// The listing.
    pub listing: ListingId,
    /// What deposits it.
    pub event: TrailEvent,
    /// How often that was.
    pub times: u32,
    /// How much, in all.
    pub amounts: Amounts,
    /// The values of the trail as they were read before: its places on the boards follow from that and the amounts. Where
    /// they were not read, they follow from the amounts alone, and the next deposit that knows mends them.
    pub known: Option<Amounts>,
    /// A mark is left with it.
    pub with_mark: bool,
    /// It is one event of several listings, and counted at another of them.
    pub counted_elsewhere: bool,
    /// How a use of the listing went: whether well, and its quality from 0 to 1.
    pub outcome: Option<(bool, f64)>,
}

impl Deposit {
    /// What an event always deposits.
    #[must_use]
    pub fn of(listing: &ListingId, event: TrailEvent) -> Self {
        Self {
            listing: listing.clone(),
            event,
            times: 1,
            amounts: event.amounts(),
            known: None,
            with_mark: false,
            counted_elsewhere: false,
            outcome: None,
        }
    }

    /// The same, on what was read of its trail.
    #[must_use]
    pub fn on(self, known: Option<Amounts>) -> Self {
        Self { known, ..self }
    }

    /// What a probe that is answered deposits: as far as is known, it takes from danger, too.
    #[must_use]
    pub fn of_answered_probe(listing: &ListingId, known: Option<Amounts>) -> Self {
        let mut deposit = Self::of(listing, TrailEvent::ProbeOk).on(known);
        deposit.amounts.danger -= known.unwrap_or_default().relief();
        deposit
    }
}

/// Adds to a value that decays, and takes away the sum of an epoch of which nothing is left.
pub(super) fn add_scaled(
    change: Expression,
    name: &str,
    decay: Decay,
    amount: f64,
    now: Moment,
) -> Expression {
    if amount == 0.0 {
        return change;
    }
    let epoch = decay.epoch(now);
    change
        .add_decimal(&format!("{name}_{epoch}"), decay.scaled(amount, now))
        .remove(&format!("{name}_{}", epoch - 2))
}

/// A value that decays, as it is at `now`.
pub(super) fn value_left(item: &Item, name: &str, decay: Decay, now: Moment) -> f64 {
    let epoch = decay.epoch(now);
    let left = |epoch: i64| decay.left(decimal(item, &format!("{name}_{epoch}")), epoch, now);
    audible(left(epoch) + left(epoch - 1))
}

/// The count of a number, which is never below nothing.
pub(super) fn count_of(item: &Item, name: &str) -> u32 {
    u32::try_from(number(item, name)).unwrap_or(0)
}
