//! How fast the acceleration index changes. This number is meaningful only in a dense network. So this module also
//! checks a list of conditions (`gates`). Each condition has a measured value and the minimum that it must reach. The
//! conditions and minimums come from the original registry, an earlier system with the same API.

use super::rounded;
use crate::prelude::*;

pub const SAMPLES: usize = 24;
/// Gates that must pass, in addition to the number of listings.
pub const GATES_NEEDED: usize = 3;

/// One gate: a number and its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Gate {
    /// The name of the number that is checked.
    pub name: &'static str,
    /// The measured value.
    pub value: f64,
    /// The threshold: the minimum value that passes.
    pub needs: f64,
    /// Whether the value reaches the threshold.
    pub passed: bool,
}

/// The inputs from which the change of the index is computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct IndexChange {
    /// The number of hourly samples that were compared.
    pub samples: usize,
    /// The index in the first sample. Null if there is no sample yet.
    pub first: Option<f64>,
    /// The index in the last sample. Null if there is no sample yet.
    pub last: Option<f64>,
    /// The number of hours between the first and the last sample.
    pub hours: f64,
}

/// How fast the acceleration index changes, and whether the network is dense.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Hyper {
    /// The change of the acceleration index per hour.
    pub hyper_index: f64,
    /// Whether enough gates (thresholds of a dense network) are passed. The network value then has larger exponents.
    pub hyper_mode: bool,
    /// The thresholds that decide about `hyper_mode`.
    pub gates: Vec<Gate>,
    /// How `hyper_index` and `hyper_mode` are computed.
    pub rule: &'static str,
    /// The inputs from which `hyper_index` is computed.
    pub inputs: IndexChange,
}

const RULE: &str = "hyper_index = (last - first) / hours, from at most 24 hourly samples, and 0 below one \
    hour; hyper_mode is true if the gate min_active and at least 3 other gates are passed, and then network_value uses \
    the exponents of a dense network";

/// The least value of each gate; the last gate is always required.
const GATES: [(&str, f64); 6] = [
    ("composition_density", 0.08),
    ("outcome_coverage", 0.05),
    ("trail_heat", 12.0),
    ("federation_peers", 2.0),
    ("acceleration_index", 1.2),
    ("min_active", 30.0),
];

impl Hyper {
    /// `measured` are the values of the gates, in the order of [`GATES`].
    pub fn of(inputs: IndexChange, measured: [f64; 6]) -> Self {
        let gate = |((name, needs), value)| Gate { name, value, needs, passed: value >= needs };
        let gates: Vec<Gate> = GATES.into_iter().zip(measured).map(gate).collect();
        let change = inputs.first.zip(inputs.last);
        Self {
            hyper_index: change.map_or(0.0, |(first, last)| index_per_hour(first, last, inputs.hours)),
            hyper_mode: is_hyper(&gates),
            gates,
            rule: RULE,
            inputs,
        }
    }
}

fn is_hyper(gates: &[Gate]) -> bool {
    let Some((min_active, others)) = gates.split_last() else { return false };
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
    fn hourly_change_of_the_index_matches_values_calculated_by_hand() {
        assert_eq!(index_per_hour(1.2, 1.8, 24.0), 0.025);
        assert_eq!(index_per_hour(2.0, 1.5, 10.0), -0.05);
        assert_eq!(index_per_hour(1.0, 3.0, 0.9), 0.0, "samples within an hour show no speed");
    }

    #[test]
    fn hyper_mode_requires_three_met_conditions_and_thirty_listings() {
        let inputs = IndexChange { samples: 0, first: None, last: None, hours: 0.0 };
        let hyper = |measured| Hyper::of(inputs, measured).hyper_mode;
        assert!(!hyper([0.0; 6]));
        assert!(!hyper([0.08, 0.05, 12.0, 0.0, 0.0, 0.0]), "no listings");
        assert!(hyper([0.08, 0.05, 12.0, 0.0, 0.0, 30.0]));
        assert!(!hyper([0.08, 0.05, 12.0, 0.0, 0.0, 29.0]));
        assert!(!hyper([0.0, 0.0, 0.0, 2.0, 1.2, 1000.0]), "two gates");
        assert!(!hyper([0.0, 0.0, 11.999, 2.0, 1.2, 1000.0]));
        assert!(hyper([0.0, 0.0, 12.0, 2.0, 1.2, 1000.0]));
    }
}
