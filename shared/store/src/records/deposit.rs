//! A deposit: an amount that an event adds to a number in the trail of a listing. Such a number falls with time. It is
//! stored as one scaled sum for each epoch (`model::Decay`), in an attribute that is named after the epoch. A deposit
//! only adds to this sum, without a condition or a read, so that no concurrent deposit is lost.

use std::collections::BTreeMap;

use crate::table::prelude::*;
use registry_model::{Amounts, Decay, LiveChange, StateChange, TrailEvent, audible};

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

/// How often each event happened, and the number of marks that are left.
pub(crate) fn counts<'a>(
    deposits: impl IntoIterator<Item = &'a Deposit>,
) -> (BTreeMap<TrailEvent, i64>, i64) {
    let (mut events, mut marks) = (BTreeMap::new(), 0);
    for deposit in deposits {
        *events.entry(deposit.event).or_default() += i64::from(deposit.times);
        marks += i64::from(deposit.with_mark);
    }
    (events, marks)
}

/// Adds to a decaying value, and removes the sum of an epoch that has decayed completely.
pub(crate) fn add_scaled(
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
pub(crate) fn sum_left(items: &[Item], name: &str, decay: Decay, now: Moment) -> f64 {
    let epoch = decay.epoch(now);
    let left = |epoch: i64| {
        let name = format!("{name}_{epoch}");
        decay.left(items.iter().map(|item| decimal(item, &name)).sum(), epoch, now)
    };
    left(epoch) + left(epoch - 1)
}

/// A decaying value at `now`; 0 below the threshold.
pub(crate) fn value_left(item: &Item, name: &str, decay: Decay, now: Moment) -> f64 {
    audible(sum_left(std::slice::from_ref(item), name, decay, now))
}
