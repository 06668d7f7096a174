//! A checkout request. It contains the listing or agent for which the product is made, the goals, and a key
//! that identifies a repeated request.
//!
//! The key is the `idempotency_key`. If there is no `idempotency_key`, the key is the discount code. If there
//! is no code either, the key is random. The access token is derived from the key. So the registry can repeat
//! an answer that was lost, but it stores nothing that opens a product.

use ring::hmac;
use serde_json::json;
use sha2::{Digest, Sha256};

use registry_app::App;
use registry_formats::{argument_text, email_address};
use registry_model::error::Problem;
use registry_model::{AccessToken, DiscountCode, GrantSubject, Kind, Random, Sku};

const MAX_NAME_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 2000;

#[derive(Clone, Default)]
pub struct CheckoutRequest {
    /// Without one, the product is made for what is described.
    pub listing_id: Option<String>,
    pub agent_name: Option<String>,
    pub description: Option<String>,
    pub kind: Option<Kind>,
    pub goals: Vec<String>,
    pub code: Option<String>,
    /// Passed on to Stripe and not stored.
    pub contact_email: Option<String>,
    pub idempotency_key: Option<String>,
}

pub(super) struct Request {
    pub(super) sku: Sku,
    pub(super) subject: GrantSubject,
    pub(super) goals: Vec<String>,
    pub(super) code: Option<DiscountCode>,
    pub(super) email: Option<String>,
    pub(super) key: RepeatKey,
}

impl Request {
    pub(super) fn parse(app: &App, sku: Sku, request: CheckoutRequest) -> Result<Self, Problem> {
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let subject = match (filled(request.listing_id), filled(request.agent_name)) {
            (Some(id), _) => GrantSubject::Listing(id.parse().map_err(|_| Problem::listing_not_found(&id))?),
            (None, Some(name)) => {
                let described = filled(request.description);
                let described =
                    described.map(|text| argument_text::text("description", &text, MAX_DESCRIPTION_CHARS));
                let default = if sku == Sku::McpMesh { Kind::Mcp } else { Kind::Agent };
                GrantSubject::Described {
                    kind: request.kind.unwrap_or(default),
                    name: argument_text::line("agent_name", &name, MAX_NAME_CHARS)?,
                    description: described.transpose()?,
                }
            }
            (None, None) => {
                let detail = "Send the `listing_id` of the listing for which you buy the product. Or send an \
                              `agent_name` and a `description` of what the agent does.";
                return Err(Problem::invalid("listing_id", "for_whom", detail));
            }
        };
        let code = filled(request.code).map(|code| code.parse::<DiscountCode>()).transpose();
        let code =
            code.map_err(|error| Problem::invalid("code", "bad_code", format!("`code` is {error}.")))?;
        let email = filled(request.contact_email);
        let email = email.map(|email| email_address::parse("contact_email", &email)).transpose()?;
        let key = RepeatKey::of(request.idempotency_key.as_deref(), code.as_ref(), &app.random)?;
        Ok(Self { sku, subject, goals: request.goals, code, email, key })
    }

    /// Everything that identifies the request.
    pub(super) fn canonical(&self) -> String {
        let code = self.code.as_ref().map(DiscountCode::digest);
        json!([self.sku, self.subject, self.goals, code, self.email]).to_string()
    }
}

/// A shorter key could be guessed, and a caller who guesses it receives the same answer.
const MIN_KEY_CHARS: usize = 16;
const MAX_KEY_CHARS: usize = 200;

/// A secret of the caller that identifies a repeated request.
pub(super) struct RepeatKey(String);

impl RepeatKey {
    pub(super) fn of(
        idempotency_key: Option<&str>,
        code: Option<&DiscountCode>,
        random: &Random,
    ) -> Result<Self, Problem> {
        match (idempotency_key, code) {
            (Some(key), _) if is_valid_key(key) => Ok(Self(format!("key\n{key}"))),
            (Some(_), _) => Err(Problem::invalid(
                "idempotency_key",
                "bad_idempotency_key",
                format!(
                    "`idempotency_key` must have {MIN_KEY_CHARS} to {MAX_KEY_CHARS} printable characters \
                     without spaces. It must be hard to guess, such as a UUID."
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
    pub(super) fn fingerprint(&self, request: &str) -> String {
        hex(&self.tag(&["request", request]))
    }

    /// The access token of a purchase with this salt. It cannot be derived from the table without the key.
    pub(super) fn token(&self, salt: &str) -> AccessToken {
        AccessToken::of_bytes(&self.tag(&["token", salt]))
    }

    fn tag(&self, parts: &[&str]) -> [u8; 32] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.as_bytes());
        let mut bytes = [0; 32];
        bytes.copy_from_slice(hmac::sign(&key, parts.join("\n").as_bytes()).as_ref());
        bytes
    }
}

fn is_valid_key(key: &str) -> bool {
    (MIN_KEY_CHARS..=MAX_KEY_CHARS).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_depends_on_key_and_salt() {
        let random = Random::seeded(1);
        let key = |text: &str| RepeatKey::of(Some(text), None, &random).unwrap();
        let (one, other) = (key("0123456789abcdef"), key("0123456789abcdeF"));
        assert_eq!(one.token("salt"), key("0123456789abcdef").token("salt"));
        assert_ne!(one.token("salt"), one.token("pepper"));
        assert_ne!(one.token("salt"), other.token("salt"));
        assert_ne!(one.digest(), other.digest());
        assert_ne!(one.fingerprint("a"), one.fingerprint("b"));
        let without = || RepeatKey::of(None, None, &random).unwrap().digest();
        assert_ne!(without(), without(), "a request without a key is never the same");
    }

    #[test]
    fn guessable_key_is_rejected() {
        let long = "x".repeat(MAX_KEY_CHARS + 1);
        for wrong in ["", "1", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\u{e9}", &long] {
            let refused = RepeatKey::of(Some(wrong), None, &Random::seeded(1)).map(drop).unwrap_err();
            assert_eq!(
                (refused.code, refused.field.as_deref()),
                ("bad_idempotency_key", Some("idempotency_key"))
            );
        }
    }
}
