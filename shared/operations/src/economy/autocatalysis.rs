//! Overview of autocatalysis (the growth of the registry). It returns the acceleration index, the phase of
//! the growth curve, what each event adds to the index, and endpoints.

use std::collections::BTreeMap;

use crate::economy::get_acceleration::{IndexBounds, Totals};
use crate::prelude::*;
use registry_domain::economy::acceleration::{self, HALF_LIFE_HOURS};
use registry_domain::economy::{
    self, AUTOCATALYSIS_PATH, AUTOCATALYSIS_VERSION, Contribution, Multipliers, Pace,
};

pub struct Autocatalysis;

/// The acceleration index and its parts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    model: &'static str,
    acceleration_index: f64,
    multipliers: Multipliers,
    /// The growth phase of the registry, computed from events per hour.
    s_curve: Pace,
    half_life_hours: u32,
    index_bounds: IndexBounds,
    /// What one event of each type adds to the index.
    bumps: BTreeMap<&'static str, f64>,
    formula: &'static str,
    /// What each type of event adds now.
    inputs: Vec<Contribution>,
    totals: Totals,
    /// The time of the latest hourly sample. Null before the first sample.
    sampled_at: Option<Moment>,
    endpoints: Endpoints,
    laws: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    overview: String,
    multipliers: String,
    exonomics: String,
}

const LAWS: [&str; 4] = [
    "The index is computed from counted events and from what the operator adds, which is shown separately as \
     operator_bump.",
    "After 72 hours, every event counts half. So the index returns to 1 if no events happen.",
    "The index never exceeds 3, and each multiplier has its own limit.",
    "If a multiplier scales nothing, `rules` says so.",
];

impl Operation for Autocatalysis {
    const NAME: &'static str = "autocatalysis";
    const TITLE: &'static str = "Growth of the activity";
    const VERSION: Option<&'static str> = Some(AUTOCATALYSIS_VERSION);
    const DESCRIPTION: &'static str = "Returns how the activity of the registry grows: the acceleration \
        index (recent activity, 1 to 3), what each event adds to it, and the growth phase (from events per \
        hour). Also returns totals, rules and endpoints. If you need only the index and its multipliers, use \
        get_acceleration.";
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The acceleration index is {acceleration_index} and the growth phase is {s_curve.phase}. There are {totals.listings} listings, {totals.outcomes} outcomes and {totals.demos} demos.",
    ];
    const ROUTES: &'static [Route] = &Route::family(AUTOCATALYSIS_PATH);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let measured = economy::measure(app).await?;
        let found = &measured.acceleration;
        Ok(Answer {
            at: measured.at,
            model: "Events increase an index, and the index decreases with time. The index scales limits of \
                the registry.",
            acceleration_index: found.index,
            multipliers: found.multipliers(),
            s_curve: measured.pace(),
            half_life_hours: HALF_LIFE_HOURS,
            index_bounds: IndexBounds::ALL,
            bumps: found.contributions.iter().map(|one| (one.event, one.weight)).collect(),
            formula: acceleration::FORMULA,
            inputs: found.contributions.clone(),
            totals: Totals::of(&measured),
            sampled_at: measured.sampled_at(),
            endpoints: Endpoints {
                overview: app.settings.url(AUTOCATALYSIS_PATH),
                multipliers: app.settings.url(&format!("{AUTOCATALYSIS_PATH}?action=multipliers")),
                exonomics: app.settings.url(economy::EXONOMICS_PATH),
            },
            laws: LAWS.into(),
        })
    }
}
