//! The value of the network, computed by a formula. The inputs are measured values or values from the caller.
//! If the caller omits an argument, its measured value is used.

use crate::prelude::*;
use registry_domain::economy::network_value::{MAX_LISTINGS, MAX_PEERS, Network, NetworkValue};
use registry_domain::economy::{self, EXONOMICS_PATH, EXONOMICS_VERSION};

pub struct ValueOfNetwork;

/// The inputs of the formula. If you do not send an input, its measured value is used.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The number of Live listings.
    #[serde(rename = "N", alias = "n")]
    #[schemars(range(min = 0.0, max = 1e9))]
    listings: Option<f64>,
    /// The number of pairs used together, per listing, from 0 to 1.
    #[serde(rename = "C", alias = "c")]
    #[schemars(range(min = 0.0, max = 1.0))]
    compositions: Option<f64>,
    /// The number of reported outcomes per listing, from 0 to 1.
    #[serde(rename = "O", alias = "o")]
    #[schemars(range(min = 0.0, max = 1.0))]
    outcomes: Option<f64>,
    /// The number of other registries that this registry reads.
    #[serde(rename = "F", alias = "f")]
    #[schemars(range(min = 0.0, max = 1e6))]
    peers: Option<f64>,
    /// Whether to use the exponents of a dense network. Default: false.
    dense: Option<bool>,
}

/// The value with its inputs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    #[serde(flatten)]
    network: NetworkValue,
    /// The names of the inputs that you sent. The other inputs are measured.
    given: Vec<&'static str>,
    note: &'static str,
}

impl Operation for ValueOfNetwork {
    const NAME: &'static str = "network_value";
    const TITLE: &'static str = "Network value";
    const VERSION: Option<&'static str> = Some(EXONOMICS_VERSION);
    const DESCRIPTION: &'static str = "Computes the network value V = k N^a (100C)^b (100O)^g (F+0.5)^d. You \
        can pass N, C, O and F; for the others, measured values are used. Use V to compare two states of a \
        registry; it is not an amount of money. Returns V with its inputs and exponents.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"N": 100, "C": 0.1, "O": 0.2, "F": 2, "dense": false}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The network value is {value}, computed from N={inputs.N}, C={inputs.C}, O={inputs.O} and F={inputs.F}. {note}",
    ];
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
            at: measured.at,
            network: network.valued(),
            given: given.into_iter().filter_map(|(name, value, _)| value.map(|_| name)).collect(),
            note: "Without pairs used together, or without reported outcomes, the value is 0 for any number \
                of listings.",
        })
    }
}
