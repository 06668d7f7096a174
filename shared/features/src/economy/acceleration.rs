//! The acceleration index measures recent activity. It is 1 when nothing happens, and at most 3. Each event adds its weight to
//! the index. The effect of an event halves every 72 hours, so the index is computed from counts that decrease with time.

use super::multipliers::Multipliers;
use super::rounded;
use crate::prelude::*;
use registry_model::TrailEvent;
use registry_store::EventTotal;

pub const HALF_LIFE_HOURS: u32 = 72;
pub const MIN_INDEX: f64 = 1.0;
/// The largest excess: the index is at most 3.
pub const MAX_EXCESS: f64 = 2.0;

/// What one event adds to the index, from the origin's table; other events add nothing.
pub const fn weight(event: TrailEvent) -> f64 {
    match event {
        TrailEvent::TakeDemo => 0.012,
        TrailEvent::LeaveFeedback => 0.04,
        TrailEvent::FoundingClaim => 0.08,
        TrailEvent::LeaveTrace => 0.008,
        TrailEvent::Endorse => 0.015,
        TrailEvent::UsedWith => 0.01,
        TrailEvent::MatchHit => 0.003,
        TrailEvent::MatchQuery => 0.001,
        TrailEvent::ListYourself => 0.01,
        TrailEvent::ProbeOk => 0.002,
        TrailEvent::ProbeFail => 0.004,
        TrailEvent::Contagion => 0.005,
        _ => 0.0,
    }
}

pub const FORMULA: &str = "acceleration_index = 1 + min(2, sum of weight * recent); `recent` counts each \
    event as 0.5^(hours since the event / 72), and `operator_bump` what it added";

/// The name of an operator's bump among the events. The bump is stored as what it adds, so its weight is 1.
pub const OPERATOR_BUMP: &str = "operator_bump";

/// What one kind of event adds to the index.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Contribution {
    /// The name of the event.
    pub event: &'static str,
    /// What a single event adds.
    pub weight: f64,
    /// Events since the registry was started.
    pub count: u64,
    /// Recent events: an event counts half after 72 hours.
    pub recent: f64,
    /// `weight` times `recent`.
    pub adds: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Acceleration {
    /// From 1 to 3.
    pub index: f64,
    /// The index minus 1; the multipliers are computed from it.
    pub excess: f64,
    /// The part that the operator added.
    pub bumped: f64,
    /// What each event adds, before the sum is capped at 2.
    pub contributions: Vec<Contribution>,
}

impl Acceleration {
    pub fn of(counted: impl Fn(TrailEvent) -> EventTotal, bumps: EventTotal) -> Self {
        let weighted = TrailEvent::ALL.into_iter().filter(|event| weight(*event) > 0.0);
        let of_events = weighted.map(|event| contribution(event.as_str(), weight(event), counted(event)));
        let contributions: Vec<Contribution> =
            of_events.chain([contribution(OPERATOR_BUMP, 1.0, bumps)]).collect();
        let sum: f64 = contributions.iter().map(|one| one.adds).sum();
        let excess = rounded(sum.clamp(0.0, MAX_EXCESS));
        let bumped = rounded(bumps.recent.clamp(0.0, MAX_EXCESS));
        Self { index: rounded(MIN_INDEX + excess), excess, bumped, contributions }
    }

    pub fn multipliers(&self) -> Multipliers {
        Multipliers::of(self.excess, self.bumped)
    }
}

fn contribution(event: &'static str, weight: f64, counted: EventTotal) -> Contribution {
    let recent = rounded(counted.recent);
    Contribution { event, weight, count: counted.count, recent, adds: rounded(weight * recent) }
}

/// What an operator's bump adds, for an amount from 1 to 50: the event's weight times 0.25 to 3.
pub fn bump(event: TrailEvent, amount: f64) -> f64 {
    weight(event) * (amount / 10.0).clamp(0.25, 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(counted: &[(TrailEvent, f64)], bumped: f64) -> Acceleration {
        let counted_of = |event| {
            let recent = counted.iter().find(|(known, _)| *known == event).map_or(0.0, |(_, recent)| *recent);
            EventTotal { count: 100, recent }
        };
        Acceleration::of(counted_of, EventTotal { count: 1, recent: bumped })
    }

    #[test]
    fn acceleration_index_matches_values_calculated_by_hand() {
        assert_eq!(index(&[], 0.0).index, 1.0);
        // 10 * .012 + 2 * .04 + 1 * .08 + 5 * .01 = .33.
        let events = [
            (TrailEvent::TakeDemo, 10.0),
            (TrailEvent::LeaveFeedback, 2.0),
            (TrailEvent::FoundingClaim, 1.0),
            (TrailEvent::ListYourself, 5.0),
        ];
        let some = index(&events, 0.0);
        assert_eq!((some.index, some.excess), (1.33, 0.33));
        let demo = some.contributions.iter().find(|one| one.event == "take_demo").unwrap();
        assert_eq!((demo.weight, demo.count, demo.recent, demo.adds), (0.012, 100, 10.0, 0.12));
        // The operator's bump is listed separately.
        let bumped = index(&events, 0.25);
        let last = bumped.contributions.last().unwrap();
        assert_eq!((bumped.index, last.event, last.adds), (1.58, OPERATOR_BUMP, 0.25));
        // 1,000 founding claims would add 80.
        assert_eq!(index(&[(TrailEvent::FoundingClaim, 1000.0)], 0.0).index, 3.0);
        assert_eq!(index(&[(TrailEvent::Outcome, 1000.0)], 0.0).index, 1.0, "no bump for outcomes");
    }

    #[test]
    fn every_weighted_event_is_counted_once() {
        // .012 + .04 + .08 + .008 + .015 + .01 + .003 + .001 + .01 + .002 + .004 + .005 = .19.
        let all = index(&TrailEvent::ALL.map(|event| (event, 1.0)), 0.0);
        assert_eq!((all.excess, all.contributions.len()), (0.19, 13));
    }

    #[test]
    fn amount_that_the_operator_adds_is_scaled_within_bounds() {
        let bumps = [1.0, 10.0, 20.0, 50.0].map(|amount| bump(TrailEvent::LeaveFeedback, amount));
        // .04 times .25 (the least), 1, 2, and 3 (the most).
        assert_eq!(bumps.map(rounded), [0.01, 0.04, 0.08, 0.12]);
    }
}
