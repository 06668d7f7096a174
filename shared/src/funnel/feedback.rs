//! Giving feedback: five answers after the demo, once per listing. It brings a founding seat while there are any, and a
//! discount code afterwards; both are shown in this one answer and kept as digests.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::confirm::order_not_found;
use crate::app::App;
use crate::error::Problem;
use crate::formats::{argument_text, email_address};
use crate::model::{
    AccessToken, Caller, Contact, DiscountCode, FeedItem, Feedback, Grant, GrantSource, GrantSubject, Kind,
    Lane, Listing, ListingId, Order, OrderId, QUESTIONS, Reward, Sku,
};
use crate::store::{Allowance, CompletionOutcome, FunnelCounts, NewReward, Said, WithOrders};

const LONGEST_ANSWER: usize = 2000;
const LONGEST_NAME: usize = 200;
const LONGEST_SOURCE: usize = 100;
const LONGEST_KEY: usize = 200;
/// The rating of the draft: neither praise nor blame.
pub const DRAFT_RATING: u8 = 3;

/// Off a product for who comes after the founding seats (contract "Limits").
pub const DISCOUNT_PERCENT: u32 = 25;

/// Feedback as it was sent.
#[derive(Clone, Debug, Default)]
pub struct GivenFeedback {
    /// Whose, where it is named.
    pub listing_id: Option<String>,
    /// On which order, where it is named.
    pub order_id: Option<String>,
    /// Agent or MCP server, where it is said.
    pub kind: Option<Kind>,
    /// The name of who writes.
    pub agent_name: Option<String>,
    /// From 1 to 5, where it is said.
    pub rating: Option<u8>,
    /// By question.
    pub answers: BTreeMap<String, String>,
    /// Anything more.
    pub body: Option<String>,
    /// Who may be written to.
    pub contact_email: Option<String>,
    /// What led here.
    pub source: Option<String>,
    /// Tells this sender from any other, should its answer be lost.
    pub idempotency_key: Option<String>,
    /// Asks for the reward anew: the answer that showed it was lost.
    pub reissue: bool,
}

/// Feedback that was taken.
#[derive(Clone, Debug)]
pub struct FeedbackGiven {
    /// The feedback.
    pub feedback: Feedback,
    /// What it brought.
    pub reward: Rewarded,
    /// Where the funnel stands now.
    pub counts: FunnelCounts,
}

/// What feedback brought, to be shown once.
#[derive(Clone, Debug)]
pub enum Rewarded {
    /// A founding seat.
    Seat(AccessToken),
    /// A discount code.
    Code(DiscountCode),
}

/// The draft of the five answers for a listing that took a demo, to be changed by whoever sends it.
#[must_use]
pub fn draft(listing: &Listing, sku: Sku) -> BTreeMap<String, String> {
    let name = &listing.name;
    let product = sku.title();
    let text = |question: &str| match question {
        "tried" => format!("Read the {product} demo that was made for {name}."),
        "ux_friction" => "Nothing stopped us.".to_owned(),
        "product_one_ship" => format!("More of what is particular to {name}."),
        "overall" => format!("We would keep the parts that name what {name} does."),
        _ => "maybe".to_owned(),
    };
    QUESTIONS.iter().map(|(id, _)| ((*id).to_owned(), text(id))).collect()
}

/// Takes feedback.
///
/// # Errors
/// 404 for what is not listed, 409 `demo_first` or `already_completed`, 422 for what cannot be taken, 429, or the table
/// is busy.
pub async fn give(app: &App, caller: &Caller, given: GivenFeedback) -> Result<FeedbackGiven, Problem> {
    if given.listing_id.is_none() && given.order_id.is_none() {
        return Err(which_listing());
    }
    let said = parse(&given)?;
    let (WithOrders { listing: (core, _), orders }, named) = find(app, &given).await?;
    if core.lane == Lane::Withdrawn {
        return Err(Problem::listing_not_found(core.id.as_str()));
    }
    let order = chosen(app, &core, orders, named.as_ref())?;
    if core.feedbacked && given.reissue {
        return reissue(app, caller, &core.id, said.key_digest.as_deref()).await;
    }
    if core.feedbacked {
        return Err(already_completed(app, &core.id));
    }
    if given.kind.is_some_and(|kind| kind != core.shown_kind()) {
        let detail =
            format!("`kind` says otherwise than the listing, which is `{}`.", core.shown_kind().as_str());
        return Err(Problem::invalid("kind", "other_kind", detail));
    }
    let feedback = Feedback {
        listing_id: core.id.clone(),
        kind: core.shown_kind(),
        order_id: order.order_id.clone(),
        sku: order.sku,
        rating: said.rating,
        is_draft: said.rating == DRAFT_RATING && given.answers == draft(&core, order.sku),
        answers: given.answers,
        body: said.body,
        at: app.clock.now(),
    };
    let name = caller.name();
    let allowance =
        Allowance { act: "feedback", caller: &name, host: None, rate: app.settings.feedback_rate };
    let allowance = app.settings.rate_limits.then_some(allowance);
    let kept = Said { feedback: &feedback, contact: &said.contact, key_digest: said.key_digest.as_deref() };
    let reward = complete(app, kept, &order, &core, allowance).await?;
    let counts = app.store.live().await?.funnel;
    Ok(FeedbackGiven { feedback, reward, counts })
}

