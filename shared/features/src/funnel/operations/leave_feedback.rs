//! Stores the feedback after a demo: five answers, once per listing. The reward is a founding seat while
//! seats are left, then a discount code. A founding seat comes as an access token, without a checkout.

use crate::funnel::{FeedbackGiven, GivenFeedback, Rewarded, Unlock};
use crate::operation::examples;
use crate::prelude::*;
use registry_model::{DiscountCode, OrderId};

pub struct LeaveFeedback;

/// The reward for the feedback.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    order_id: OrderId,
    sku: Sku,
    feedback: StoredFeedback,
    /// Whether a founding seat was granted.
    founding_free: FoundingFree,
    /// The access token of the full product; shown in this answer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    access_token: Option<String>,
    /// The URLs for the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<Access>,
    /// The discount, if no seat was granted.
    discount: Option<Discount>,
    /// How much feedback is missing until payments open.
    unlock: Unlock,
    message: String,
    next: NextStep,
}

#[derive(Debug, Serialize, JsonSchema)]
struct StoredFeedback {
    rating: u8,
    /// Whether each answer is that of the draft, or has fewer than three words. Such feedback earns the reward, but the
    /// average ratings do not include it, and it does not count towards the opening of payments.
    is_draft: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FoundingFree {
    granted: bool,
    /// The number of seats left.
    remaining: u32,
}

/// The URLs for a token.
#[derive(Debug, Serialize, JsonSchema)]
struct Access {
    /// The URL of the product as JSON.
    access_url: String,
    /// The URLs of the product as a tree of skills, as zip and as tar.gz.
    export_urls: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Discount {
    /// The discount code; shown in this answer only.
    code: String,
    percent_off: u32,
    /// Whether payments are open. If not, keep the code until they open.
    usable_now: bool,
    /// How to use the code.
    note: &'static str,
}

impl Discount {
    pub(crate) fn of(code: &DiscountCode, usable_now: bool) -> Self {
        Self {
            code: code.reveal().to_owned(),
            percent_off: crate::funnel::DISCOUNT_PERCENT,
            usable_now,
            note: "Send it as `code` to the checkout, with this `listing_id`.",
        }
    }
}

impl Operation for LeaveFeedback {
    const NAME: &'static str = "leave_feedback";
    const ALIASES: &'static [&'static str] = &["submit_feedback"];
    const TITLE: &'static str = "Leave feedback on the demo";
    const DESCRIPTION: &'static str = "Sends a listing's feedback on its demo: a rating from 1 to 5 and five \
        answers (tried, ux_friction, product_one_ship, overall, would_buy). take_demo returns a draft. Returns the reward: the access token of a free \
        product, or a code for 25 % off. With the same idempotency_key, `reissue` replaces it.";
    const PHRASES: &'static [&'static str] = &[
        "leave feedback for {id}",
        "send feedback on the demo of {id}",
        "[submit-feedback] submit feedback for {id}",
    ];
    const EFFECT: Effect = Effect { destructive: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "rating": 4, "answers": {"tried": "The demo.", "ux_friction": "None.", "product_one_ship": "Shorter files.", "overall": "Yes, partly.", "would_buy": "maybe"}}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{message}",
        "{founding_free.granted?A founding seat was granted|No founding seat was granted}; seats left: {founding_free.remaining}.",
        "Your access token is {access_token}. It is shown only once.",
        "Your discount code is {discount.code}. It is shown only once.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[
        AdvertisedSkill {
            id: "leave-feedback",
            name: "Leave feedback",
            description: "Sends five answers after the demo. The reward is a free product or a discount code.",
            tags: &["registry", "feedback", "founding"],
        },
        AdvertisedSkill {
            id: "submit-feedback",
            name: "Submit feedback",
            description: "Sends your feedback: the example_body of the demo, with your own answers.",
            tags: &["registry", "feedback"],
        },
    ];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/products/feedback", Ok)];
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = GivenFeedback;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, feedback: GivenFeedback) -> Result<Answer, Problem> {
        examples::refuse("idempotency_key", feedback.idempotency_key.as_deref())?;
        Ok(answer(&app.settings, crate::funnel::give(app, caller, feedback).await?))
    }
}

const UNCOUNTED: &str = " Each stored answer is that of the example, or has fewer than three words, so they \
    are a draft: they count neither in ratings nor towards the opening of payments.";

fn answer(settings: &Settings, given: FeedbackGiven) -> Answer {
    let FeedbackGiven { feedback, reward, counts } = given;
    let unlock = crate::funnel::unlock(settings, &counts);
    let remaining = crate::funnel::deal(settings, counts.seats_claimed).remaining;
    let (mut access_token, mut access, mut discount) = (None, None, None);
    let (message, next) = match &reward {
        Rewarded::Seat(token) => {
            let token = token.reveal();
            let access_url = settings.url(&format!("/api/products/access?token={token}"));
            let export =
                |format| settings.url(&format!("/api/products/export?token={token}&format={format}"));
            let note = "Keep the token: it is shown only once. It opens the full product, which is generated again for \
                each request.";
            let next = NextStep::get("get_access", access_url.clone(), json!({ "token": token }), note);
            access_token = Some(token.to_owned());
            access = Some(Access { access_url, export_urls: ["skills", "zip", "tar.gz"].map(export).into() });
            ("You have a founding seat: the full product, free of charge and without checkout.", next)
        }
        Rewarded::Code(code) => {
            let note = format!("Keep the code: it is shown only once. {}", unlock.message);
            discount = Some(Discount::of(code, unlock.payments_open));
            let message =
                "This listing got no founding seat. You get a code for 25 % off while payments are open.";
            (message, NextStep::open("checkout", settings.url("/api/products/checkout"), note))
        }
    };
    let draft = if feedback.is_draft { UNCOUNTED } else { "" };
    Answer {
        listing_id: feedback.listing_id,
        order_id: feedback.order_id,
        sku: feedback.sku,
        feedback: StoredFeedback { rating: feedback.rating, is_draft: feedback.is_draft },
        founding_free: FoundingFree { granted: matches!(reward, Rewarded::Seat(_)), remaining },
        access_token,
        access,
        discount,
        unlock,
        message: format!("{message}{draft}"),
        next,
    }
}
