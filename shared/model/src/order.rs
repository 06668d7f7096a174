//! A demo that was taken: which product, for which listing, with which goals. Kept so that feedback can name it, and so
//! that taking it again is the same order.

use serde::{Deserialize, Serialize};

use super::{ListingId, Moment, OrderId, Sku};

/// A demo that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Its id, made from the listing and the product.
    pub order_id: OrderId,
    /// For which listing.
    pub listing_id: ListingId,
    /// Of which product.
    pub sku: Sku,
    /// When it was first taken.
    pub at: Moment,
    /// The goals that were given with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// It followed an invitation of the registry.
    #[serde(default)]
    pub invited: bool,
    /// When its owner confirmed it; a demo that was asked for without an invitation needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<Moment>,
}

impl Order {
    /// Whether it counts as a real demo: asked for by its owner, or invited and confirmed.
    #[must_use]
    pub const fn is_real(&self) -> bool {
        !self.invited || self.confirmed_at.is_some()
    }
}
