//! The acceleration index and the multipliers that are computed from it. Both are computed when requested,
//! from counts in the table that decrease with time.

use crate::economy::acceleration::{
    self, HALF_LIFE_HOURS, MAX_EXCESS, MIN_INDEX, MULTIPLIER_RULES, MultiplierRule,
};
use crate::economy::{Acceleration, Contribution, Multipliers};
use crate::prelude::*;

pub struct GetAcceleration;

/// The index and its multipliers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    #[serde(flatten)]
    acceleration: ShownAcceleration,
}

/// The index, its multipliers and its parts.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownAcceleration {
    /// From 1 (no recent events) to 3.
    acceleration_index: f64,
    /// The index minus 1.
    excess: f64,
    multipliers: Multipliers,
    /// How each multiplier is computed and what it scales.
    rules: Vec<MultiplierRule>,
    index_bounds: IndexBounds,
    /// After this number of hours, an event counts half.
    half_life_hours: u32,
    formula: &'static str,
    /// What each type of event adds to the index. `excess` is the sum of these values, at most 2.
    inputs: Vec<Contribution>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct IndexBounds {
    least: f64,
    most: f64,
}

impl From<Acceleration> for ShownAcceleration {
    fn from(found: Acceleration) -> Self {
        Self {
            acceleration_index: found.index,
            excess: found.excess,
            multipliers: found.multipliers(),
            rules: MULTIPLIER_RULES.into(),
            index_bounds: IndexBounds { least: MIN_INDEX, most: MIN_INDEX + MAX_EXCESS },
            half_life_hours: HALF_LIFE_HOURS,
            formula: acceleration::FORMULA,
            inputs: found.contributions,
        }
    }
}

impl Operation for GetAcceleration {
    const NAME: &'static str = "get_acceleration";
    const TITLE: &'static str = "Acceleration index";
    const DESCRIPTION: &'static str = "Returns the acceleration index, a number from 1 to 3 for the recent \
        activity of the registry. After 72 hours, an event counts half. Also returns what each type of event \
        adds to the index, and the multipliers that are computed from it, with what each multiplier scales.";
    const PHRASES: &'static [&'static str] =
        &["what is the acceleration index?", "get the acceleration", "show the multipliers"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The acceleration index is {acceleration_index}, between {index_bounds.least} and {index_bounds.most}. Its multipliers are {multipliers.match_boost} for matches and {multipliers.day_budget} for the daily budget.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns an index for the recent activity of the registry, and the multipliers that are \
            computed from this index.",
        &["registry", "acceleration", "multipliers", "statistics"],
    )];
    const FAMILY: Option<Family> = Some(Family::AUTOCATALYSIS);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let found = crate::economy::acceleration(app).await?;
        Ok(Answer { at: app.clock.now(), acceleration: found.into() })
    }
}
