//! The phase of the registry on its S-curve (a growth curve), computed from the events per hour. Each type of
//! event has a weight. The weights come from the original registry, an earlier system with the same API. That
//! system publishes no thresholds, so the thresholds are our own.

use schemars::JsonSchema;
use serde::Serialize;

use super::rounded;
use registry_model::TrailEvent;

/// A phase of growth (a part of an S-curve).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Little activity yet.
    Seed,
    /// Growth has begun.
    EarlyS,
    /// Growth is fast.
    Steep,
    /// Growth was fast and has slowed down.
    Mature,
}

/// Weighted events per hour: 2 is one new listing an hour.
pub const EARLY_FROM: f64 = 2.0;
/// 20 is four rounds of feedback or ten new listings an hour.
pub const STEEP_FROM: f64 = 20.0;
/// A registry that has grown fast is mature when its rate falls below this share of its fastest rate.
pub const MATURE_BELOW: f64 = 0.5;

/// What one event counts in the rate (the origin's weights).
pub const fn weight(event: TrailEvent) -> f64 {
    match event {
        TrailEvent::TakeDemo => 3.0,
        TrailEvent::LeaveFeedback => 5.0,
        TrailEvent::FoundingClaim => 8.0,
        TrailEvent::LeaveTrace | TrailEvent::ListYourself | TrailEvent::Endorse => 2.0,
        TrailEvent::MatchHit => 0.5,
        _ => 0.0,
    }
}

pub fn rate(happened: impl Fn(TrailEvent) -> u64, hours: f64) -> f64 {
    // At least an hour, because otherwise a single event would make a high rate.
    let weighted = TrailEvent::ALL.into_iter().map(|event| weight(event) * happened(event) as f64);
    rounded(weighted.sum::<f64>() / hours.max(1.0))
}

impl Phase {
    pub fn of(rate: f64, fastest: f64) -> Self {
        if fastest >= STEEP_FROM && rate < MATURE_BELOW * fastest {
            Self::Mature
        } else if rate >= STEEP_FROM {
            Self::Steep
        } else if rate >= EARLY_FROM {
            Self::EarlyS
        } else {
            Self::Seed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_of_events_matches_values_calculated_by_hand() {
        let happened = |event| match event {
            TrailEvent::TakeDemo => 4,
            TrailEvent::LeaveFeedback => 2,
            TrailEvent::FoundingClaim => 1,
            TrailEvent::MatchHit => 20,
            TrailEvent::ProbeOk => 1000,
            _ => 0,
        };
        // 4 * 3 + 2 * 5 + 8 + 20 * .5 = 40, in 8 hours 5 an hour; probes do not count.
        assert_eq!([rate(happened, 8.0), rate(happened, 0.1)], [5.0, 40.0]);
    }

    #[test]
    fn current_and_highest_rate_decide_the_phase() {
        let phases =
            [(0.0, 0.0), (1.9, 1.9), (2.0, 2.0), (19.9, 19.9), (20.0, 20.0), (60.0, 100.0), (49.0, 100.0)];
        let expected = [
            Phase::Seed,
            Phase::Seed,
            Phase::EarlyS,
            Phase::EarlyS,
            Phase::Steep,
            Phase::Steep,
            Phase::Mature,
        ];
        assert_eq!(phases.map(|(rate, fastest)| Phase::of(rate, fastest)), expected);
        assert_eq!(Phase::of(1.0, 10.0), Phase::Seed, "a registry that never grew fast is not mature");
    }
}
