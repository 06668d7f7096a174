//! Feedback: a listing answers five questions after the demo. Each listing can do this once. In return it
//! gets a founding seat or a discount code. The demo returns a draft: a complete body, and the questions that it answers.

use std::collections::BTreeMap;

use schemars::{Schema, SchemaGenerator, json_schema};

use super::access::order_not_found;
use super::demo::not_active;
use super::goals::{checked_goals, goals_schema};
use super::reward::{FeedbackGiven, already_completed, complete, demo_first, reissue};
use crate::prelude::*;
use registry_formats::{argument_text, email_address, secret_key};
use registry_model::{Contact, ContactFrom, Feedback, Order, OrderId, QUESTIONS, Random, sha256_hex};
use registry_store::{ListingWithOrders, NewFeedback};

/// Takes feedback. Errors: 404 unknown listing, 409 `not_active`, `demo_first` or `already_completed`, 422, 429.
pub async fn give(app: &App, caller: &Caller, given: GivenFeedback) -> Result<FeedbackGiven, Problem> {
    if given.listing_id.is_none() && given.order_id.is_none() {
        return Err(which_listing());
    }
    let form = parse_feedback(&given)?;
    let (ListingWithOrders { listing: (core, _), orders, trail }, named) = find(app, &given).await?;
    if core.lane == Lane::Withdrawn {
        return Err(Problem::listing_withdrawn(&app.settings.base_url, &core.id));
    }
    let order = chosen(app, &core, orders, named.as_ref())?;
    if core.feedbacked && given.reissue {
        return reissue(app, caller, &core.id, form.key_digest.as_deref()).await;
    }
    if core.feedbacked {
        return Err(already_completed(app, &core.id));
    }
    if given.kind.is_some_and(|kind| kind != core.likely_kind()) {
        let detail =
            format!("`kind` does not match the listing, which is `{}`.", core.likely_kind().as_str());
        return Err(Problem::new(Code::OtherKind, detail).with_field("kind"));
    }
    let feedback = Feedback {
        listing_id: core.id.clone(),
        kind: core.likely_kind(),
        order_id: order.order_id.clone(),
        sku: order.sku,
        rating: form.rating,
        is_draft: is_draft(&given.answers),
        answers: given.answers,
        body: form.body,
        at: app.clock.now(),
    };
    let name = app.caller_digest(caller).await?;
    let allowance = app.allowance(LimitedAction::Feedback, &name, None);
    let new_feedback = NewFeedback {
        feedback: &feedback,
        contact: &form.contact,
        key_digest: form.key_digest.as_deref(),
        trail,
    };
    let reward = complete(app, new_feedback, form.goals, &core, allowance).await?;
    let counts = app.store.live().await?.funnel;
    Ok(FeedbackGiven { feedback, reward, counts })
}

async fn find(app: &App, given: &GivenFeedback) -> Result<(ListingWithOrders, Option<OrderId>), Problem> {
    let named = match given.order_id.as_deref() {
        None => None,
        Some(id) => Some(id.parse::<OrderId>().map_err(|_| order_not_found(app, id))?),
    };
    let missing = |id: &str| Problem::listing_not_found(&app.settings.base_url, id);
    let id = match (given.listing_id.as_deref(), &named) {
        (Some(id), _) => id.parse::<ListingId>().map_err(|_| missing(id))?,
        (None, Some(order)) => {
            app.store.order(order).await?.ok_or_else(|| order_not_found(app, order.as_str()))?.listing_id
        }
        (None, None) => return Err(which_listing()),
    };
    let found = app.store.listing_with_orders(&id, app.clock.now()).await?;
    Ok((found.ok_or_else(|| missing(id.as_str()))?, named))
}

fn which_listing() -> Problem {
    let detail = "Send the `listing_id` of the listing, or the `order_id` that its demo returned.";
    Problem::invalid("listing_id", Code::WhichListing, detail)
}