/// Writes the completion with a seat, or with a code once the seats are gone.
async fn complete(
    app: &App,
    said: Said<'_>,
    order: &Order,
    listing: &Listing,
    allowance: Option<Allowance<'_>>,
) -> Result<Rewarded, Problem> {
    let feedback = said.feedback;
    let seats = app.settings.founding_seats;
    let mut seat_left = app.store.live().await?.funnel.seats_claimed < seats;
    loop {
        let rewarded = match seat_left {
            true => Rewarded::Seat(AccessToken::new(&app.random)),
            false => Rewarded::Code(DiscountCode::new(&app.random)),
        };
        let outcome = match &rewarded {
            Rewarded::Seat(token) => {
                let grant = seat(feedback, order);
                let reward = NewReward::Seat { seats, token: &token.digest(), grant: &grant };
                let news = news(listing, feedback, "founding_seat_claimed", "claimed a founding seat");
                app.store.complete(&said, reward, allowance, &news).await?
            }
            Rewarded::Code(code) => {
                let news = news(listing, feedback, "feedback_given", "gave feedback on its demo");
                app.store.complete(&said, NewReward::Code(code), allowance, &news).await?
            }
        };
        match outcome {
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

/// What the token of a founding seat opens.
fn seat(feedback: &Feedback, order: &Order) -> Grant {
    Grant {
        sku: feedback.sku,
        subject: GrantSubject::Listing(feedback.listing_id.clone()),
        goals: order.goals.clone(),
        at: feedback.at,
        source: GrantSource::FoundingSeat,
    }
}

/// Gives the reward of a completion anew to whoever sends its key: a lost answer must not cost what it brought. The one
/// before opens nothing any longer, so that there are never two.
async fn reissue(
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
    let allowance =
        Allowance { act: "feedback", caller: &name, host: None, rate: app.settings.feedback_rate };
    let allowance = app.settings.rate_limits.then_some(allowance);
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
        CompletionOutcome::Done => {
            Ok(FeedbackGiven { feedback, reward, counts: app.store.live().await?.funnel })
        }
        CompletionOutcome::Limited(used_up) => Err(used_up.into()),
        _ if is_ours(app, id, &reward).await? => {
            Ok(FeedbackGiven { feedback, reward, counts: app.store.live().await?.funnel })
        }
        _ => Err(already_completed(app, id)),
    }
}

/// Whether the completion that stands is the one just sent: its answer was lost on the way, and it was sent again.
async fn is_ours(app: &App, id: &ListingId, rewarded: &Rewarded) -> Result<bool, Problem> {
    let ours = match rewarded {
        Rewarded::Seat(token) => Reward::Seat(token.digest().as_str().to_owned()),
        Rewarded::Code(code) => Reward::Code(code.digest()),
    };
    Ok(app.store.completion(id).await?.is_some_and(|kept| kept.reward == ours))
}

fn news(listing: &Listing, feedback: &Feedback, what: &str, did: &str) -> FeedItem {
    FeedItem {
        what: what.to_owned(),
        at: feedback.at,
        listing_id: Some(listing.id.clone()),
        kind: Some(feedback.kind),
        name: listing.name.clone(),
        text: format!("{} {did}.", listing.name),
    }
}

/// What was said beside the answers, as it is kept.
struct Parsed {
    rating: u8,
    body: Option<String>,
    contact: Contact,
    key_digest: Option<String>,
}

fn parse(given: &GivenFeedback) -> Result<Parsed, Problem> {
    let Some(rating) = given.rating.filter(|rating| (1..=5).contains(rating)) else {
        let detail = "`rating` must be a whole number from 1 to 5. The demo's next_steps.example_body holds a draft of \
                      everything that is sent here.";
        return Err(Problem::invalid("rating", "bad_rating", detail));
    };
    if let Some(unknown) = given.answers.keys().find(|id| QUESTIONS.iter().all(|(known, _)| known != id)) {
        let ids = QUESTIONS.map(|(id, _)| id).join(", ");
        let field = format!("answers.{}", crate::error::shorten(unknown, 60));
        return Err(Problem::invalid(
            field,
            "unknown_question",
            format!("`answers` holds these five: {ids}."),
        ));
    }
    for (id, question) in QUESTIONS {
        let field = format!("answers.{id}");
        let Some(answer) = given.answers.get(id) else {
            let detail = format!("`{field}` is missing: {question} The demo's example_body holds a draft.");
            return Err(Problem::invalid(field, "missing_answer", detail));
        };
        argument_text::text(&field, answer, LONGEST_ANSWER)?;
    }
    if let Some(name) = &given.agent_name {
        argument_text::line("agent_name", name, LONGEST_NAME)?;
    }
    let body = given.body.as_deref().filter(|body| !body.trim().is_empty());
    let email = given.contact_email.as_deref().filter(|email| !email.trim().is_empty());
    let source = given.source.as_deref();
    let key = given.idempotency_key.as_deref();
    let key = key.map(|key| argument_text::line("idempotency_key", key, LONGEST_KEY)).transpose()?;
    let digest = |key: String| Sha256::digest(key).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Parsed {
        rating,
        key_digest: key.map(digest),
        body: body.map(|body| argument_text::text("body", body, LONGEST_ANSWER)).transpose()?,
        contact: Contact {
            email: email.map(|email| email_address::parse("contact_email", email)).transpose()?,
            source: source.map(|source| argument_text::line("source", source, LONGEST_SOURCE)).transpose()?,
        },
    })
}

/// The listing with its orders, and the order that was named.
async fn find(app: &App, given: &GivenFeedback) -> Result<(WithOrders, Option<OrderId>), Problem> {
    let unknown_order = |id: &str| order_not_found(app, id);
    let named = match given.order_id.as_deref() {
        None => None,
        Some(id) => Some(id.parse::<OrderId>().map_err(|_| unknown_order(id))?),
    };
    let id = match (given.listing_id.as_deref(), &named) {
        (Some(id), _) => id.parse::<ListingId>().map_err(|_| Problem::listing_not_found(id))?,
        (None, Some(order)) => {
            app.store.order(order).await?.ok_or_else(|| unknown_order(order.as_str()))?.listing_id
        }
        (None, None) => return Err(which_listing()),
    };
    let found = app.store.listing_with_orders(&id).await?;
    Ok((found.ok_or_else(|| Problem::listing_not_found(id.as_str()))?, named))
}

fn which_listing() -> Problem {
    let detail = "Say which listing: its `listing_id`, or the `order_id` that its demo answered.";
    Problem::invalid("listing_id", "which_listing", detail)
}

/// The order that is meant: the one that was named, else that of its kind's product, else any.
fn chosen(
    app: &App,
    listing: &Listing,
    orders: Vec<Order>,
    named: Option<&OrderId>,
) -> Result<Order, Problem> {
    if let Some(named) = named {
        let meant = orders.into_iter().find(|order| order.order_id == *named);
        return meant.ok_or_else(|| {
            Problem::invalid("order_id", "other_listing", "`order_id` is not an order of this listing.")
        });
    }
    let usual = Sku::of_kind(listing.shown_kind());
    orders
        .into_iter()
        .min_by_key(|order| (order.sku != usual, order.at))
        .ok_or_else(|| demo_first(app, &listing.id))
}

fn demo_first(app: &App, id: &ListingId) -> Problem {
    let detail = "Feedback follows a demo; this listing took none yet.";
    Problem::new(StatusCode::CONFLICT, "demo_first", detail).with_next(json!({
        "action": "take_demo", "method": "POST", "url": app.settings.url("/api/products/demo"),
        "body": { "listing_id": id }, "tool": "take_demo",
        "note": "The answer holds next_steps.example_body, which is sent here.",
    }))
}

fn already_completed(app: &App, id: &ListingId) -> Problem {
    let detail = "This listing gave its feedback already: one completion per listing. What it received was shown \
                  once, in that answer. If that answer never reached you, send the same body again with \
                  `reissue`: true; its idempotency_key tells that it was yours.";
    Problem::new(StatusCode::CONFLICT, "already_completed", detail).with_next(json!({
        "action": "talk_inbox", "method": "GET",
        "url": app.settings.url(&format!("/api/talk?listing_id={id}")),
        "tool": "talk_inbox", "arguments": { "listing_id": id },
        "note": "Its inbox says what comes next.",
    }))
}
