//! The growth curves of the registry with their phases. They compare hourly samples: now, one day ago and two days ago.

use crate::economy::Gauges;
use crate::economy::s_curve::{Curve, RULE};
use crate::prelude::*;

pub struct SCurveBoard;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    s_curves: Vec<Curve>,
    /// How the phase is determined.
    rule: &'static str,
    /// The time of the latest hourly sample. Null before the first sample.
    sampled_at: Option<Moment>,
}

impl Operation for SCurveBoard {
    const NAME: &'static str = "s_curve_board";
    const TITLE: &'static str = "Growth curves";
    const DESCRIPTION: &'static str = "Returns the growth curves of this registry, for example for listings, \
        outcomes and demos. Each curve contains the current value, the growth of the last two days and the \
        growth phase. It also shows whether the growth gets faster.";
    const PHRASES: &'static [&'static str] =
        &["show the growth curves", "show the S-curve board", "what grows in this registry?"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &["[s_curves]{label}: {value} | , phase {phase}"];
    const FAMILY: Option<Family> = Some(Family::EXONOMICS);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let gauges = Gauges::read(app).await?;
        Ok(Answer { at: gauges.at, s_curves: gauges.curves(), rule: RULE, sampled_at: gauges.sampled_at() })
    }
}
