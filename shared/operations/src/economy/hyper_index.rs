//! How fast the acceleration index changes, and which conditions for a dense network are met. The result is
//! computed from hourly samples, so it stays the same within an hour.

use crate::prelude::*;
use registry_domain::economy::hyper::Hyper;
use registry_domain::economy::{EXONOMICS_PATH, EXONOMICS_VERSION, Gauges};

pub struct HyperIndex;

/// How fast the index changes, and the thresholds (gates) of a dense network.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    #[serde(flatten)]
    hyper: Hyper,
}

impl Operation for HyperIndex {
    const NAME: &'static str = "hyper_index";
    const TITLE: &'static str = "Hyper index";
    const VERSION: Option<&'static str> = Some(EXONOMICS_VERSION);
    const DESCRIPTION: &'static str = "Returns the hyper index: how fast the acceleration index (recent \
        activity) changes per hour. It is computed from up to 24 hourly samples. Also returns the thresholds \
        (gates) of a dense network, for example for listings, outcomes and pairs used together, and which of \
        them are reached.";
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The hyper index is {hyper_index} | ; the network is {hyper_mode?dense|not dense yet}.",
        "Gates: [gates]{name}: {value} of {needs}",
    ];
    const ACTIONS: &'static [Action] = &[Action { path: EXONOMICS_PATH, name: "hyper_index" }];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let gauges = Gauges::read(app).await?;
        Ok(Answer { at: gauges.at, hyper: gauges.hyper() })
    }
}
