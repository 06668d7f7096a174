//! A purchase, and the right to a product that the purchase gives. The price was fixed when the registry
//! requested the payment. Only the payment provider stores data about the payer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, ListingId, Moment, Random, Sku, is_lower_hex};

/// A purchase as it was requested; it never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purchase {
    pub id: PurchaseId,
    /// What its token gives access to once it is paid.
    pub grant: Grant,
    /// The name of the listing that it is made for; none for something that is not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_name: Option<String>,
    pub amount_cents: u32,
    pub token: String,
    /// Combined with the buyer's own secret to derive the token.
    pub salt: String,
    /// A keyed fingerprint of the request that began it.
    pub request: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether it takes a real payment, and not one in the test mode of the payment provider. `None` if the key of the
    /// provider does not show it. The function that receives the events has no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_live: Option<bool>,
    pub expires_at: Moment,
}

string_enum! {
    /// The state of a purchase.
    #[derive(JsonSchema)]
    pub enum PurchaseState {
        /// Not paid yet.
        Pending = "pending",
        /// Paid.
        Paid = "paid",
        /// Not paid in time, or the payment failed. Nothing was charged.
        Expired = "expired",
        /// The payment was refunded or lost in a dispute, or the operator revoked the purchase. The token does not work.
        Closed = "closed",
    }
}

string_enum! {
    /// Why the operator must look at a purchase.
    pub enum PaymentFlag {
        /// Fully refunded; the purchase was closed.
        Refunded = "refunded",
        PartlyRefunded = "partly_refunded",
        /// A dispute began. The token works until the dispute is lost.
        Disputed = "disputed",
        DisputeWon = "dispute_won",
        /// The purchase was closed.
        DisputeLost = "dispute_lost",
        /// Another amount or currency was paid; the payment opened nothing.
        WrongAmount = "wrong_amount",
        /// A test event for a live key or the reverse; it changed nothing.
        WrongMode = "wrong_mode",
        /// Paid on a page that the registry did not open for this purchase; the payment opened nothing.
        WrongPage = "wrong_page",
        /// The purchase was paid before, on another page.
        PaidTwice = "paid_twice",
        /// Paid after a refund or the operator had closed the purchase; the payment opened nothing.
        PaidClosed = "paid_closed",
        /// Paid with a discount code that another purchase has used, or that its owner replaced; the payment opened nothing.
        CodeNotValid = "code_not_valid",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlaggedPurchase {
    pub purchase_id: PurchaseId,
    pub flag: PaymentFlag,
    pub at: Moment,
    pub event: String,
}

/// The payment provider's page for a purchase.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PaymentSession {
    pub id: String,
    pub url: String,
}

/// `pur_` and 24 hexadecimal digits. The id is random, because anyone who knows it can read the state of the purchase.
/// The payment provider returns the id with the payment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct PurchaseId(String);

text_type!(
    PurchaseId,
    InvalidPurchaseId,
    "not a purchase id; a purchase id is pur_ and 24 hexadecimal digits, as in the response to the checkout",
    |text: String| text.strip_prefix("pur_").is_some_and(|digits| is_lower_hex(digits, 24)).then_some(text)
);

impl PurchaseId {
    pub fn new(random: &Random) -> Self {
        Self(format!("pur_{}", random.hex(12)))
    }
}

/// What an access token gives access to. Stored under the digest of the token; the product is rendered from the current
/// facts each time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub sku: Sku,
    pub subject: GrantSubject,
    /// The goals of the buyer. Founding seats of earlier versions contain the goals of whoever took the demo first here,
    /// so a seat has its own field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// The goals that were sent with the feedback for a founding seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seat_goals: Vec<String>,
    /// When it was granted, or the payment was requested.
    pub at: Moment,
    pub source: GrantSource,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantSubject {
    Listing(ListingId),
    /// Something that is not listed, as its owner described it.
    Described {
        kind: Kind,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantSource {
    FoundingSeat,
    /// A purchase; it gives access once it is paid.
    Purchase {
        id: PurchaseId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        paid_at: Option<Moment>,
    },
}

impl Grant {
    pub fn goals(&self) -> &[String] {
        match &self.source {
            GrantSource::FoundingSeat => &self.seat_goals,
            GrantSource::Purchase { .. } => &self.goals,
        }
    }
}
