//! How fast the acceleration index changes, and the gates that show whether the network is dense enough for that to be
//! meaningful. Gates and thresholds are the origin's.

use schemars::JsonSchema;
use serde::Serialize;

use super::rounded;

/// Hourly samples that are compared.
pub const SAMPLES: usize = 24;
/// Gates that must pass, in addition to the number of listings.
pub const GATES_NEEDED: usize = 3;

/// One condition of `hyper_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Gate {
    /// The name of the number that is checked.
    pub name: &'static str,
    /// The measured value.
    pub value: f64,
    /// The least value that passes.
    pub needs: f64,
    /// Whether the gate passes.
    pub passed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Density {
    /// Compositions for each Live listing, 0 to 1.
    pub composition_density: f64,
    /// Outcomes for each Live listing, 0 to 1.
    pub outcome_coverage: f64,
    /// The mean score of the strongest trails.
    pub trail_heat: f64,
    pub federation_peers: f64,
    pub acceleration_index: f64,
    pub active: f64,
}

/// What the change of the index is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct IndexChange {
    /// Hourly samples that were compared.
    pub samples: usize,
    /// The index in the first sample; null before there is one.
    pub first: Option<f64>,
    /// The index in the last sample; null before there is one.
    pub last: Option<f64>,
    /// Hours between the two samples.
    pub hours: f64,
}

/// How fast the index changes, and whether the network is dense.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Hyper {
    /// The change of the acceleration index per hour.
    pub hyper_index: f64,
    /// Whether enough gates pass.
    pub hyper_mode: bool,
    /// The conditions of `hyper_mode`.
    pub gates: Vec<Gate>,
    /// How `hyper_index` and `hyper_mode` are computed.
    pub rule: &'static str,
    /// What `hyper_index` is computed from.
    pub inputs: IndexChange,
}

const RULE: &str = "hyper_index = (last - first) / hours, over at most 24 hourly samples; hyper_mode needs min_active and at \
    least 3 of the other gates";

impl Hyper {
    #[must_use]
    pub fn of(inputs: IndexChange, density: &Density) -> Self {
        let change = inputs.first.zip(inputs.last);
        let gates = gates(density);
        Self {
            hyper_index: change.map_or(0.0, |(first, last)| index_per_hour(first, last, inputs.hours)),
            hyper_mode: is_hyper(&gates),
            gates: gates.into(),
            rule: RULE,
            inputs,
        }
    }
}

/// The last gate, the number of listings, is always required.
fn gates(density: &Density) -> [Gate; 6] {
    let gate = |name, value, needs| Gate { name, value, needs, passed: value >= needs };
    [
        gate("composition_density", density.composition_density, 0.08),
        gate("outcome_coverage", density.outcome_coverage, 0.05),
        gate("trail_heat", density.trail_heat, 12.0),
        gate("federation_peers", density.federation_peers, 2.0),
        gate("acceleration_index", density.acceleration_index, 1.2),
        gate("min_active", density.active, 30.0),
    ]
}

fn is_hyper(gates: &[Gate; 6]) -> bool {
    let [others @ .., min_active] = gates;
    min_active.passed && others.iter().filter(|gate| gate.passed).count() >= GATES_NEEDED
}

/// The change per hour; 0 when the two samples are less than an hour apart.
fn index_per_hour(first: f64, last: f64, hours: f64) -> f64 {
    if hours >= 1.0 { rounded((last - first) / hours) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_matches_a_hand_calculation() {
        assert_eq!(index_per_hour(1.2, 1.8, 24.0), 0.025);
        assert_eq!(index_per_hour(2.0, 1.5, 10.0), -0.05);
        assert_eq!(index_per_hour(1.0, 3.0, 0.9), 0.0, "samples within an hour show no speed");
    }

    #[test]
    fn hyper_mode_needs_three_gates_and_thirty_listings() {
        let none = Density::default();
        let three = Density { composition_density: 0.08, outcome_coverage: 0.05, trail_heat: 12.0, ..none };
        let hyper = |density: Density| is_hyper(&gates(&density));
        assert!(!hyper(none) && !hyper(three));
        assert!(hyper(Density { active: 30.0, ..three }));
        assert!(!hyper(Density { active: 29.0, ..three }));
        let two = Density { federation_peers: 2.0, acceleration_index: 1.2, active: 1000.0, ..none };
        assert!(!hyper(two));
        assert!(!hyper(Density { trail_heat: 11.999, ..two }));
        assert!(hyper(Density { trail_heat: 12.0, ..two }));
    }
}
