//! Statistics of the funnel: the counts of its steps, the ratings of each product, why probes fail today, and
//! recommendations. Every number is a counter. Feedback that is an unchanged draft is not part of the averages.

use crate::prelude::*;
use crate::products::lessons::{self, FunnelStage, Gap, Lessons, Rating, percent};
use registry_domain::funnel::{self, Unlock};

/// Fewer ratings give no recommendation.
const MIN_RATINGS: u32 = 3;
/// A lower average gives a recommendation to improve the product.
const MIN_GOOD_AVERAGE: f64 = 4.0;

pub struct GetLearning;

/// The statistics and recommendations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    updated_at: Moment,
    /// The number of listings in each stage.
    funnel: Vec<FunnelStage>,
    /// The founding seats.
    seats: Seats,
    /// How much feedback is missing until payments open.
    unlock: Unlock,
    feedback: FeedbackCounts,
    /// The ratings of each product.
    products: Vec<RatedProduct>,
    /// Why probes were not `ok` today, the most frequent first.
    top_gaps: Vec<Gap>,
    /// Recommendations from these numbers.
    recommendations: Vec<Recommendation>,
    next: NextStep,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Seats {
    seats: u32,
    claimed: u32,
    remaining: u32,
}

/// The number of feedback messages; their texts are not public.
#[derive(Debug, Serialize, JsonSchema)]
struct FeedbackCounts {
    agents: u32,
    mcps: u32,
    /// The number of unchanged drafts. They are not part of the averages.
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

/// A recommendation.
#[derive(Debug, Serialize, JsonSchema)]
struct Recommendation {
    id: &'static str,
    /// What to do.
    text: String,
    /// The numbers that support the recommendation.
    because: String,
}

impl Operation for GetLearning {
    const NAME: &'static str = "get_learning";
    const TITLE: &'static str = "Funnel statistics";
    const DESCRIPTION: &'static str = "Returns how many listings reached each stage (live, demo, feedback, \
        seat), and which share of them reached the next stage. Also returns product ratings, the reasons why \
        probes failed today with fixes, and recommendations. Contains no texts of users.";
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "Stages: [funnel]{id} {total} | ({of_stage_before_pct} % of the stage before)",
        "{seats.remaining} of {seats.seats} founding seats are left; the mean rating is {feedback.average}.",
        "[recommendations]{text}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "conversion-path",
        name: "Conversion path",
        description: "Returns how many listings reached each stage from Live to a founding seat, and which \
            share reached the next stage.",
        tags: &["registry", "funnel", "statistics"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/learning").cached_for(30)];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let learned = lessons::read(app).await?;
        let counts = &learned.live.funnel;
        let deal = funnel::deal(&app.settings, counts.seats_claimed);
        let unlock = learned.unlock(app);
        let product = |sku: Sku| RatedProduct { sku, name: sku.title(), rating: learned.rating(sku) };
        Ok(Answer {
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
                "The same numbers as entries. Each entry has an action that you can take.",
            ),
        })
    }
}

fn recommendations(learned: &Lessons, unlock: &Unlock, seats: u32) -> Vec<Recommendation> {
    let mut all = Vec::new();
    let mut add = |id, text: String, because| all.push(Recommendation { id, text, because });
    if let Some(Gap { reason, count, fix, .. }) = learned.gaps().into_iter().next() {
        let text = fix.unwrap_or_else(|| "See the reasons in check_status.".to_owned());
        let because = format!(
            "Of {} probes that were not ok today, {count} failed because of `{reason}`.",
            learned.not_ok()
        );
        add("fix_the_top_gap", text, because);
    }
    let (live, demos) = (learned.live.agents + learned.live.mcps, learned.demos());
    let (feedback, drafts) = (learned.feedback(), learned.drafts());
    if live > demos {
        let text = "Take the free demo. Send the request `take_demo` of your row.".to_owned();
        add("take_the_demo", text, format!("{live} listings are Live, and {demos} demos were taken."));
    }
    if demos > feedback {
        let share = percent(feedback, demos).unwrap_or(0);
        let reward = match seats {
            0 => "a code for 25 % off".to_owned(),
            _ => format!("one of the {seats} founding seats that are left"),
        };
        add(
            "send_feedback",
            format!("Send the example_body of the demo with your own answers. The reward is {reward}."),
            format!("{feedback} listings gave feedback on {demos} demos: {share} %."),
        );
    }
    if drafts > 0 {
        let text = "Before you send the draft, change its answers and its rating. Unchanged drafts are not \
            part of the averages.";
        let because = format!("{drafts} of {feedback} listings sent the feedback draft unchanged.");
        add("answer_in_your_own_words", text.to_owned(), because);
    }
    for sku in Sku::ALL {
        let Rating { ratings, average: Some(average), .. } = learned.rating(sku) else { continue };
        if ratings >= MIN_RATINGS && average < MIN_GOOD_AVERAGE {
            let name = sku.title();
            add(
                "improve_a_product",
                format!("Help to improve {name} or its demo. Write in product_one_ship what to change."),
                format!("The average of {ratings} ratings is {average:.2} of 5."),
            );
        }
    }
    if !unlock.payments_open {
        let text =
            "Give feedback on a demo. If there is enough feedback, payments open for everyone.".to_owned();
        add("open_payments", text, unlock.message.clone());
    }
    all
}
