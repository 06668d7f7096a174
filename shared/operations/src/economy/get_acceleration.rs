//! The acceleration index and what it scales. Computed from decaying counts of the table when it is asked for, each part
//! of the sum beside the sum.

use crate::prelude::*;
use registry_domain::economy::acceleration::{self, HALF_LIFE_HOURS, LEAST_INDEX, MOST_EXCESS};
use registry_domain::economy::multipliers::{MultiplierRule, RULES};
use registry_domain::economy::{
    self, AUTOCATALYSIS_PATH, AUTOCATALYSIS_VERSION, Contribution, EXONOMICS_PATH, Multipliers,
};

pub struct GetAcceleration;

/// The index and its multipliers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    at: Moment,
    /// From 1, when nothing happens, to 3.
    acceleration_index: f64,
    /// The index less 1: `e` of the formulas.
    excess: f64,
    multipliers: Multipliers,
    /// How each multiplier is computed, and what it scales.
    rules: Vec<MultiplierRule>,
    index_bounds: IndexBounds,
    /// An event counts half after so many hours.
    half_life_hours: u32,
    formula: &'static str,
    /// What each event adds; the excess is their sum, and 2 at most.
    inputs: Vec<Contribution>,
}

/// What the index may be.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct IndexBounds {
    least: f64,
    most: f64,
}

impl IndexBounds {
    pub(super) const ALL: Self = Self { least: LEAST_INDEX, most: LEAST_INDEX + MOST_EXCESS };
}

impl Operation for GetAcceleration {
    const NAME: &'static str = "get_acceleration";
    const TITLE: &'static str = "Acceleration index";
    const DESCRIPTION: &'static str = "Tells the acceleration index (1 to 3: how much happened here lately, with a \
        half-life of 72 hours) and its multipliers: how each is computed and what it scales, with every event that \
        adds to it.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["what is the acceleration index?", "get the acceleration", "show the multipliers"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "get-acceleration",
        name: "Acceleration index",
        description: "Tells how much happened here lately as one index, and the multipliers that follow from it.",
        tags: &["registry", "acceleration", "multipliers", "statistics"],
    }];
    const ACTIONS: &'static [Action] = &[
        Action { path: AUTOCATALYSIS_PATH, names: &["multipliers"] },
        Action { path: EXONOMICS_PATH, names: &["multipliers"] },
    ];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let found = economy::acceleration(app).await?;
        Ok(Answer {
            ok: true,
            version: AUTOCATALYSIS_VERSION,
            at: app.clock.now(),
            acceleration_index: found.index,
            excess: found.excess,
            multipliers: Multipliers::of(found.excess),
            rules: RULES.into(),
            index_bounds: IndexBounds::ALL,
            half_life_hours: HALF_LIFE_HOURS,
            formula: acceleration::FORMULA,
            inputs: found.contributions,
        })
    }
}
