//! The value of the network, computed by a formula from measured values.

use crate::economy::Gauges;
use crate::economy::metcalfe::NetworkValue;
use crate::prelude::*;

pub struct ValueOfNetwork;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    #[serde(flatten)]
    network: NetworkValue,
    note: &'static str,
}

impl Operation for ValueOfNetwork {
    const NAME: &'static str = "network_value";
    const TITLE: &'static str = "Network value";
    const DESCRIPTION: &'static str = "Computes the network value V = k N^a (100C)^b (100O)^g (F+0.5)^d \
        from measured values. Use V to compare two states of a registry; it is not an amount of money. \
        Returns V with its inputs and exponents.";
    const PHRASES: &'static [&'static str] =
        &["what is the network value?", "compute the value of the network", "show the network value"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The network value is {value}, computed from N={inputs.N}, C={inputs.C}, O={inputs.O} and F={inputs.F}. {note}",
    ];
    const FAMILY: Option<Family> = Some(Family::EXONOMICS);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let gauges = Gauges::read(app).await?;
        Ok(Answer {
            at: gauges.at,
            network: gauges.network().valued(),
            note: "Without pairs used together, or without reported outcomes, the value is 0 for any number \
                of listings.",
        })
    }
}
