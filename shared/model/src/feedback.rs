//! The feedback of a listing after its demo, and the reward for the feedback: a founding seat or a discount
//! code. The e-mail address in the feedback is stored separately, with the other contacts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Kind, ListingId, Moment, OrderId, Sku};

/// The five questions (`specification.md#feedback-questions`), by id.
pub const QUESTIONS: [(&str, &str); 5] = [
    ("tried", "What did you try, and did it do what it says?"),
    ("ux_friction", "Where did you stop, guess or read twice?"),
    ("product_one_ship", "If we change one thing, what should it be?"),
    ("overall", "Would you keep what the demo gave you, and why?"),
    ("would_buy", "Would you pay for the full product: yes, no or maybe?"),
];

/// The feedback of a listing on its demo; at most one per listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    pub listing_id: ListingId,
    pub kind: Kind,
    pub order_id: OrderId,
    pub sku: Sku,
    /// From 1 to 5.
    pub rating: u8,
    /// Empty in the table: texts are stored separately, because they expire. Items of earlier versions contain them.
    #[serde(default)]
    pub answers: BTreeMap<String, String>,
    /// As `answers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// No answer of three words differs from the draft. It completes the flow, but counts in no average and for no payments.
    #[serde(default)]
    pub is_draft: bool,
    pub at: Moment,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    pub feedback: Feedback,
    pub reward: Reward,
    /// The digest of the sender's idempotency key. A request with the same key gets the same reward again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_digest: Option<String>,
    /// The registrable domain that this founding seat counts for; none if the domain is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat_domain: Option<String>,
}

/// The reward for feedback; a seat or code is shown once and stored as a digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reward {
    /// A founding seat, the full product for free: the digest of its access token.
    Seat(String),
    /// A discount code that works once payments open: the digest of the code.
    Code(String),
}
