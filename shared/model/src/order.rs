//! The order of a demo that a listing took, and the id of the order. If the listing takes the same demo
//! again, it gets the same order. Feedback contains the id of the order that it is about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListingId, Moment, Sku, is_lower_hex, sha256_hex};

/// Older orders contain the goals of the first demo. They are not read, because the goals belong to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Made from the listing and the product.
    pub order_id: OrderId,
    pub listing_id: ListingId,
    pub sku: Sku,
    pub at: Moment,
    /// It followed an invitation of the registry.
    #[serde(default)]
    pub invited: bool,
    /// When its owner confirmed it; a demo without an invitation needs no confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<Moment>,
}

impl Order {
    /// Whether it counts as a real demo: requested by its owner, or invited and confirmed.
    pub const fn is_real(&self) -> bool {
        !self.invited || self.confirmed_at.is_some()
    }
}

/// `ord_` and 24 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct OrderId(String);

text_type!(
    OrderId,
    InvalidOrderId,
    "not an order id; an order id is ord_ and 24 hexadecimal digits, as in the response to the demo",
    |text: String| text.strip_prefix("ord_").is_some_and(|digits| is_lower_hex(digits, 24)).then_some(text)
);

impl OrderId {
    /// The order of a product for a listing; made from both, so that it needs no second index
    /// (`specification.md#orders`).
    pub fn of(listing: &ListingId, sku: Sku) -> Self {
        Self(format!("ord_{}", &sha256_hex(format!("order\n{listing}\n{}", sku.as_str()))[..24]))
    }
}
