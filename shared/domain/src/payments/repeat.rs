//! What makes a checkout the same when it is sent again: the caller's `idempotency_key`, else its discount code, else
//! nothing. The access token is made from it, so that an answer that was lost can be given again though nothing that
//! opens a product is kept.

use ring::hmac;
use sha2::{Digest, Sha256};

use registry_model::error::Problem;
use registry_model::{AccessToken, DiscountCode, Random};

/// A shorter key could be guessed, and a caller who guesses it receives the same answer.
const SHORTEST: usize = 16;
const LONGEST: usize = 200;

/// A secret of the caller that identifies a repeated request.
pub(super) struct RepeatKey(String);

impl RepeatKey {
    pub(super) fn of(
        idempotency_key: Option<&str>,
        code: Option<&DiscountCode>,
        random: &Random,
    ) -> Result<Self, Problem> {
        match (idempotency_key, code) {
            (Some(key), _) if is_sound(key) => Ok(Self(format!("key\n{key}"))),
            (Some(_), _) => Err(Problem::invalid(
                "idempotency_key",
                "bad_idempotency_key",
                format!(
                    "`idempotency_key` must have {SHORTEST} to {LONGEST} printable characters without spaces that \
                     nobody can guess, such as a UUID."
                ),
            )),
            (None, Some(code)) => Ok(Self(format!("code\n{}", code.reveal()))),
            (None, None) => Ok(Self(format!("once\n{}", random.hex(32)))),
        }
    }

    pub(super) fn digest(&self) -> String {
        hex(&Sha256::digest(&self.0))
    }

    /// Keyed fingerprint of the request; reveals nothing without the key.
    pub(super) fn mark(&self, request: &str) -> String {
        hex(&self.tag(&["request", request]))
    }

    /// The access token of a purchase with this salt. It cannot be derived from the table without the key.
    pub(super) fn token(&self, salt: &str) -> AccessToken {
        AccessToken::of_bytes(&self.tag(&["token", salt]))
    }

    fn tag(&self, said: &[&str]) -> [u8; 32] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.as_bytes());
        let mut bytes = [0; 32];
        bytes.copy_from_slice(hmac::sign(&key, said.join("\n").as_bytes()).as_ref());
        bytes
    }
}

fn is_sound(key: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_makes_the_same_token_for_the_same_salt_only() {
        let random = Random::seeded(1);
        let key = |text: &str| RepeatKey::of(Some(text), None, &random).unwrap();
        let (one, other) = (key("0123456789abcdef"), key("0123456789abcdeF"));
        assert_eq!(one.token("salt"), key("0123456789abcdef").token("salt"));
        assert_ne!(one.token("salt"), one.token("pepper"));
        assert_ne!(one.token("salt"), other.token("salt"));
        assert_ne!(one.digest(), other.digest());
        assert_ne!(one.mark("a"), one.mark("b"));
        let without = || RepeatKey::of(None, None, &random).unwrap().digest();
        assert_ne!(without(), without(), "a request without a key is never the same");
    }

    #[test]
    fn a_key_that_could_be_guessed_is_refused() {
        let long = "x".repeat(LONGEST + 1);
        for wrong in ["", "1", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\u{e9}", &long] {
            let refused = RepeatKey::of(Some(wrong), None, &Random::seeded(1)).map(drop).unwrap_err();
            assert_eq!(
                (refused.code, refused.field.as_deref()),
                ("bad_idempotency_key", Some("idempotency_key"))
            );
        }
    }
}
