//! How fast the acceleration index changes, and which conditions for a dense network are met. The result is
//! computed from hourly samples, so it stays the same within an hour.

use crate::economy::Gauges;
use crate::economy::hyper::Hyper;
use crate::prelude::*;

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
    const DESCRIPTION: &'static str = "Returns the hyper index: how fast the acceleration index (recent \
        activity) changes per hour. It is computed from up to 24 hourly samples. Also returns the thresholds \
        (gates) of a dense network, for example for listings, outcomes and pairs used together, and which of \
        them are reached.";
    const PHRASES: &'static [&'static str] = &[
        "how fast does the acceleration index change?",
        "what is the hyper index?",
        "show the hyper index",
        "which hyper gates are passed?",
    ];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The hyper index is {hyper_index} | ; the network is {hyper_mode?dense|not dense yet}.",
        "Gates: [gates]{name}: {value} of {needs} ({passed?passed|not passed})",
    ];
    const FAMILY: Option<Family> = Some(Family::EXONOMICS);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let gauges = Gauges::read(app).await?;
        Ok(Answer { at: gauges.at, hyper: gauges.hyper() })
    }
}
