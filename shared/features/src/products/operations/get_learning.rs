//! Statistics of the funnel: the counts of its steps, the ratings of each product, and why probes fail today.
//! Every number is a counter. Feedback that is a draft is not part of the averages.

use crate::funnel::{self, Unlock};
use crate::prelude::*;
use crate::products::lessons::{FunnelStage, Gap, Lessons, Rating};

pub struct GetLearning;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    updated_at: Moment,
    /// The count of each stage. `counts` says of what.
    funnel: Vec<FunnelStage>,
    seats: Seats,
    /// How much feedback is missing until payments open.
    unlock: Unlock,
    feedback: FeedbackCounts,
    products: Vec<RatedProduct>,
    /// Why probes were not `ok` today, the most frequent first; at most 9 reasons, none for correct sign-ins.
    top_gaps: Vec<Gap>,
    next: NextStep,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Seats {
    seats: u32,
    claimed: u32,
    remaining: u32,
}

/// The feedback messages, with drafts; `unlock` counts only those in own words. Their texts are not public.
#[derive(Debug, Serialize, JsonSchema)]
struct FeedbackCounts {
    received_agents: u32,
    received_mcps: u32,
    /// The number of drafts among them. They are not part of the averages.
    drafts: u32,
    #[serde(flatten)]
    rating: Rating,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RatedProduct {
    sku: Sku,
    name: &'static str,
    #[serde(flatten)]
    rating: Rating,
}

impl Operation for GetLearning {
    const NAME: &'static str = "get_learning";
    const TITLE: &'static str = "Funnel statistics";
    const DESCRIPTION: &'static str = "Returns the count of each stage: Live listings, demos (one for each \
        listing and product), feedback (with drafts) and seats, the last two with their share of the count before. Also \
        returns product ratings, and why probes did not pass today, with fixes. Contains no texts of users.";
    const PHRASES: &'static [&'static str] =
        &["how many demos lead to feedback?", "show the conversion path", "what did the registry learn?"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "Demos are one for each listing and product. Counts: [funnel]{id} {total} | ({of_stage_before_pct} % of the count before)",
        "{seats.remaining} of {seats.seats} founding seats are left | ; the mean rating is {feedback.average}.",
        "Why probes were not ok today, apart from correct sign-ins: [top_gaps]{reason} ({count})",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "conversion-path",
        name: "Conversion path",
        description: "Returns the counts of Live listings, demos, feedback and founding seats, the last two with \
            their share of the count before.",
        tags: &["registry", "funnel", "statistics"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/learning").cached_for(30)];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let learned = Lessons::read(app).await?;
        let counts = &learned.live.funnel;
        let deal = funnel::deal(&app.settings, counts.seats_claimed);
        let product = |sku: Sku| RatedProduct { sku, name: sku.title(), rating: learned.rating(sku) };
        Ok(Answer {
            updated_at: learned.at,
            funnel: learned.stages(),
            seats: Seats { seats: deal.seats, claimed: deal.claimed, remaining: deal.remaining },
            feedback: FeedbackCounts {
                received_agents: counts.feedback_agents,
                received_mcps: counts.feedback_mcps,
                drafts: learned.drafts(),
                rating: learned.rating_of_all(),
            },
            products: Sku::ALL.map(product).into(),
            top_gaps: learned.gaps(),
            unlock: funnel::unlock(&app.settings, counts),
            next: NextStep::get(
                "improvement_log",
                app.settings.url("/api/products/improvement-log"),
                json!({}),
                "The problems in these numbers, each with an action that you can take.",
            ),
        })
    }
}
