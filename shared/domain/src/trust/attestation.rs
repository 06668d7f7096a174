//! Signed statements about listings: a JWS over facts that the registry observed, for a time. What is signed comes from
//! [`facts`](super::facts), or from other code that read it from the table, and never from a caller.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{jws, keys};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{AttestationId, AttestationRecord, AttestationType, Kind, ListingId, Moment};
use registry_store::Allowance;

/// The allowed lifetime of a statement, in hours.
pub const LIFE_HOURS: std::ops::RangeInclusive<u32> = 1..=720;
/// The default lifetime, in hours.
pub const USUAL_HOURS: u32 = 72;

#[derive(Clone, Debug)]
pub struct Statement {
    pub about: AttestationType,
    pub listing_id: ListingId,
    pub kind: Kind,
    /// Read from the table, never from a caller.
    pub claims: Map<String, Value>,
    /// The lifetime in hours, within [`LIFE_HOURS`].
    pub hours: u32,
}

/// A signed statement.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Attestation {
    /// The id, the `jti` of the token.
    pub id: AttestationId,
    /// The type of the statement.
    #[serde(rename = "type")]
    pub about: AttestationType,
    /// The listing, the `sub` of the token.
    pub subject: ListingId,
    /// The facts, as in the token.
    #[schemars(with = "Map<String, Value>")]
    pub claims: Value,
    /// When it was signed.
    pub issued_at: Moment,
    /// The time until which it is valid.
    pub expires_at: Moment,
    /// The signer, the `iss` of the token: the base URL of this registry.
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
    let Statement { about, listing_id, kind, claims, hours } = statement;
    let key = keys::signing(app).await?;
    // Tokens count whole seconds, and so do the answer and the record.
    let now = app.clock.now();
    let issued_at = Moment::from_second(now.as_second()).unwrap_or(now);
    let life = SignedDuration::from_hours(hours.clamp(*LIFE_HOURS.start(), *LIFE_HOURS.end()).into());
    let record = AttestationRecord {
        id: AttestationId::at(now, &app.random),
        about,
        listing_id,
        kid: key.kid().to_owned(),
        issued_at,
        expires_at: issued_at + life,
        revoked: None,
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
    let jws = jws::sign(&key, &payload)?;
    if let Some(used_up) = app.store.keep_attestation(&record, kind, &jws, act).await? {
        return Err(used_up.into());
    }
    let AttestationRecord { id, listing_id: subject, issued_at, expires_at, kid, .. } = record;
    let jwks_uri = app.settings.url("/.well-known/jwks.json");
    Ok(Attestation { id, about, subject, claims, issued_at, expires_at, issuer, kid, jws, jwks_uri })
}
