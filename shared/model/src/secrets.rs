//! Secrets: access tokens, discount codes, and secrets from environment variables. Each kind of secret has
//! its own type, so that no secret appears in a log or in debug output by accident.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::{Random, is_lower_hex, sha256_hex};

/// A key or password from the environment.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub const fn new(text: String) -> Self {
        Self(text)
    }
}

hidden_type!(Secret);

/// `at_` and 32 random bytes in base64url: gives access to a product. Shown once and stored as a digest
/// (`specification.md#access-tokens`).
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

secret_type!(
    AccessToken,
    InvalidAccessToken,
    "not an access token; an access token is at_ and 43 letters, digits, - or _",
    |text: &str| {
        let random = text.strip_prefix("at_")?;
        let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (random.len() == 43 && random.bytes().all(is_base64url)).then(|| text.to_owned())
    }
);

impl AccessToken {
    pub const LENGTH: usize = 46;

    pub fn new(random: &Random) -> Self {
        Self::of_bytes(&random.bytes())
    }

    /// The token of these bytes, which must be as hard to guess as random bytes.
    pub fn of_bytes(bytes: &[u8; 32]) -> Self {
        Self(format!("at_{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    pub fn digest(&self) -> TokenDigest {
        TokenDigest(sha256_hex(&self.0))
    }
}

/// SHA-256 of an access token in hexadecimal, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenDigest(String);

text_type!(
    TokenDigest,
    InvalidTokenDigest,
    "not a SHA-256 in hexadecimal; send 64 characters, digits and letters from a to f",
    |text: String| is_lower_hex(&text, 64).then_some(text)
);

impl TokenDigest {
    /// A digest from the table, which is not checked again.
    pub fn of_table(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// No 0, 1, I or O: a code may be read aloud.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const GROUPS: usize = 4;
const GROUP: usize = 5;
const PREFIX: &str = "D25";

/// `D25-` and four groups of five letters and digits: 100 random bits. Shown once, stored as a digest, usable once
/// payments are open (`specification.md#discount-codes`).
#[derive(Clone, PartialEq, Eq)]
pub struct DiscountCode(String);

secret_type!(
    DiscountCode,
    InvalidDiscountCode,
    "not a discount code; a discount code looks like D25-XXXXX-XXXXX-XXXXX-XXXXX",
    |text: &str| {
        let code = text.trim().to_ascii_uppercase();
        let groups: Vec<&str> = code.strip_prefix("D25-")?.split('-').collect();
        let is_group = |group: &&str| group.len() == GROUP && group.bytes().all(|b| ALPHABET.contains(&b));
        (groups.len() == GROUPS && groups.iter().all(is_group)).then_some(code)
    }
);

impl DiscountCode {
    pub const LENGTH: usize = PREFIX.len() + GROUPS * (1 + GROUP);

    pub fn new(random: &Random) -> Self {
        let bytes = random.bytes::<{ GROUPS * GROUP }>();
        let letters: Vec<char> =
            bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
        let groups: Vec<String> = letters.chunks(GROUP).map(|group| group.iter().collect()).collect();
        Self(format!("{PREFIX}-{}", groups.join("-")))
    }

    /// SHA-256 in hexadecimal, as it is stored.
    pub fn digest(&self) -> String {
        sha256_hex(&self.0)
    }
}

#[cfg(test)]
mod tests;
