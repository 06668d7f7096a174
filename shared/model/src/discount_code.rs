//! A discount code: shown once, kept as its digest, usable once payments are open (contract "States and transitions").

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use super::Random;

/// No 0, 1, I or O: a code may be read aloud.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const GROUPS: usize = 4;
const GROUP: usize = 5;
const PREFIX: &str = "D25";

/// `D25-` and four groups of five letters and digits: 100 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct DiscountCode(String);

/// A text that is no discount code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a discount code: it looks like D25-XXXXX-XXXXX-XXXXX-XXXXX")]
pub struct InvalidDiscountCode;

impl DiscountCode {
    /// How long every one is.
    pub const LENGTH: usize = PREFIX.len() + GROUPS * (1 + GROUP);

    /// A new one.
    #[must_use]
    pub fn new(random: &Random) -> Self {
        let bytes = random.bytes::<{ GROUPS * GROUP }>();
        let letters: Vec<char> =
            bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
        let groups: Vec<String> = letters.chunks(GROUP).map(|group| group.iter().collect()).collect();
        Self(format!("{PREFIX}-{}", groups.join("-")))
    }

    /// The code itself, for the one answer that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// SHA-256 in hexadecimal: what the table holds of it.
    #[must_use]
    pub fn digest(&self) -> String {
        Sha256::digest(&self.0).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for DiscountCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DiscountCode(…)")
    }
}

impl FromStr for DiscountCode {
    type Err = InvalidDiscountCode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let code = text.trim().to_ascii_uppercase();
        let groups: Vec<&str> = code.strip_prefix("D25-").ok_or(InvalidDiscountCode)?.split('-').collect();
        let is_group = |group: &&str| group.len() == GROUP && group.bytes().all(|b| ALPHABET.contains(&b));
        if groups.len() == GROUPS && groups.iter().all(is_group) {
            Ok(Self(code))
        } else {
            Err(InvalidDiscountCode)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_back_in_any_case_and_never_printed() {
        let code = DiscountCode::new(&Random::seeded(3));
        assert_eq!(code.reveal().to_lowercase().parse(), Ok(code.clone()));
        assert_eq!(format!("{code:?}"), "DiscountCode(…)");
        assert!("D25-AAAAA".parse::<DiscountCode>().is_err());
    }
}
