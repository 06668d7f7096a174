//! Verifies a signed statement check by check: form, algorithm, key, signature, issuer, time, revocation. An invalid token
//! is a result, not an error of the caller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{attestation, keys};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{AttestationId, AttestationRecord, AttestationType, Lane, ListingId, Moment};

/// Seconds that a token's time may be in the future.
const MAX_CLOCK_SKEW_S: i64 = 60;

/// One check of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenCheck {
    /// `form`, `algorithm`, `key`, `signature`, `claims`, `issuer`, `expiry`, `id`, `revocation` or `listing`.
    pub id: &'static str,
    /// Whether the check passed.
    pub ok: bool,
    /// What was found.
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Signed {
    pub iss: String,
    pub sub: ListingId,
    pub iat: i64,
    pub exp: i64,
    pub jti: AttestationId,
    #[serde(rename = "type")]
    pub about: AttestationType,
    pub claims: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// In order; checks after a failed one are left out if they depend on it.
    pub checks: Vec<TokenCheck>,
    /// `None` if the signature is not valid: then its content proves nothing.
    pub signed: Option<Signed>,
}

impl Verification {
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.signed.is_some() && self.checks.iter().all(|check| check.ok)
    }
}

/// Verifies a token; `id` is the expected id, if any.
pub async fn verify(app: &App, token: &str, id: Option<&str>) -> Result<Verification, Problem> {
    let mut checks = Vec::new();
    let signed = signed(app, token.trim(), &mut checks).await?;
    if let Some(signed) = &signed {
        checks.push(issuer(app, signed));
        checks.push(expiry(app.clock.now(), signed));
        if let Some(id) = id {
            let detail = if id == signed.jti.as_str() {
                "The id is the expected one."
            } else {
                "The token has another id."
            };
            checks.push(check("id", id == signed.jti.as_str(), detail));
        }
        let (record, listing) = futures::try_join!(
            app.store.attestation(&signed.sub, &signed.jti),
            app.store.listing(&signed.sub)
        )?;
        checks.push(revocation(record.as_ref()));
        checks.push(match listing.map(|listing| listing.lane) {
            None => check("listing", false, "The listing no longer exists."),
            Some(Lane::Withdrawn) => check("listing", false, "The listing was withdrawn."),
            Some(_) => check("listing", true, "The listing is listed."),
        });
    }
    Ok(Verification { checks, signed })
}

/// The content of a token, if a published key of this registry signed it as a statement.
async fn signed(app: &App, text: &str, checks: &mut Vec<TokenCheck>) -> Result<Option<Signed>, Problem> {
    let token = match attestation::parse_token(text) {
        Ok(token) => token,
        Err(why) => {
            checks.push(check("form", false, why));
            return Ok(None);
        }
    };
    checks.push(check("form", true, "The token is a JWS in compact form."));
    let header = |name: &str| token.header.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_ours = header("alg") == attestation::ALGORITHM
        && header("typ") == attestation::TOKEN_TYPE
        && !token.header.contains_key("crit");
    let expected = format!(
        "Statements of this registry have alg {} and typ {}.",
        attestation::ALGORITHM,
        attestation::TOKEN_TYPE
    );
    checks.push(check(
        "algorithm",
        is_ours,
        if is_ours { "The token is an ES256 attestation." } else { &expected },
    ));
    if !is_ours {
        return Ok(None);
    }
    let Some(key) = keys::verifier(app, header("kid")).await? else {
        checks.push(check("key", false, "The kid is not in the key set of this registry."));
        return Ok(None);
    };
    checks.push(check("key", true, "The kid is in the key set of this registry."));
    let holds = key.signed(token.signed, &token.signature);
    let detail = if holds {
        "The signature is valid."
    } else {
        "The signature is not valid: the token was changed, or another key signed it."
    };
    checks.push(check("signature", holds, detail));
    if !holds {
        return Ok(None);
    }
    let signed = serde_json::from_value(Value::Object(token.payload)).ok();
    if signed.is_none() {
        checks.push(check("claims", false, "The payload is not a statement of this registry."));
    }
    Ok(signed)
}

fn issuer(app: &App, signed: &Signed) -> TokenCheck {
    let ours = signed.iss == app.settings.base_url;
    check("issuer", ours, if ours { "Issued by this registry." } else { "Issued under another base URL." })
}

fn expiry(now: Moment, signed: &Signed) -> TokenCheck {
    let now = now.as_second();
    let until = Moment::from_second(signed.exp).map(|at| at.to_string()).unwrap_or_default();
    if signed.exp <= now {
        return check("expiry", false, &format!("Expired at {until}."));
    }
    if signed.iat > now + MAX_CLOCK_SKEW_S {
        return check("expiry", false, "The issue time is in the future.");
    }
    check("expiry", true, &format!("Valid until {until}."))
}

fn revocation(record: Option<&AttestationRecord>) -> TokenCheck {
    match record {
        None => check("revocation", false, "The registry has no record of this token."),
        Some(AttestationRecord { revoked: Some(revoked), .. }) => {
            let detail = format!("Revoked at {}: {}", revoked.at, revoked.reason.as_str());
            check("revocation", false, &detail)
        }
        Some(_) => check("revocation", true, "Not revoked."),
    }
}

fn check(id: &'static str, ok: bool, detail: &str) -> TokenCheck {
    TokenCheck { id, ok, detail: detail.to_owned() }
}
