//! The founding offer: how many free seats are left, and the steps to get a seat.

use crate::funnel::{Deal, Stage};
use crate::prelude::*;

pub struct GetFoundingDeal;

/// The founding offer and the steps to get it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The offer, with the number of seats taken and left.
    deal: Deal,
    /// The stages from listing to a product.
    stages: Vec<Stage>,
}

impl Operation for GetFoundingDeal {
    const NAME: &'static str = "get_founding_deal";
    const TITLE: &'static str = "Founding offer";
    const DESCRIPTION: &'static str = "Returns the founding offer: the first listings that complete the demo \
        and the feedback get a full product, free and without checkout. Shows how many seats exist, and how \
        many are taken and left. Also returns the steps from publishing a listing to the product.";
    const PHRASES: &'static [&'static str] =
        &["what is the founding deal?", "how many founding seats are left?", "show the founding offer"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "Founding seats left: {deal.remaining} of {deal.seats}; taken: {deal.claimed}. {deal.one_liner}",
        "The steps: [deal.path]{}",
        "Feedback that gets no seat earns a code for 25 percent off, which works while payments are open.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns the founding offer, the number of seats left and the steps to get one.",
        &["registry", "founding", "deal"],
    )];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let settings = &app.settings;
        let claimed = app.store.live().await?.funnel.seats_claimed;
        Ok(Answer { deal: crate::funnel::deal(settings, claimed), stages: crate::funnel::stages(settings) })
    }
}