/// The named order; without one the order of its kind's product, or any other.
fn chosen(
    app: &App,
    listing: &Listing,
    orders: Vec<Order>,
    named: Option<&OrderId>,
) -> Result<Order, Problem> {
    if let Some(named) = named {
        let found = orders.into_iter().find(|order| order.order_id == *named);
        let detail = "This listing has no such order. Send the `order_id` from the demo of this listing.";
        return found.ok_or_else(|| Problem::new(Code::OtherListing, detail).with_field("order_id"));
    }
    let default = Sku::of_kind(listing.likely_kind());
    orders.into_iter().min_by_key(|order| (order.sku != default, order.at)).ok_or_else(|| {
        match listing.public_lane(app.oldest_proof()) {
            Lane::Active => demo_first(app, &listing.id),
            lane => not_active(app, "Feedback requires a demo, which", &listing.id, lane),
        }
    })
}

const MAX_ANSWER_CHARS: usize = 2000;
const MAX_NAME_CHARS: usize = 200;
const MAX_SOURCE_CHARS: usize = 100;
pub const DRAFT_RATING: u8 = 3;

/// Feedback after a demo. The demo returned a complete draft of the feedback as `next_steps.example_body`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::one_of(&["listing_id", "order_id"]), "allOf" = [{ "required": ["answers"] }]))]
pub struct GivenFeedback {
    /// The id of the listing that took the demo. If you do not send it, send `order_id`.
    pub listing_id: Option<String>,
    /// The order id that `take_demo` returned.
    pub order_id: Option<String>,
    /// The kind of the listing: agent or MCP server.
    pub kind: Option<Kind>,
    /// Your name.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = MAX_NAME_CHARS))]
    pub agent_name: Option<String>,
    /// The rating, from 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    #[schemars(required)]
    pub rating: Option<u8>,
    /// All five are required: `tried`, `ux_friction`, `product_one_ship`, `overall`, `would_buy`.
    #[serde(default)]
    #[schemars(schema_with = "answers_schema")]
    pub answers: BTreeMap<String, String>,
    /// Anything else you want to say.
    #[schemars(regex(pattern = argument_schema::TEXT_OR_BLANK), length(max = MAX_ANSWER_CHARS))]
    pub body: Option<String>,
    /// An e-mail address for replies. It is never shown.
    #[serde(alias = "email")]
    #[schemars(extend("format" = "email"))]
    pub contact_email: Option<String>,
    /// How you found this registry.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = MAX_SOURCE_CHARS))]
    pub source: Option<String>,
    /// The goals of the agent, for the full product: at most 12. `mcp_mesh` uses them only to choose its peers.
    #[serde(default)]
    #[schemars(schema_with = "goals_schema")]
    pub goals: Vec<String>,
    /// A secret that only you know; the demo suggests one. It must be hard to guess, such as a UUID of version 4. With it
    /// and `reissue`, you can get a lost reward again.
    #[schemars(extend("format" = "secret-key"), length(max = secret_key::MAX_CHARS))]
    pub idempotency_key: Option<String>,
    /// Send true if you lost the answer with the reward. You get a new reward, and the old one stops working.
    #[serde(default)]
    pub reissue: bool,
}

fn answers_schema(_: &mut SchemaGenerator) -> Schema {
    let answer = json!({
        "type": "string", "pattern": argument_schema::TEXT, "maxLength": MAX_ANSWER_CHARS,
    });
    let answers: Value = QUESTIONS.iter().map(|(id, _)| ((*id).to_owned(), answer.clone())).collect();
    let ids = QUESTIONS.map(|(id, _)| id);
    json_schema!({ "type": "object", "properties": answers, "required": ids, "additionalProperties": false })
}

/// The draft of the five answers; the sender is expected to change it. It contains no name, because names can change.
pub fn draft() -> BTreeMap<String, String> {
    let text = |question: &str| match question {
        "tried" => "Read the demo that was made for us.",
        "ux_friction" => "Nothing stopped us.",
        "product_one_ship" => "Add more about what only we do.",
        "overall" => "We would keep the parts that name what we do.",
        _ => "maybe",
    };
    QUESTIONS.iter().map(|(id, _)| ((*id).to_owned(), text(id).to_owned())).collect()
}

/// Whether each answer is that of the draft, or has fewer than three words, as in the published example.
fn is_draft(answers: &BTreeMap<String, String>) -> bool {
    let draft = draft();
    let is_bare = |answer: &str| answer.split_whitespace().nth(2).is_none();
    answers.iter().all(|(id, answer)| is_bare(answer) || draft.get(id) == Some(answer))
}

