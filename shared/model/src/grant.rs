//! The right to a product: what an access token opens. Kept under the token's digest; what it opens is made anew each
//! time from what the registry knows then, so nothing of a product is stored.

use serde::{Deserialize, Serialize};

use super::{Kind, ListingId, Moment, PurchaseId, Sku};

/// What an access token opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The product.
    pub sku: Sku,
    /// Whom it is made for.
    pub subject: GrantSubject,
    /// The goals it is made with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// When it was granted, or its payment was asked for.
    pub at: Moment,
    /// How it came about.
    pub source: GrantSource,
}

/// Whom a product is made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantSubject {
    /// A listing.
    Listing(ListingId),
    /// Something that is not listed, as its owner described it.
    Described {
        /// Agent or MCP server.
        kind: Kind,
        /// Its name.
        name: String,
        /// What it is for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
}

/// How a right to a product came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantSource {
    /// A founding seat.
    FoundingSeat,
    /// A purchase; it opens once it is paid.
    Purchase {
        /// The purchase, by which its payment finds it.
        id: PurchaseId,
        /// Since when it is paid.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        paid_at: Option<Moment>,
    },
}

impl Grant {
    /// Whether it opens its product: a purchase does once it is paid.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        match &self.source {
            GrantSource::FoundingSeat => true,
            GrantSource::Purchase { paid_at, .. } => paid_at.is_some(),
        }
    }
}
