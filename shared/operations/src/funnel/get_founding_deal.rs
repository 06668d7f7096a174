//! The founding offer: how many free seats are left, and the steps to get a seat.

use crate::prelude::*;
use registry_domain::funnel::{self, Deal, Stage};

pub struct GetFoundingDeal;

/// The founding offer and the steps to get it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The offer, with the number of seats taken and left.
    deal: Deal,
    /// The stages from listing to a seat.
    stages: Vec<Stage>,
}

impl Operation for GetFoundingDeal {
    const NAME: &'static str = "get_founding_deal";
    const TITLE: &'static str = "Founding offer";
    const DESCRIPTION: &'static str = "Returns the founding offer: the first listings that complete the demo \
        and the feedback get a full product, free and without checkout. Shows how many seats exist, and how \
        many are taken and left. Also returns the steps from publishing a listing to the product.";
    const EFFECT: Effect = Effect::READS;
    const PHRASES: &'static [&'static str] =
        &["what is the founding deal?", "how many founding seats are left?", "show the founding offer"];
    const SENTENCES: &'static [&'static str] = &[
        "how many of the free founder places are still open",
        "any of those free early seats still open?",
        "how many of the free founding places are there still?",
        "what is your special offer for early listings?",
        "how many of the hundred places are taken?",
        "what do the first hundred get?",
        "are there free seats remaining?",
        "how many free seats remain?",
        "how many seats are still available?",
        "is the free offer for the first hundred still open?",
        "can I still get the full product for free?",
        "what is the founding offer about?",
        "are any of the free places left?",
        "how do I get a founding seat?",
    ];
    const SUMMARY: &'static [&'static str] = &[
        "{deal.remaining} of {deal.seats} founding seats are left; {deal.claimed} are taken. {deal.one_liner}",
        "How to get one: [stages]{label}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "get-founding-deal",
        name: "Founding offer",
        description: "Returns the founding offer, the number of seats left and the steps to get one.",
        tags: &["registry", "founding", "deal"],
    }];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let settings = &app.settings;
        let claimed = app.store.live().await?.funnel.seats_claimed;
        Ok(Answer { deal: funnel::deal(settings, claimed), stages: funnel::stages(settings) })
    }
}