struct ParsedFeedback {
    rating: u8,
    body: Option<String>,
    contact: Contact,
    goals: Vec<String>,
    key_digest: Option<String>,
}

fn parse_feedback(given: &GivenFeedback) -> Result<ParsedFeedback, Problem> {
    let Some(rating) = given.rating.filter(|rating| (1..=5).contains(rating)) else {
        let detail = "`rating` must be a whole number from 1 to 5. The response to the demo contains a \
                      complete draft of this request: next_steps.example_body.";
        return Err(Problem::invalid("rating", Code::BadRating, detail));
    };
    if let Some(unknown) = given.answers.keys().find(|id| QUESTIONS.iter().all(|(known, _)| known != id)) {
        let ids = QUESTIONS.map(|(id, _)| id).join(", ");
        let field = format!("answers.{}", shorten(unknown, 60));
        let detail = format!("`answers` accepts only the answers to these five questions: {ids}.");
        return Err(Problem::invalid(field, Code::UnknownQuestion, detail));
    }
    for (id, question) in QUESTIONS {
        let field = format!("answers.{id}");
        let Some(answer) = given.answers.get(id) else {
            let detail = format!(
                "`{field}` is missing; all five answers are required. Question: {question} The example_body \
                 in the response to the demo contains a draft."
            );
            return Err(Problem::invalid(field, Code::MissingAnswer, detail));
        };
        argument_text::text(&field, answer, MAX_ANSWER_CHARS)?;
    }
    if let Some(name) = &given.agent_name {
        argument_text::line("agent_name", name, MAX_NAME_CHARS)?;
    }
    let body = given.body.as_deref().filter(|body| !body.trim().is_empty());
    let email = given.contact_email.as_deref().filter(|email| !email.trim().is_empty());
    let source = given.source.as_deref();
    let key = given.idempotency_key.as_deref().map(secret).transpose()?;
    Ok(ParsedFeedback {
        rating,
        goals: checked_goals(&given.goals)?,
        key_digest: key.map(sha256_hex),
        body: body.map(|body| argument_text::text("body", body, MAX_ANSWER_CHARS)).transpose()?,
        contact: Contact {
            email: email.map(|email| email_address::parse("contact_email", email)).transpose()?,
            source: source
                .map(|source| argument_text::line("source", source, MAX_SOURCE_CHARS))
                .transpose()?,
            from: ContactFrom::Feedback,
        },
    })
}

/// A key that nobody can guess.
pub(crate) fn secret(key: &str) -> Result<&str, Problem> {
    let key = key.trim();
    if secret_key::is_hard_to_guess(key) {
        return Ok(key);
    }
    let detail = format!(
        "`idempotency_key` must be hard to guess: {}. Make a new random key; do not use a word, an id or an example.",
        secret_key::RULE
    );
    Err(Problem::invalid("idempotency_key", Code::BadIdempotencyKey, detail))
}

/// A body for `/api/products/feedback`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FeedbackDraft {
    pub listing_id: ListingId,
    pub order_id: OrderId,
    pub kind: Kind,
    pub agent_name: String,
    /// From 1 to 5.
    pub rating: u8,
    /// Draft answers, by question id.
    pub answers: BTreeMap<String, String>,
    pub source: &'static str,
    /// The goals of this demo, for the full product.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// A new secret in each answer. If the reward is lost, send this secret with `reissue` to get the reward again.
    pub idempotency_key: String,
}

impl FeedbackDraft {
    pub fn of(listing: &Listing, order: &Order, random: &Random) -> Self {
        Self {
            listing_id: listing.id.clone(),
            order_id: order.order_id.clone(),
            kind: listing.likely_kind(),
            agent_name: listing.texts.name.chars().take(200).collect(),
            rating: DRAFT_RATING,
            answers: draft(),
            source: "demo",
            goals: Vec::new(),
            idempotency_key: random.hex(16),
        }
    }
}

/// One of the five questions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Question {
    /// The key of its answer in `answers`.
    pub id: &'static str,
    /// The text of the question.
    pub question: &'static str,
}

impl Question {
    pub fn all() -> Vec<Self> {
        QUESTIONS.iter().map(|(id, question)| Self { id, question }).collect()
    }
}
