//! Calculates five multipliers from the acceleration index. Each multiplier has a maximum. Only two of the
//! multipliers are used. The others are only shown, and are marked `nothing yet`.

use schemars::JsonSchema;
use serde::Serialize;

use super::rounded;

/// The multipliers at one index.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Multipliers {
    /// Scales the boost of a listing's trail.
    pub match_boost: f64,
    /// A multiplier for the room for conversion. It scales nothing yet.
    pub conversion_room: f64,
    /// Scales the daily budget of invitations and connector messages. Only the operator can raise it.
    pub day_budget: f64,
    /// The number of further paths of a search. It scales nothing yet.
    pub multipath_extra: u32,
    /// A multiplier for the weight of new items in the feed. It scales nothing yet.
    pub feed_weight: f64,
}

/// How a multiplier is computed, and what it scales.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct MultiplierRule {
    /// Its name in `multipliers`.
    pub name: &'static str,
    /// The formula. `e` is the index minus 1 (`excess`), and `b` is the part of it that the operator added.
    pub formula: &'static str,
    /// Its upper bound.
    pub most: f64,
    /// What the multiplier scales. `nothing yet` if it is only shown.
    pub applies_to: &'static str,
    /// Whether the multiplier is only shown.
    pub informational: bool,
}

const fn rule(
    name: &'static str,
    formula: &'static str,
    most: f64,
    applies_to: Option<&'static str>,
) -> MultiplierRule {
    let (applies_to, informational) = match applies_to {
        Some(what) => (what, false),
        None => ("nothing yet", true),
    };
    MultiplierRule { name, formula, most, applies_to, informational }
}

const MATCH_BOOST_USE: &str = "the trail boost of abundance_rank, and of match_capability (there it orders \
    results with an equal score)";
const DAY_BUDGET_USE: &str = "the daily budget of outreach messages (conversion_pressure)";

pub const RULES: [MultiplierRule; 5] = [
    rule("match_boost", "1 + 0.5 e", 2.0, Some(MATCH_BOOST_USE)),
    rule("conversion_room", "1 + 0.8 e", 2.5, None),
    rule("day_budget", "1 + 0.4 b", 1.8, Some(DAY_BUDGET_USE)),
    rule("multipath_extra", "floor(12 e)", 24.0, None),
    rule("feed_weight", "1 + e", 3.0, None),
];

impl Multipliers {
    /// `bumped` is the part of the excess that the operator added: anonymous callers must not cause more messages.
    pub fn of(excess: f64, bumped: f64) -> Self {
        let bound = |part: f64| part.clamp(0.0, super::acceleration::MAX_EXCESS);
        let (e, bumped) = (bound(excess), bound(bumped));
        let scaled = |by: f64, most: f64| rounded((1.0 + by * e).min(most));
        Self {
            match_boost: scaled(0.5, 2.0),
            conversion_room: scaled(0.8, 2.5),
            day_budget: rounded((1.0 + 0.4 * bumped).min(1.8)),
            multipath_extra: (1..=24).rev().find(|extra| f64::from(*extra) <= 12.0 * e).unwrap_or(0),
            feed_weight: scaled(1.0, 3.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn multipliers(match_boost: f64, room: f64, day_budget: f64, extra: u32, feed: f64) -> Multipliers {
        Multipliers {
            match_boost,
            conversion_room: room,
            day_budget,
            multipath_extra: extra,
            feed_weight: feed,
        }
    }

    #[test]
    fn multipliers_follow_their_formulas_up_to_their_bounds() {
        let of = |excess| Multipliers::of(excess, excess);
        assert_eq!(of(0.0), multipliers(1.0, 1.0, 1.0, 0, 1.0));
        // e = .5: 1 + .25, 1 + .4, 1 + .2, floor(6), 1 + .5.
        assert_eq!(of(0.5), multipliers(1.25, 1.4, 1.2, 6, 1.5));
        // e = .33: 1 + .165, 1 + .264, 1 + .132, floor(3.96), 1 + .33.
        assert_eq!(of(0.33), multipliers(1.165, 1.264, 1.132, 3, 1.33));
        // e = 2: the room would be 2.6 and stops at 2.5.
        assert_eq!(of(2.0), multipliers(2.0, 2.5, 1.8, 24, 3.0));
        assert_eq!(of(1e9), of(2.0));
        assert_eq!(of(-1.0), of(0.0));
        assert_eq!(Multipliers::of(2.0, 0.0).day_budget, 1.0, "activity of callers raises the budget");
    }

    proptest! {
        #[test]
        fn no_multiplier_exceeds_its_bound(excess: f64) {
            let given = serde_json::to_value(Multipliers::of(excess, excess)).unwrap();
            for rule in RULES {
                let value = given[rule.name].as_f64().unwrap_or(f64::NAN);
                let least = if rule.name == "multipath_extra" { 0.0 } else { 1.0 };
                prop_assert!(excess.is_nan() || (least..=rule.most).contains(&value), "{} {}", rule.name, value);
            }
        }
    }
}
