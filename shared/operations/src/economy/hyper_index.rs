//! The rate of change of the acceleration index, and the gates of a dense network. Read from hourly samples,
//! so it is constant within an hour.

use crate::prelude::*;
use registry_domain::economy::hyper::Hyper;
use registry_domain::economy::{self, EXONOMICS_PATH, EXONOMICS_VERSION};

pub struct HyperIndex;

/// The rate of change and the gates.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    at: Moment,
    #[serde(flatten)]
    hyper: Hyper,
}

impl Operation for HyperIndex {
    const NAME: &'static str = "hyper_index";
    const TITLE: &'static str = "Hyper index";
    const DESCRIPTION: &'static str = "Returns how fast the acceleration index changes per hour, computed \
        from up to 24 hourly samples. Also returns which gates of a dense network are passed: compositions, \
        outcomes, trail heat, federation peers, index, Live listings.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["what is the hyper index?", "show the hyper index", "which hyper gates are passed?"];
    const ACTIONS: &'static [Action] = &[Action { path: EXONOMICS_PATH, names: &["hyper", "hyper_index"] }];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (measured, heat) = futures::try_join!(economy::measure(app), economy::trail_heat(app))?;
        Ok(Answer { ok: true, version: EXONOMICS_VERSION, at: measured.at, hyper: measured.hyper(heat) })
    }
}
