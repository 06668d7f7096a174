//! The feedback of a listing after its demo, and what it brought: a founding seat or a discount code. The contact given
//! with it is kept with the other contacts, so that no reader of feedback meets one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Kind, ListingId, Moment, OrderId, Sku};

/// The five questions (design §5 Demo), by id.
pub const QUESTIONS: [(&str, &str); 5] = [
    ("tried", "What did you try, and did it do what it says?"),
    ("ux_friction", "Where did you stop, guess or read twice?"),
    ("product_one_ship", "If we change one thing, what should it be?"),
    ("overall", "Would you keep what the demo gave you, and why?"),
    ("would_buy", "Would you pay for the full product: yes, no or maybe?"),
];

/// What a listing said of its demo. Once per listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// Whose.
    pub listing_id: ListingId,
    /// Agent or MCP server.
    pub kind: Kind,
    /// On which order.
    pub order_id: OrderId,
    /// On which product.
    pub sku: Sku,
    /// From 1 to 5.
    pub rating: u8,
    /// By question.
    pub answers: BTreeMap<String, String>,
    /// Anything more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The draft was sent as it came: it completes the round, and counts in no average.
    #[serde(default)]
    pub is_draft: bool,
    /// When.
    pub at: Moment,
}

/// Feedback with what it brought, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// What was said.
    pub feedback: Feedback,
    /// What it brought.
    pub reward: Reward,
    /// The digest of the sender's idempotency key: whoever knows it may have the reward issued anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_digest: Option<String>,
}

/// What feedback brings, by the digest of what was shown once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reward {
    /// A founding seat: the full product, free. The digest of its access token.
    Seat(String),
    /// A discount code, held until payments open. The digest of the code.
    Code(String),
}
