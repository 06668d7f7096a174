//! The feedback form: the fields, the draft that a demo returns, and the rules that check the fields.

use std::collections::BTreeMap;

use schemars::{Schema, SchemaGenerator, json_schema};

use super::goals::{checked_goals, goals_schema};
use crate::prelude::*;
use registry_formats::{argument_text, email_address, secret_key};
use registry_model::{Contact, ContactFrom, QUESTIONS, sha256_hex};

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
pub(super) fn is_draft(answers: &BTreeMap<String, String>) -> bool {
    let draft = draft();
    let is_bare = |answer: &str| answer.split_whitespace().nth(2).is_none();
    answers.iter().all(|(id, answer)| is_bare(answer) || draft.get(id) == Some(answer))
}

pub(super) struct Parsed {
    pub(super) rating: u8,
    pub(super) body: Option<String>,
    pub(super) contact: Contact,
    pub(super) goals: Vec<String>,
    pub(super) key_digest: Option<String>,
}

pub(super) fn parse(given: &GivenFeedback) -> Result<Parsed, Problem> {
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
    Ok(Parsed {
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
