//! What opens a product: shown once, kept only as its digest (contract "Authentication" 2; design §5 Demo). Its own type,
//! so that no log and no debug output can hold one by accident.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Random;

const PREFIX: &str = "at_";
/// 32 random bytes in base64url.
const SECRET: usize = 43;

/// `at_` and 32 random bytes in base64url.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

/// SHA-256 of a token, in hexadecimal: what the table holds of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenDigest(String);

/// A text that is no digest of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 in hexadecimal: 64 digits and letters from a to f")]
pub struct InvalidTokenDigest;

/// A text that is no access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an access token: it looks like at_ and 43 letters, digits, - or _")]
pub struct InvalidAccessToken;

impl AccessToken {
    /// How long every one is.
    pub const LENGTH: usize = PREFIX.len() + SECRET;

    /// A new one.
    #[must_use]
    pub fn new(random: &Random) -> Self {
        Self::of_bytes(&random.bytes())
    }

    /// The token of these bytes, which must be as hard to guess as random ones.
    #[must_use]
    pub fn of_bytes(bytes: &[u8; 32]) -> Self {
        Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The token itself, for the one answer that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What the table holds of it.
    #[must_use]
    pub fn digest(&self) -> TokenDigest {
        TokenDigest(Sha256::digest(&self.0).iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl TokenDigest {
    /// Takes what the table holds for a digest.
    #[must_use]
    pub fn of_table(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The digest in hexadecimal.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TokenDigest {
    type Error = InvalidTokenDigest;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let fits = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if fits { Ok(Self(text)) } else { Err(InvalidTokenDigest) }
    }
}

impl From<TokenDigest> for String {
    fn from(digest: TokenDigest) -> Self {
        digest.0
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

impl FromStr for AccessToken {
    type Err = InvalidAccessToken;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix(PREFIX).ok_or(InvalidAccessToken)?;
        let fits = rest.len() == SECRET
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if fits { Ok(Self(text.to_owned())) } else { Err(InvalidAccessToken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_never_printed() {
        let token = AccessToken::new(&Random::seeded(1));
        assert_eq!(token.reveal().parse(), Ok(token.clone()));
        assert_eq!(format!("{token:?}"), "AccessToken(…)");
        assert_eq!(token.digest().as_str().len(), 64);
        assert!("at_short".parse::<AccessToken>().is_err());
        let digest = token.digest();
        assert_eq!(TokenDigest::try_from(String::from(digest.clone())), Ok(digest));
        assert!(TokenDigest::try_from(token.reveal().to_owned()).is_err());
    }
}
