//! A checkout request. It contains the listing or agent for which the product is made, the goals, and a key
//! that identifies a repeated request.
//!
//! The key is the `idempotency_key`, together with the product and for whom it is made. If there is no
//! `idempotency_key`, the key is the discount code. If there is no code either, the key is random. The access token is
//! derived from the key. So the registry can repeat an answer that was lost, but it stores nothing that opens a product.

use ring::hmac;

use crate::funnel::{self, Goals};
use crate::prelude::*;
use registry_formats::public_text::public_text;
use registry_formats::{argument_text, email_address};
use registry_model::{AccessToken, DiscountCode, GrantSubject, Random, hex, sha256_hex};

const MAX_NAME_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 2000;

/// A purchase. Without a `sku`, nothing is bought. Then the answer lists the products, and how much feedback is missing
/// until payments open.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Arguments")]
pub struct CheckoutRequest {
    /// The product.
    pub sku: Option<Sku>,
    /// The id of the listing that the product is for. If you send it, `agent_name` and `description` are ignored.
    pub listing_id: Option<String>,
    /// The name of the agent or MCP server. Send it if you send no `listing_id`.
    #[schemars(extend("format" = "public-text"))]
    pub agent_name: Option<String>,
    /// What the agent or MCP server does. Send it if you send no `listing_id`.
    #[schemars(extend("format" = "public-text"))]
    pub description: Option<String>,
    /// `agent` or `mcp`. Send it if you send no `listing_id`. Default: the kind that the product is for.
    pub kind: Option<Kind>,
    /// The goals of the agent, one per line. `CHARTER.md` contains them; for `mcp_mesh`, they help to choose its peers.
    #[serde(default)]
    pub goals: Goals,
    /// A discount code, valid for one purchase. Also send the `listing_id` that got the code for its feedback.
    pub code: Option<String>,
    /// The e-mail address for the receipt. It is sent to Stripe and not stored.
    #[serde(alias = "email")]
    pub contact_email: Option<String>,
    /// A random secret, such as a UUID of version 4. The same request with it returns the same purchase. Default: the code.
    #[schemars(extend("format" = "secret-key"), length(max = 200))]
    pub idempotency_key: Option<String>,
    /// The id of a purchase. Send it without `sku` (over HTTP with GET) to get the state of this purchase.
    #[schemars(length(max = 200))]
    pub purchase_id: Option<String>,
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
    /// `goals` are those of the request, checked.
    pub(super) fn parse(
        app: &App,
        sku: Sku,
        request: CheckoutRequest,
        goals: Vec<String>,
    ) -> Result<Self, Problem> {
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let subject = match (filled(request.listing_id), filled(request.agent_name)) {
            (Some(id), _) => {
                let unknown = |_| Problem::listing_not_found(&app.settings.base_url, &id);
                GrantSubject::Listing(id.parse().map_err(unknown)?)
            }
            (None, Some(name)) => {
                let name = argument_text::plain_line("agent_name", &name, MAX_NAME_CHARS)?;
                let described = filled(request.description);
                let described = described
                    .map(|text| argument_text::text("description", &text, MAX_DESCRIPTION_CHARS))
                    .transpose()?
                    .map(|text| public_text("description", &text, MAX_DESCRIPTION_CHARS));
                let default = if sku == Sku::McpMesh { Kind::Mcp } else { Kind::Agent };
                GrantSubject::Described {
                    kind: request.kind.unwrap_or(default),
                    name: public_text("agent_name", &name, MAX_NAME_CHARS)?,
                    description: described.transpose()?,
                }
            }
            (None, None) => {
                let detail = "Send the `listing_id` or the `agent_name` that the product is for.";
                return Err(Problem::invalid("listing_id", Code::ForWhom, detail));
            }
        };
        let code = filled(request.code).map(|code| code.parse::<DiscountCode>()).transpose();
        let code =
            code.map_err(|error| Problem::invalid("code", Code::BadCode, format!("`code` is {error}.")))?;
        let email = filled(request.contact_email);
        let email = email.map(|email| email_address::parse("contact_email", &email)).transpose()?;
        let scope = json!([sku, subject]).to_string();
        let key = RepeatKey::of(request.idempotency_key.as_deref(), &scope, code.as_ref(), &app.random)?;
        Ok(Self { sku, subject, goals, code, email, key })
    }

    /// Everything that identifies the request.
    pub(super) fn canonical(&self) -> String {
        let code = self.code.as_ref().map(DiscountCode::digest);
        json!([self.sku, self.subject, self.goals, code, self.email]).to_string()
    }
}

/// A secret of the caller that identifies a repeated request.
pub(super) struct RepeatKey(String);

impl RepeatKey {
    /// `scope` is the product and its subject: equal keys of different callers do not meet.
    pub(super) fn of(
        idempotency_key: Option<&str>,
        scope: &str,
        code: Option<&DiscountCode>,
        random: &Random,
    ) -> Result<Self, Problem> {
        match (idempotency_key, code) {
            (Some(key), _) => Ok(Self(format!("key\n{scope}\n{}", funnel::secret(key)?))),
            (None, Some(code)) => Ok(Self(format!("code\n{}", code.reveal()))),
            (None, None) => Ok(Self(format!("once\n{}", random.hex(32)))),
        }
    }

    pub(super) fn digest(&self) -> String {
        sha256_hex(&self.0)
    }

    /// Keyed fingerprint of the request; reveals nothing without the key.
    pub(super) fn fingerprint(&self, request: &str) -> String {
        hex(self.tag(&["request", request]))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_depends_on_key_and_salt() {
        let random = Random::seeded(1);
        const ONE: &str = "6a0e7f0c-2f5d-4a44-9a0e-6a7b1e1c9d10";
        let key = |text: &str| RepeatKey::of(Some(text), "alive", None, &random).unwrap();
        let (one, other) = (key(ONE), key("6a0e7f0c-2f5d-4a44-9a0e-6a7b1e1c9d11"));
        assert_eq!(one.token("salt"), key(ONE).token("salt"));
        let elsewhere = RepeatKey::of(Some(ONE), "kernel", None, &random).unwrap();
        assert_ne!(one.digest(), elsewhere.digest(), "a key belongs to its product and subject");
        assert_ne!(one.token("salt"), elsewhere.token("salt"));
        assert_ne!(one.token("salt"), one.token("pepper"));
        assert_ne!(one.token("salt"), other.token("salt"));
        assert_ne!(one.digest(), other.digest());
        assert_ne!(one.fingerprint("a"), one.fingerprint("b"));
        let without = || RepeatKey::of(None, "alive", None, &random).unwrap().digest();
        assert_ne!(without(), without(), "a request without a key is never the same");
    }
}
