//! Signed statements about listings (attestations). They are JWS tokens (compact serialization, RFC 7515
//! §7.1). The facts in them come from [`facts`](super::facts) or from the table, never from a caller. The
//! parser accepts only the exact form that the registry writes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use jiff::SignedDuration;

use super::keys::{self, SignKey};
use crate::prelude::*;
use registry_model::{AttestationId, AttestationRecord, AttestationType, Dump, json, sha256_hex};
use registry_store::Allowance;

/// The allowed lifetime of a statement, in hours.
pub const LIFE_HOURS: std::ops::RangeInclusive<u32> = 1..=720;
pub const DEFAULT_HOURS: u32 = 72;

#[derive(Clone, Debug)]
pub struct Statement {
    pub about: AttestationType,
    pub listing_id: ListingId,
    /// Read from the table, never from a caller.
    pub claims: Map<String, Value>,
    /// The lifetime in hours, within [`LIFE_HOURS`].
    pub hours: u32,
}

/// A signed statement.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Attestation {
    /// The id of the statement (`jti` in the token).
    pub id: AttestationId,
    /// The type of the statement.
    #[serde(rename = "type")]
    pub about: AttestationType,
    /// The listing that the statement is about (`sub` in the token).
    pub subject: ListingId,
    /// The facts, as in the token.
    #[schemars(with = "Map<String, Value>")]
    pub claims: Value,
    /// When it was signed.
    pub issued_at: Moment,
    /// The time until which it is valid.
    pub expires_at: Moment,
    /// The signer: the base URL of this registry (`iss` in the token).
    pub issuer: String,
    /// The id of the signing key in the key set.
    pub kid: String,
    /// The token: JWS in compact form, ES256.
    pub jws: String,
    /// The key set that verifies the token.
    pub jwks_uri: String,
}

/// Signs a statement and stores its record; `act` is counted with it, if there are rate limits. Error: 429.
pub async fn issue(
    app: &App,
    statement: Statement,
    act: Option<&Allowance<'_>>,
) -> Result<Attestation, Problem> {
    let Statement { about, listing_id, claims, hours } = statement;
    let key = keys::signing(app).await?;
    // Tokens use whole seconds, so the answer and the record do too.
    let now = app.clock.now();
    let issued_at = now.rounded_down(1);
    let life = SignedDuration::from_hours(hours.clamp(*LIFE_HOURS.start(), *LIFE_HOURS.end()).into());
    let mut record = AttestationRecord {
        id: AttestationId::at(now, &app.random),
        about,
        listing_id,
        kid: key.kid().to_owned(),
        issued_at,
        expires_at: issued_at + life,
        jws_sha256: None,
        revoked: None,
        is_negative: ["live", "clean"].iter().any(|claim| claims.get(*claim) == Some(&Value::Bool(false))),
    };
    let issuer = app.settings.base_url.clone();
    let claims = Value::Object(claims);
    let payload = json!({
        "iss": issuer,
        "sub": record.listing_id,
        "iat": record.issued_at.as_second(),
        "exp": record.expires_at.as_second(),
        "jti": record.id,
        "type": about,
        "claims": claims,
    });
    let jws = sign_token(app, &key, TOKEN_TYPE, &payload).await?;
    record.jws_sha256 = Some(sha256_hex(&jws));
    app.store.keep_attestation(&record, act).await?;
    let AttestationRecord { id, listing_id: subject, issued_at, expires_at, kid, .. } = record;
    let jwks_uri = app.settings.url("/.well-known/jwks.json");
    Ok(Attestation { id, about, subject, claims, issued_at, expires_at, issuer, kid, jws, jwks_uri })
}

/// The token of the latest dump, which anybody can verify with the key set of the registry. It is made when it is read, by
/// one read of the key; it is not stored.
pub async fn dump_token(app: &App, dump: &Dump) -> Result<String, Problem> {
    let payload = json!({
        "iss": app.settings.base_url,
        "iat": app.clock.now().as_second(),
        "dump": { "day": dump.day, "sha256": dump.sha256, "listings": dump.listings, "license": dump.license },
    });
    sign_token(app, &keys::signing(app).await?, DUMP_TOKEN_TYPE, &payload).await
}

/// RFC 8725 §3.11 (explicit typing): nothing else that the key signs can pass for a statement.
pub(super) const TOKEN_TYPE: &str = "attestation+jwt";
const DUMP_TOKEN_TYPE: &str = "dump+jwt";
pub(super) const ALGORITHM: &str = "ES256";
const MAX_TOKEN_BYTES: usize = 32 * 1024;

/// A parsed token; nothing is verified yet.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) header: Map<String, Value>,
    pub(super) payload: Map<String, Value>,
    /// The signing input.
    pub(super) signed: &'a str,
    pub(super) signature: Vec<u8>,
}

/// A JWS in compact form.
async fn sign_token(app: &App, key: &SignKey, token_type: &str, payload: &Value) -> Result<String, Problem> {
    let header = json!({ "alg": ALGORITHM, "kid": key.kid(), "typ": token_type });
    let signed = format!("{}.{}", encode_part(&header)?, encode_part(payload)?);
    let signature = key.sign(app, &signed).await?;
    Ok(format!("{signed}.{signature}"))
}

pub(super) fn parse_token(text: &str) -> Result<Token<'_>, &'static str> {
    if text.len() > MAX_TOKEN_BYTES {
        return Err("The token is longer than any token of this registry.");
    }
    let shape = "The token does not consist of three parts joined by dots.";
    let (signed, signature) = text.rsplit_once('.').ok_or(shape)?;
    let (header, payload) = signed.split_once('.').ok_or(shape)?;
    let object = |part: &str| -> Option<Map<String, Value>> {
        match json::parse(&BASE64URL.decode(part).ok()?) {
            Ok(Value::Object(members)) => Some(members),
            _ => None,
        }
    };
    Ok(Token {
        header: object(header).ok_or("The header is not a JSON object in base64url.")?,
        payload: object(payload).ok_or("The payload is not a JSON object in base64url.")?,
        signed,
        signature: BASE64URL.decode(signature).map_err(|_| "The signature is not base64url.")?,
    })
}

/// Canonical JSON, so that the same statement is always the same text.
pub(super) fn encode_part(value: &Value) -> Result<String, Problem> {
    let bytes = serde_json_canonicalizer::to_vec(value).map_err(Problem::fault)?;
    Ok(BASE64URL.encode(bytes))
}
