//! The founding offer: how many free seats are left, and the steps that lead to one. Derived from the settings, so
//! that no table is read.

use crate::prelude::*;
use registry_domain::funnel::{self, Deal, Stage};

pub struct GetFoundingDeal;

/// Nothing needs to be said.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {}

/// The offer, and the way to it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    /// The offer and its seat meter.
    deal: Deal,
    /// The stages that lead there.
    stages: Vec<Stage>,
}

impl Operation for GetFoundingDeal {
    const NAME: &'static str = "get_founding_deal";
    const TITLE: &'static str = "Founding offer";
    const DESCRIPTION: &'static str = "Tells the founding offer: how many seats there are, how many are taken and \
        left, and the steps from listing to a full product, free and without checkout.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["what is the founding deal?", "how many founding seats are left?", "show the founding offer"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "get-founding-deal",
        name: "Founding offer",
        description: "Tells the founding offer, its seat meter and the way to a seat.",
        tags: &["registry", "founding", "deal"],
    }];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, Arguments {}: Arguments) -> Result<Answer, Problem> {
        let settings = &app.settings;
        let claimed = app.store.live().await?.funnel.seats_claimed;
        Ok(Answer { ok: true, deal: funnel::deal(settings, claimed), stages: funnel::stages(settings) })
    }
}
