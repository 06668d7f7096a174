//! The curves of everything that grows here, each with its phase. From the hourly samples: now, a day ago, two days ago.

use crate::prelude::*;
use registry_domain::economy::s_curve::{Curve, RULE};
use registry_domain::economy::{self, EXONOMICS_PATH, EXONOMICS_VERSION, Pace};

pub struct SCurveBoard;

/// The curves.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    at: Moment,
    /// Each thing that grows.
    s_curves: Vec<Curve>,
    /// How a phase follows from the inputs.
    rule: &'static str,
    /// The registry as a whole, by what happens in an hour.
    pace: Pace,
    /// The latest hourly sample; null before there is one.
    sampled_at: Option<Moment>,
}

impl Operation for SCurveBoard {
    const NAME: &'static str = "s_curve_board";
    const TITLE: &'static str = "S-curves";
    const DESCRIPTION: &'static str = "Shows what grows in this registry (listings, trails, compositions, outcomes, \
        federation, demos, identity, attestations): the value now, its growth of the last two days, its phase on an S-curve, and \
        whether it accelerates.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["show the S-curve board", "show the growth curves", "what grows in this registry?"];
    const ACTIONS: &'static [Action] =
        &[Action { path: EXONOMICS_PATH, names: &["s_curves", "s_curve_board"] }];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let measured = economy::measure(app).await?;
        Ok(Answer {
            ok: true,
            version: EXONOMICS_VERSION,
            at: measured.at,
            s_curves: measured.curves(),
            rule: RULE,
            pace: measured.pace(),
            sampled_at: measured.sampled_at(),
        })
    }
}
