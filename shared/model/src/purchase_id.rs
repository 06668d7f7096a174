//! The id of a purchase: random, because whoever knows it may ask how far the purchase is. The payment provider carries
//! it beside the payment, and so leads back to the purchase.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Random;

/// `pur_` and 24 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct PurchaseId(String);

/// A text that is no purchase id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a purchase id: it looks like pur_ and 24 hexadecimal digits, as the checkout answered it")]
pub struct InvalidPurchaseId;

const DIGITS: usize = 24;

impl PurchaseId {
    /// A new one.
    #[must_use]
    pub fn new(random: &Random) -> Self {
        Self(format!("pur_{}", random.hex(DIGITS / 2)))
    }

    /// The id as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PurchaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PurchaseId {
    type Err = InvalidPurchaseId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("pur_").ok_or(InvalidPurchaseId)?;
        let is_hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && digits.len() == DIGITS { Ok(Self(text.to_owned())) } else { Err(InvalidPurchaseId) }
    }
}

impl TryFrom<String> for PurchaseId {
    type Error = InvalidPurchaseId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back() {
        let id = PurchaseId::new(&Random::seeded(5));
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        for wrong in ["", "pur_", "pur_0123", "ord_0123456789abcdef01234567", "pur_0123456789ABCDEF01234567"]
        {
            assert_eq!(wrong.parse::<PurchaseId>(), Err(InvalidPurchaseId), "{wrong}");
        }
    }
}
