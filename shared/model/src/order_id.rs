//! The id of a demo's order: made from the listing and the product, so that asking twice meets the same order and needs
//! no second index (design §5 Demo).

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ListingId, Sku};

/// `ord_` and 24 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct OrderId(String);

/// A text that is no order id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an order id: it looks like ord_ and 24 hexadecimal digits, as the demo answered it")]
pub struct InvalidOrderId;

const DIGITS: usize = 24;

impl OrderId {
    /// The order of a product for a listing.
    #[must_use]
    pub fn of(listing: &ListingId, sku: Sku) -> Self {
        let digest = Sha256::digest(format!("order\n{listing}\n{}", sku.as_str()));
        let digits: String = digest.iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect();
        Self(format!("ord_{digits}"))
    }

    /// The id as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for OrderId {
    type Err = InvalidOrderId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("ord_").ok_or(InvalidOrderId)?;
        let is_hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && digits.len() == DIGITS { Ok(Self(text.to_owned())) } else { Err(InvalidOrderId) }
    }
}

impl TryFrom<String> for OrderId {
    type Error = InvalidOrderId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}
