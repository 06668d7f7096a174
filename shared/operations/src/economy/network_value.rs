//! The value of the network by a formula, for the measured inputs or for inputs from the caller. If an
//! argument is omitted, its measured value is used.

use crate::prelude::*;
use registry_domain::economy::network_value::{MAX_LISTINGS, MAX_PEERS, Network, NetworkValue};
use registry_domain::economy::{self, EXONOMICS_PATH, EXONOMICS_VERSION};

pub struct ValueOfNetwork;

/// Inputs of the formula. For an input that is left out, the measured value is used.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// Number of Live listings.
    #[serde(rename = "N", alias = "n")]
    #[schemars(range(min = 0.0, max = 1e9))]
    listings: Option<f64>,
    /// Compositions per listing, 0 to 1.
    #[serde(rename = "C", alias = "c")]
    #[schemars(range(min = 0.0, max = 1.0))]
    compositions: Option<f64>,
    /// Outcomes per listing, 0 to 1.
    #[serde(rename = "O", alias = "o")]
    #[schemars(range(min = 0.0, max = 1.0))]
    outcomes: Option<f64>,
    /// Number of federation peers.
    #[serde(rename = "F", alias = "f")]
    #[schemars(range(min = 0.0, max = 1e6))]
    peers: Option<f64>,
    /// Whether to use the exponents of a dense network.
    dense: Option<bool>,
}

/// The value with its inputs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    at: Moment,
    #[serde(flatten)]
    network: NetworkValue,
    /// The names of the inputs from the arguments; the other inputs are measured.
    given: Vec<&'static str>,
    note: &'static str,
}

impl Operation for ValueOfNetwork {
    const NAME: &'static str = "network_value";
    const TITLE: &'static str = "Network value";
    const DESCRIPTION: &'static str = "Computes V = k N^a (100C)^b (100O)^g (F+0.5)^d from measured values, \
        or from the N, C, O and F that you pass. Use V to compare states of a registry; it is not an amount \
        of money. Returns V with its inputs and exponents.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"N": 100, "C": 0.1, "O": 0.2, "F": 2, "dense": false}"#;
    const PHRASES: &'static [&'static str] =
        &["what is the network value?", "compute the value of the network", "show the network value"];
    const ACTIONS: &'static [Action] = &[Action { path: EXONOMICS_PATH, names: &["value", "network_value"] }];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let given = [
            ("N", arguments.listings, MAX_LISTINGS),
            ("C", arguments.compositions, 1.0),
            ("O", arguments.outcomes, 1.0),
            ("F", arguments.peers, MAX_PEERS),
        ];
        for (name, value, most) in given {
            if value.is_some_and(|value| !(0.0..=most).contains(&value)) {
                let detail = format!("`{name}` must be a number from 0 to {most}.");
                return Err(Problem::invalid(name, "out_of_range", detail));
            }
        }
        let measured = economy::measure(app).await?;
        let known = measured.network();
        let network = Network {
            listings: arguments.listings.unwrap_or(known.listings),
            compositions: arguments.compositions.unwrap_or(known.compositions),
            outcomes: arguments.outcomes.unwrap_or(known.outcomes),
            peers: arguments.peers.unwrap_or(known.peers),
            dense: arguments.dense.unwrap_or(known.dense),
        };
        Ok(Answer {
            ok: true,
            version: EXONOMICS_VERSION,
            at: measured.at,
            network: network.valued(),
            given: given.into_iter().filter_map(|(name, value, _)| value.map(|_| name)).collect(),
            note: "Without compositions or outcomes the value is 0 for any number of listings.",
        })
    }
}
