//! The draft of the feedback that a demo returns: a complete body, and the five questions that this body answers.

use std::collections::BTreeMap;

use super::DRAFT_RATING;
use crate::prelude::*;
use registry_model::{Order, OrderId, QUESTIONS, Random};

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
            answers: super::draft(),
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
