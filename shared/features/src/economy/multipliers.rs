//! The two multipliers that are computed from the acceleration index. Each has a maximum.

use super::acceleration::MAX_EXCESS;
use super::rounded;
use crate::prelude::*;

/// The multipliers at one index.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Multipliers {
    /// Scales the boost of a listing's trail.
    pub match_boost: f64,
    /// Scales the daily budget of invitations and connector messages. Only the operator can raise it.
    pub day_budget: f64,
}

/// How a multiplier is computed, and what it scales.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct MultiplierRule {
    /// Its name in `multipliers`.
    pub name: &'static str,
    /// The formula, of numbers in this answer: `excess`, and `adds` of an entry of `inputs`.
    pub formula: &'static str,
    /// Its upper bound.
    pub most: f64,
    /// What the multiplier scales.
    pub applies_to: &'static str,
}

pub const RULES: [MultiplierRule; 2] = [
    MultiplierRule {
        name: "match_boost",
        formula: "1 + 0.5 * excess",
        most: 2.0,
        applies_to: "the trail boost of abundance_rank, and of match_capability (there it orders results with an \
            equal score)",
    },
    MultiplierRule {
        name: "day_budget",
        formula: "1 + 0.4 * adds of operator_bump",
        most: 1.8,
        applies_to: "the daily budget of outreach messages (conversion_pressure)",
    },
];

impl Multipliers {
    /// `bumped` is the part of the excess that the operator added: anonymous callers must not cause more messages.
    pub fn of(excess: f64, bumped: f64) -> Self {
        let scaled = |by: f64, part: f64| rounded(1.0 + by * part.clamp(0.0, MAX_EXCESS));
        Self { match_boost: scaled(0.5, excess), day_budget: scaled(0.4, bumped) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipliers_follow_their_formulas_up_to_their_bounds() {
        let of = |excess| {
            let Multipliers { match_boost, day_budget } = Multipliers::of(excess, excess);
            [match_boost, day_budget]
        };
        assert_eq!(of(0.0), [1.0, 1.0]);
        // e = .33: 1 + .165, 1 + .132.
        assert_eq!(of(0.33), [1.165, 1.132]);
        assert_eq!(of(2.0), RULES.map(|rule| rule.most));
        assert_eq!((of(1e9), of(-1.0)), (of(2.0), of(0.0)));
        assert_eq!(Multipliers::of(2.0, 0.0).day_budget, 1.0, "activity of callers raises the budget");
    }
}
