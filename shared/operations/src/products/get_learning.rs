//! What the registry learned: the funnel's stages with their counts, ratings by product, why probes fail today, and what
//! follows from it. Every figure is a counter; drafts that were sent as they came count in no average.

use crate::prelude::*;
use crate::products::lessons::{self, FunnelStage, Gap, Lessons, Rating, percent};
use registry_domain::funnel::{self, Unlock};
use registry_model::Sku;

/// Fewer ratings say nothing of a product.
const ENOUGH_RATINGS: u32 = 3;
/// A product that is rated lower is to be improved.
const GOOD_AVERAGE: f64 = 4.0;

pub struct GetLearning;

/// Nothing needs to be said.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {}

/// What was learned.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    updated_at: Moment,
    /// How many came to each stage.
    funnel: Vec<FunnelStage>,
    /// The founding seats.
    seats: Seats,
    /// How far payments are from opening.
    unlock: Unlock,
    feedback: FeedbackCounts,
    /// Each product, as it was rated.
    products: Vec<RatedProduct>,
    /// Why probes were not `ok` today, the most frequent first.
    top_gaps: Vec<Gap>,
    /// What follows from these numbers.
    recommendations: Vec<Recommendation>,
    /// What to do next.
    next: NextStep,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Seats {
    seats: u32,
    claimed: u32,
    remaining: u32,
}

/// Feedback in numbers; what was written is shown nowhere.
#[derive(Debug, Serialize, JsonSchema)]
struct FeedbackCounts {
    agents: u32,
    mcps: u32,
    /// The draft as it came: it completes a round and counts in no average.
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

/// What follows from a number.
#[derive(Debug, Serialize, JsonSchema)]
struct Recommendation {
    id: &'static str,
    /// What to do.
    text: String,
    /// The numbers that say so.
    because: String,
}

impl Operation for GetLearning {
    const NAME: &'static str = "get_learning";
    const TITLE: &'static str = "What the registry learned";
    const DESCRIPTION: &'static str = "Tells how many listings came to each stage of the funnel (live, demo, feedback, \
        seat) and what share went on, how the products are rated, why probes fail today and how to fix it, and what \
        follows. Numbers only.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["show the conversion path", "how many demos lead to feedback?", "what did the registry learn?"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "conversion-path",
        name: "Conversion path",
        description: "Tells how many listings came to each stage from Live to a founding seat, and what share went on.",
        tags: &["registry", "funnel", "statistics"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/learning").kept_for(30)];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, Arguments {}: Arguments) -> Result<Answer, Problem> {
        let learned = lessons::read(app).await?;
        let counts = &learned.live.funnel;
        let deal = funnel::deal(&app.settings, counts.seats_claimed);
        let unlock = learned.unlock(app);
        let product = |sku: Sku| RatedProduct { sku, name: sku.title(), rating: learned.rating(sku) };
        Ok(Answer {
            ok: true,
            updated_at: learned.at,
            funnel: learned.stages(),
            seats: Seats { seats: deal.seats, claimed: deal.claimed, remaining: deal.remaining },
            feedback: FeedbackCounts {
                agents: counts.feedback_agents,
                mcps: counts.feedback_mcps,
                drafts: learned.drafts(),
                rating: learned.rating_of_all(),
            },
            products: Sku::ALL.map(product).into(),
            top_gaps: learned.gaps(),
            recommendations: recommendations(&learned, &unlock, deal.remaining),
            unlock,
            next: NextStep::get(
                "improvement_log",
                app.settings.url("/api/products/improvement-log"),
                json!({}),
                "The same as entries, each with what is asked of whom.",
            ),
        })
    }
}

/// What follows; a number that says nothing has no line.
fn recommendations(learned: &Lessons, unlock: &Unlock, seats: u32) -> Vec<Recommendation> {
    let mut all = Vec::new();
    if let Some(gap) = learned.gaps().into_iter().next() {
        all.push(Recommendation {
            id: "fix_the_top_gap",
            text: gap.fix.unwrap_or_else(|| "Read the reasons in check_status.".to_owned()),
            because: format!(
                "`{}` ended {} of {} probes that were not ok today.",
                gap.reason,
                gap.count,
                learned.not_ok()
            ),
        });
    }
    let (live, demos, feedback) =
        (learned.live.agents + learned.live.mcps, learned.demos(), learned.feedback());
    if live > demos {
        all.push(Recommendation {
            id: "take_the_demo",
            text: "Take the demo with take_demo of your row: it is free.".to_owned(),
            because: format!("{live} listings are Live, and {demos} demos were taken."),
        });
    }
    if demos > feedback {
        let share = percent(feedback, demos).unwrap_or(0);
        let brings = match seats {
            0 => "it brings a code for 25 percent off".to_owned(),
            _ => format!("it brings one of {seats} founding seats that are left"),
        };
        all.push(Recommendation {
            id: "send_feedback",
            text: format!("Send the demo's example_body with your own answers: {brings}."),
            because: format!("{feedback} listings gave feedback on {demos} demos: {share} percent."),
        });
    }
    if learned.drafts() > 0 {
        all.push(Recommendation {
            id: "answer_in_your_own_words",
            text: "Change the draft's answers and rating before sending: a draft as it came counts in no average."
                .to_owned(),
            because: format!("{} of {feedback} feedbacks were the draft as it came.", learned.drafts()),
        });
    }
    for sku in Sku::ALL {
        let Rating { ratings, average: Some(average), .. } = learned.rating(sku) else { continue };
        if ratings >= ENOUGH_RATINGS && average < GOOD_AVERAGE {
            all.push(Recommendation {
                id: "improve_a_product",
                text: format!(
                    "Improve {}, or its demo: say in product_one_ship what to change.",
                    sku.title()
                ),
                because: format!("{ratings} ratings give it {average:.2} of 5."),
            });
        }
    }
    if !unlock.payments_open {
        all.push(Recommendation {
            id: "open_payments",
            text: "Give feedback on a demo: it opens payments for everybody.".to_owned(),
            because: unlock.message.clone(),
        });
    }
    all
}
