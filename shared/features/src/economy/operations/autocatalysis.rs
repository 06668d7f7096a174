//! Overview of autocatalysis (the growth of the registry). It returns the acceleration index with its parts, the totals
//! and their growth curves.

use super::get_acceleration::ShownAcceleration;
use crate::economy::s_curve::Curve;
use crate::economy::{AUTOCATALYSIS_PATH, AUTOCATALYSIS_VERSION, Gauges};
use crate::prelude::*;
use registry_model::EconomyTotals;

pub struct Autocatalysis;

/// The acceleration index and its parts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    model: &'static str,
    #[serde(flatten)]
    acceleration: ShownAcceleration,
    /// The growth curve of each total.
    s_curves: Vec<Curve>,
    totals: EconomyTotals,
    /// The time of the latest hourly sample. Null before the first sample.
    sampled_at: Option<Moment>,
}

impl Operation for Autocatalysis {
    const NAME: &'static str = "autocatalysis";
    const TITLE: &'static str = "Growth of the activity";
    const VERSION: Option<&'static str> = Some(AUTOCATALYSIS_VERSION);
    const DESCRIPTION: &'static str = "Returns how the activity of the registry grows: the acceleration \
        index (recent activity, 1 to 3), what each event adds to it, and the totals with their growth \
        phases. If you need only the index and its multipliers, use get_acceleration.";
    const PHRASES: &'static [&'static str] = &[
        "how fast does the activity grow?",
        "show autocatalysis",
        "how does autocatalysis stand?",
        "which phase of the S-curve is autocatalysis in?",
    ];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The acceleration index is {acceleration_index}. Now: {totals.listings#Live listing}. So far: {totals.outcomes#outcome} and {totals.demos#demo}.",
    ];
    const ROUTES: &'static [Route] = &Route::family(AUTOCATALYSIS_PATH);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let gauges = Gauges::read(app).await?;
        Ok(Answer {
            at: gauges.at,
            model: "Events increase an index, and the index decreases with time. `rules` says what it scales.",
            s_curves: gauges.curves(),
            totals: gauges.totals,
            sampled_at: gauges.sampled_at(),
            acceleration: gauges.acceleration.into(),
        })
    }
}
