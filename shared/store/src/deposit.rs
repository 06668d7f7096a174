//! A deposit adds to a value of a listing that falls with time. The value is stored as one scaled sum per
//! epoch (`model::Decay`), in an attribute that is named after the epoch. A deposit is an ADD without
//! condition and without a read, so that no concurrent deposit is lost.

use super::attributes::{Item, decimal};
use super::expression::Expression;
use registry_model::{Amounts, Decay, ListingId, Moment, TrailEvent, audible};

/// Something that is deposited at a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Deposit {
    pub listing: ListingId,
    pub event: TrailEvent,
    /// How often the event happened.
    pub times: u32,
    /// The sum over all times.
    pub amounts: Amounts,
    /// The values of the trail before, if they were read. Its ranks on the boards are computed from these and the
    /// amounts; without them, from the amounts alone, until the next deposit with known values corrects the ranks.
    pub known: Option<Amounts>,
    /// A mark is left with it.
    pub with_mark: bool,
    /// It is one event of several listings, which is counted at another of them.
    pub counted_elsewhere: bool,
    /// How a use of the listing went: whether well, and its quality from 0 to 1.
    pub outcome: Option<(bool, f64)>,
}

impl Deposit {
    /// One event with its standard amounts.
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

    /// Adds the values of the trail before.
    #[must_use]
    pub fn on(self, known: Option<Amounts>) -> Self {
        Self { known, ..self }
    }

    /// The deposit of an answered probe, which also reduces known danger.
    #[must_use]
    pub fn of_answered_probe(listing: &ListingId, known: Option<Amounts>) -> Self {
        let mut deposit = Self::of(listing, TrailEvent::ProbeOk).on(known);
        deposit.amounts.danger -= known.unwrap_or_default().relief();
        deposit
    }
}

/// Adds to a decaying value, and removes the sum of an epoch that has decayed completely.
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
    audible(sum_left(std::slice::from_ref(item), name, decay, now))
}
