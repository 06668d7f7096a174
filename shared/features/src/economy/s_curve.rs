//! Growth curves. Each compares a count now, a day ago and two days ago, and computes the phase of the S-curve. It
//! compares days and not hours, because a small registry has at most one event in an hour.

use super::rounded;
use crate::prelude::*;

/// A smaller value is too small to have a curve.
pub const SEED_BELOW: f64 = 10.0;
/// Growth in a day, as a share of the value.
pub const STEEP_FROM: f64 = 0.1;
/// Growth in a day, as a share of the value.
pub const MATURE_BELOW: f64 = 0.01;

pub const RULE: &str = "seed: the value is below 10; mature: the growth of the last day is below 1 % of the \
    value; steep: this growth is 10 % or more; if it is between 1 % and 10 %: early_s while the growth \
    accelerates, otherwise steep";

/// A phase of growth (a part of an S-curve).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Little yet.
    Seed,
    /// Growth has begun.
    EarlyS,
    /// Growth is fast.
    Steep,
    /// Growth has slowed down.
    Mature,
}

/// A curve of growth.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Curve {
    /// The name of the number that grows.
    pub id: &'static str,
    /// The label for people.
    pub label: &'static str,
    /// The current number.
    pub value: f64,
    /// The growth phase.
    pub phase: Phase,
    /// Whether the number grew more in the last day than in the day before.
    pub accelerating: bool,
    /// The inputs from which the phase and the acceleration are computed.
    pub inputs: CurveInputs,
}

/// The inputs from which a curve is computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CurveInputs {
    /// The number a day ago, from the nearest sample; 0 before the first sample.
    pub a_day_ago: f64,
    /// The number two days ago, from the nearest sample; 0 before the first sample.
    pub two_days_ago: f64,
    /// Growth in the last day.
    pub growth: f64,
    /// Growth in the day before.
    pub growth_before: f64,
}

impl Curve {
    pub fn of(id: &'static str, label: &'static str, value: f64, a_day_ago: f64, two_days_ago: f64) -> Self {
        let (growth, growth_before) = (rounded(value - a_day_ago), rounded(a_day_ago - two_days_ago));
        let accelerating = growth > growth_before;
        let phase = phase(value, growth, accelerating);
        let inputs = CurveInputs { a_day_ago, two_days_ago, growth, growth_before };
        Self { id, label, value, phase, accelerating, inputs }
    }
}

fn phase(value: f64, growth: f64, accelerating: bool) -> Phase {
    if value < SEED_BELOW {
        Phase::Seed
    } else if growth < MATURE_BELOW * value {
        Phase::Mature
    } else if growth >= STEEP_FROM * value || !accelerating {
        Phase::Steep
    } else {
        Phase::EarlyS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_curves_match_values_calculated_by_hand() {
        let of = |value, day, two| {
            let curve = Curve::of("x", "X", value, day, two);
            (curve.phase, curve.accelerating, curve.inputs.growth, curve.inputs.growth_before)
        };
        assert_eq!(of(9.0, 1.0, 0.0), (Phase::Seed, true, 8.0, 1.0));
        // 5 of 100 in a day is between 1 and 10 percent, and more than the 2 before.
        assert_eq!(of(100.0, 95.0, 93.0), (Phase::EarlyS, true, 5.0, 2.0));
        assert_eq!(of(100.0, 90.0, 85.0), (Phase::Steep, true, 10.0, 5.0));
        // 5 after 20: it slows down, but grows.
        assert_eq!(of(100.0, 95.0, 75.0), (Phase::Steep, false, 5.0, 20.0));
        assert_eq!(of(1000.0, 991.0, 900.0), (Phase::Mature, false, 9.0, 91.0));
        assert_eq!(of(100.0, 120.0, 130.0), (Phase::Mature, false, -20.0, -10.0));
    }
}
