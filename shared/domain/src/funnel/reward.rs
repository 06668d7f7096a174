//! The reward for feedback: a founding seat while seats are left, then a discount code. The reward is shown once, and
//! only its digest is stored. If a caller has lost the answer, the registry can issue the reward again.

use http::StatusCode;
use serde_json::json;

use super::access::order_not_found;
use crate::feed_item;
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{
    AccessToken, Caller, DiscountCode, FeedItem, Feedback, Grant, GrantSource, GrantSubject, LimitedAction,
    Listing, ListingId, NextStep, Order, Reward,
};
use registry_store::{Allowance, CompletionOutcome, FunnelCounts, NewFeedback, NewReward};

/// The discount after the founding seats are gone (`specification.md#discount-codes`).
pub const DISCOUNT_PERCENT: u32 = 25;

#[derive(Clone, Debug)]
pub struct FeedbackGiven {
    pub feedback: Feedback,
    pub reward: Rewarded,
    pub counts: FunnelCounts,
}

#[derive(Clone, Debug)]
pub enum Rewarded {
    Seat(AccessToken),
    Code(DiscountCode),
}

/// Stores the completion with a seat, or with a discount code once the seats are gone.
pub(super) async fn complete(
    app: &App,
    said: NewFeedback<'_>,
    order: &Order,
    listing: &Listing,
    mut allowance: Option<Allowance<'_>>,
) -> Result<Rewarded, Problem> {
    let feedback = said.feedback;
    let (seats, grant) = (app.settings.founding_seats, seat(feedback, order));
    let mut seat_left = app.store.live().await?.funnel.seats_claimed < seats;
    loop {
        let rewarded = if seat_left {
            Rewarded::Seat(AccessToken::new(&app.random))
        } else {
            Rewarded::Code(DiscountCode::new(&app.random))
        };
        let token;
        let (reward, what, did) = match &rewarded {
            Rewarded::Seat(new) => {
                token = new.digest();
                let reward = NewReward::Seat { seats, token: &token, grant: &grant };
                (reward, "founding_seat_claimed", "claimed a founding seat.")
            }
            Rewarded::Code(code) => (NewReward::Code(code), "feedback_given", "gave feedback on its demo."),
        };
        let news = FeedItem { kind: Some(feedback.kind), ..feed_item(listing, what, feedback.at, did) };
        match app.store.complete(&said, reward, allowance.take(), &news).await? {
            CompletionOutcome::Done => return Ok(rewarded),
            CompletionOutcome::SeatsGone => seat_left = false,
            CompletionOutcome::NotDemoed => return Err(demo_first(app, &feedback.listing_id)),
            CompletionOutcome::Limited(used_up) => return Err(used_up.into()),
            CompletionOutcome::AlreadyDone if is_ours(app, &feedback.listing_id, &rewarded).await? => {
                return Ok(rewarded);
            }
            CompletionOutcome::AlreadyDone => return Err(already_completed(app, &feedback.listing_id)),
        }
    }
}

fn seat(feedback: &Feedback, order: &Order) -> Grant {
    Grant {
        sku: feedback.sku,
        subject: GrantSubject::Listing(feedback.listing_id.clone()),
        goals: order.goals.clone(),
        at: feedback.at,
        source: GrantSource::FoundingSeat,
    }
}

/// Issues the reward again to the caller who sends its key: a lost answer must not cost the reward. The previous
/// token or code stops working, so there are never two.
pub(super) async fn reissue(
    app: &App,
    caller: &Caller,
    id: &ListingId,
    key_digest: Option<&str>,
) -> Result<FeedbackGiven, Problem> {
    let before = app.store.completion(id).await?.ok_or_else(|| already_completed(app, id))?;
    let feedback = before.feedback.clone();
    if key_digest.is_none() || before.key_digest.as_deref() != key_digest {
        return Err(already_completed(app, id));
    }
    let name = caller.name();
    let allowance = app.allowance(LimitedAction::Feedback, &name, None);
    let now = app.clock.now();
    let (reward, outcome) = match &before.reward {
        Reward::Seat(_) => {
            let order = app.store.order(&feedback.order_id).await?;
            let grant =
                seat(&feedback, &order.ok_or_else(|| order_not_found(app, feedback.order_id.as_str()))?);
            let token = AccessToken::new(&app.random);
            let seats = app.settings.founding_seats;
            let reward = NewReward::Seat { seats, token: &token.digest(), grant: &grant };
            let outcome = app.store.reissue(&before, reward, allowance, now).await?;
            (Rewarded::Seat(token), outcome)
        }
        Reward::Code(_) => {
            let code = DiscountCode::new(&app.random);
            let outcome = app.store.reissue(&before, NewReward::Code(&code), allowance, now).await?;
            (Rewarded::Code(code), outcome)
        }
    };
    match outcome {
        CompletionOutcome::Done => {}
        CompletionOutcome::Limited(used_up) => return Err(used_up.into()),
        _ if is_ours(app, id, &reward).await? => {}
        _ => return Err(already_completed(app, id)),
    }
    Ok(FeedbackGiven { feedback, reward, counts: app.store.live().await?.funnel })
}

/// Whether the stored completion is the one just sent: the answer was lost on the way, and the request was sent again.
async fn is_ours(app: &App, id: &ListingId, rewarded: &Rewarded) -> Result<bool, Problem> {
    let ours = match rewarded {
        Rewarded::Seat(token) => Reward::Seat(token.digest().as_str().to_owned()),
        Rewarded::Code(code) => Reward::Code(code.digest()),
    };
    Ok(app.store.completion(id).await?.is_some_and(|kept| kept.reward == ours))
}

pub(super) fn demo_first(app: &App, id: &ListingId) -> Problem {
    let detail = "Feedback requires a demo. This listing has not taken a demo yet.";
    Problem::new(StatusCode::CONFLICT, "demo_first", detail).with_next(NextStep::take_demo(
        &app.settings,
        Some(id),
        "The response contains next_steps.example_body. Send it here.",
    ))
}

pub(super) fn already_completed(app: &App, id: &ListingId) -> Problem {
    let detail = "This listing has already sent feedback. Each listing can send feedback once. The reward \
                  was shown once, in the response. If you did not receive that response, send the same body \
                  again, with the same idempotency_key and `reissue`: true.";
    Problem::new(StatusCode::CONFLICT, "already_completed", detail).with_next(NextStep::get(
        "talk_inbox",
        app.settings.url(&format!("/api/talk?listing_id={id}")),
        json!({ "listing_id": id }),
        "The inbox contains the next step.",
    ))
}
