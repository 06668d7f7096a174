//! A purchase: what was asked for and at which price, as it was agreed when the payment was asked for. Nothing of who
//! pays is in it; that stays with the payment provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Grant, Moment, PurchaseId};

/// A purchase as it was asked for; none of this changes any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purchase {
    /// Its id.
    pub id: PurchaseId,
    /// What its token opens once it is paid.
    pub grant: Grant,
    /// The name of the listing that it is made for; none where that is not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_name: Option<String>,
    /// What is to be paid, in US cents.
    pub amount_cents: u32,
    /// The digest of its access token.
    pub token: String,
    /// What the token was made with, beside what only the buyer knows.
    pub salt: String,
    /// Tells whether a request is the one that began it, without holding it.
    pub request: String,
    /// The digest of the discount code that came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Until when it can be paid.
    pub expires_at: Moment,
}

/// How far a purchase is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PurchaseState {
    /// It waits for its payment.
    Pending,
    /// It is paid.
    Paid,
    /// It was not paid in time, or its payment failed; nothing was charged.
    Expired,
}

impl PurchaseState {
    /// The word used in the table.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Paid => "paid",
            Self::Expired => "expired",
        }
    }
}

/// The page of the payment provider where a purchase is paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentSession {
    /// The provider's id of it.
    pub id: String,
    /// Its address.
    pub url: String,
}
