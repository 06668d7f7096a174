//! Confirms a demo that a listing took after an invitation of the registry (`specification.md#orders`). With the access
//! token or discount code of the listing, the demo counts as real after that.

use super::take_demo::feedback_step;
use crate::funnel::{Confirmed, FeedbackDraft};
use crate::prelude::*;
use registry_model::OrderId;

pub struct DemoConfirm;

/// A demo order.
#[derive(Deserialize, JsonSchema)]
pub struct Arguments {
    /// The order id that `take_demo` returned.
    #[schemars(required)]
    order_id: Option<String>,
    /// The access token or the discount code of the listing, from `leave_feedback`.
    access_token: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    order_id: OrderId,
    listing_id: ListingId,
    sku: Sku,
    counted_as_real: bool,
    /// When the demo was confirmed. Null if it needed no confirmation.
    confirmed_at: Option<Moment>,
    next: NextStep,
}

impl Operation for DemoConfirm {
    const NAME: &'static str = "demo_confirm";
    const TITLE: &'static str = "Confirm the demo you were invited to";
    const DESCRIPTION: &'static str = "Confirms a demo that you took because the registry invited you. After \
        that, the demo counts as real. Use it once after leave_feedback. Pass the order_id that take_demo \
        returned, and the access_token (or discount code) that leave_feedback returned.";
    const PHRASES: &'static [&'static str] =
        &["confirm the demo order ord_0123456789abcdef with the access token {token}"];
    const EFFECT: Effect = Effect { idempotent: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"order_id": "ord_0123456789abcdef01234567"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The demo {order_id} of {listing_id} {counted_as_real?counts as real|is not confirmed} | since {confirmed_at}.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Confirms a demo that you took because the registry invited you. After that, the demo \
            counts as real.",
        &["registry", "demo"],
    )];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/products/demo-confirm", Ok)];
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let order_id = arguments.order_id.ok_or_else(|| {
            let detail = "`order_id` is required: the id that take_demo returned.";
            Problem::invalid("order_id", Code::WhichOrder, detail)
        })?;
        let Confirmed { order, listing } =
            crate::funnel::confirm(app, &order_id, arguments.access_token.as_deref()).await?;
        let draft = FeedbackDraft::of(&listing, &order, &app.random);
        Ok(Answer {
            listing_id: order.listing_id.clone(),
            sku: order.sku,
            counted_as_real: order.is_real(),
            confirmed_at: order.confirmed_at,
            order_id: order.order_id,
            next: feedback_step(&app.settings, &listing, &draft),
        })
    }
}
