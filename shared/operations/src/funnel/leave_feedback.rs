//! Feedback after a demo: five answers, once per listing. It brings a founding seat while there are any (an access token,
//! no checkout), and a discount code afterwards.

use crate::prelude::*;
use registry_domain::funnel::{self, FeedbackGiven, GivenFeedback, Rewarded, Unlock};
use registry_model::settings::Settings;
use registry_model::{OrderId, Sku};

pub struct LeaveFeedback;

/// What the feedback brought.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    listing_id: ListingId,
    order_id: OrderId,
    sku: Sku,
    feedback: Taken,
    /// The founding seat, or that there was none left.
    founding_free: FoundingFree,
    /// Opens the full product; shown in this answer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    access_token: Option<String>,
    /// Where the token is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<Access>,
    /// The discount, where no seat was left.
    discount: Option<Discount>,
    /// How far payments are from opening.
    unlock: Unlock,
    message: String,
    /// What to do next.
    next: NextStep,
}

/// The feedback as it was taken.
#[derive(Debug, Serialize, JsonSchema)]
struct Taken {
    rating: u8,
    /// It was the draft as it came: it completes the round, and counts in no average.
    is_draft: bool,
}

/// A founding seat.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundingFree {
    granted: bool,
    /// Seats left.
    remaining: u32,
}

/// Where a token is used.
#[derive(Debug, Serialize, JsonSchema)]
struct Access {
    /// The product as JSON.
    access_url: String,
    /// The same as a tree of skills, as zip, as tar.gz.
    export_urls: Vec<String>,
}

/// A discount.
#[derive(Debug, Serialize, JsonSchema)]
struct Discount {
    /// Shown in this answer only.
    code: String,
    percent_off: u32,
    /// Held until payments open.
    usable_now: bool,
    /// How it is used.
    note: String,
}

impl Operation for LeaveFeedback {
    const NAME: &'static str = "leave_feedback";
    const ALIASES: &'static [&'static str] = &["submit_feedback"];
    const TITLE: &'static str = "Leave feedback on the demo";
    const DESCRIPTION: &'static str = "Takes a listing's feedback after its demo: a rating and five answers, once per \
        listing. The first hundred receive the full product free (an access token, shown once); later ones a code for \
        25 percent off, held until payments open. Send take_demo's next_steps.example_body with your own answers.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "rating": 4, "answers": {"tried": "The alive demo.", "ux_friction": "None.", "product_one_ship": "Shorter files.", "overall": "We keep AGENTS.md.", "would_buy": "maybe"}}"#;
    const PHRASES: &'static [&'static str] =
        &["leave feedback for {id}", "send feedback on the demo of {id}", "submit feedback for {id}"];
    const SKILLS: &'static [AdvertisedSkill] = &[
        AdvertisedSkill {
            id: "leave-feedback",
            name: "Leave feedback",
            description: "Five answers after the demo; the first hundred receive the full product free.",
            tags: &["registry", "feedback", "founding"],
        },
        AdvertisedSkill {
            id: "submit-feedback",
            name: "Submit feedback",
            description: "Sends the demo's example_body with your own answers in it.",
            tags: &["registry", "feedback"],
        },
    ];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/products/feedback", Ok).never_kept()];
    const REFUSALS: &'static [u16] = &[401, 404, 409];
    type Arguments = GivenFeedback;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, feedback: GivenFeedback) -> Result<Answer, Problem> {
        Ok(answer(&app.settings, funnel::give(app, caller, feedback).await?))
    }
}

fn answer(settings: &Settings, given: FeedbackGiven) -> Answer {
    let FeedbackGiven { feedback, reward, counts } = given;
    let unlock = funnel::unlock(settings, &counts);
    let remaining = funnel::deal(settings, counts.seats_claimed).remaining;
    let granted = matches!(reward, Rewarded::Seat(_));
    let answer = |message: &str, next| Answer {
        ok: true,
        listing_id: feedback.listing_id.clone(),
        order_id: feedback.order_id.clone(),
        sku: feedback.sku,
        feedback: Taken { rating: feedback.rating, is_draft: feedback.is_draft },
        founding_free: FoundingFree { granted, remaining },
        access_token: None,
        access: None,
        discount: None,
        unlock: unlock.clone(),
        message: message.to_owned(),
        next,
    };
    match &reward {
        Rewarded::Seat(token) => {
            let token = token.reveal();
            let access_url = settings.url(&format!("/api/products/access?token={token}"));
            let export =
                |format| settings.url(&format!("/api/products/export?token={token}&format={format}"));
            let next = NextStep::get(
                "get_access",
                access_url.clone(),
                json!({ "token": token }),
                "Keep the token: it is shown once. It opens the full product, made anew from each new proof.",
            );
            let message = "A founding seat is yours: the full product, free and without checkout.";
            Answer {
                access_token: Some(token.to_owned()),
                access: Some(Access {
                    access_url,
                    export_urls: ["skills", "zip", "tar.gz"].map(export).into(),
                }),
                ..answer(message, next)
            }
        }
        Rewarded::Code(code) => {
            let next = NextStep::open(
                "checkout",
                settings.url("/api/products/checkout"),
                format!("Keep the code: it is shown once. {}", unlock.message),
            );
            let message = "The founding seats are gone; here is 25 percent off, held until payments open.";
            Answer {
                discount: Some(Discount {
                    code: code.reveal().to_owned(),
                    percent_off: funnel::DISCOUNT_PERCENT,
                    usable_now: unlock.payments_open,
                    note: "Send it as `code` with the checkout.".to_owned(),
                }),
                ..answer(message, next)
            }
        }
    }
}
