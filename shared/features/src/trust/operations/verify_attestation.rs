//! Verifies a signed statement and returns the result of each check. It checks form, algorithm, key,
//! signature, issuer, time, revocation and listing. An invalid token is a result, not an error of the caller.

use crate::log::{LogPlace, attested_digest};
use crate::prelude::*;
use crate::trust::attestation::{ALGORITHM, TOKEN_TYPE, parse_token};
use crate::trust::keys;
use registry_model::{AttestationId, AttestationRecord, AttestationType, sha256_hex};

pub struct VerifyAttestation;

/// The token to verify.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The token that `attest` returned.
    jws: String,
    /// The id (`att_...`) that the token must have. Optional.
    id: Option<String>,
}

/// Whether the statement is valid, and what it contains.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Whether all checks passed.
    valid: bool,
    /// The result of each check. Checks that depend on a failed check are left out.
    checks: Vec<TokenCheck>,
    /// The id of the statement. If the signature is invalid, this field and the following fields are null.
    id: Option<AttestationId>,
    #[serde(rename = "type")]
    about: Option<AttestationType>,
    /// The listing that the statement is about.
    subject: Option<ListingId>,
    /// The registry that signed it.
    issuer: Option<String>,
    issued_at: Option<Moment>,
    expires_at: Option<Moment>,
    /// The signed facts, as they were when the statement was issued.
    claims: Option<Map<String, Value>>,
    /// The place of the statement in the evidence log. Null if the registry has no record of the statement.
    log: Option<LogPlace>,
}

/// One check of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenCheck {
    /// `form`, `algorithm`, `key`, `signature`, `claims`, `issuer`, `expiry`, `id`, `record`, `revocation` or `listing`.
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
    /// The registry's record of this token, unless the token expired long ago.
    pub record: Option<AttestationRecord>,
}

impl Verification {
    pub fn is_valid(&self) -> bool {
        self.signed.is_some() && self.checks.iter().all(|check| check.ok)
    }
}

impl Operation for VerifyAttestation {
    const NAME: &'static str = "verify_attestation";
    const TITLE: &'static str = "Verify a signed statement";
    const DESCRIPTION: &'static str = "Verifies a signed statement (attestation) of this registry. Pass the \
        token as jws. Returns `valid`, the result of each check and the signed facts. The checks include the \
        signature, the expiry and the revocation. An invalid token is not an error: the answer contains \
        `valid` with the value false.";
    const PHRASES: &'static [&'static str] = &["verify the attestation {jws}", "check the attestation {jws}"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str =
        r#"{"jws": "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL3JlZ2lzdHJ5In0.c2lnbmF0dXJl"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The statement is {valid?valid|not valid} | : {type} about {subject} | , expiry: {expires_at} | . Issued at {issued_at}: `claims` in the data contains what was found then, good or bad.",
        "Checks: [checks]{id} {ok?passed|failed} | : {detail}",
    ];
    const FAMILY: Option<Family> = Some(Family::TRUST);
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let found = verify(app, &arguments.jws, arguments.id.as_deref()).await?;
        let valid = found.is_valid();
        let signed = found.signed.as_ref();
        let time = |seconds: Option<i64>| seconds.and_then(Moment::from_second);
        let log = match &found.record {
            Some(record) => Some(place(app, record).await?),
            None => None,
        };
        Ok(Answer {
            valid,
            log,
            id: signed.map(|signed| signed.jti.clone()),
            about: signed.map(|signed| signed.about),
            subject: signed.map(|signed| signed.sub.clone()),
            issuer: signed.map(|signed| signed.iss.clone()),
            issued_at: time(signed.map(|signed| signed.iat)),
            expires_at: time(signed.map(|signed| signed.exp)),
            claims: found.signed.map(|signed| signed.claims),
            checks: found.checks,
        })
    }
}

async fn place(app: &App, record: &AttestationRecord) -> Result<LogPlace, Problem> {
    let AttestationRecord { listing_id, issued_at, id, .. } = record;
    let index = match app.store.batch_of(record).await? {
        Some(batch) => batch.index,
        None => app.store.attestation_leaf(listing_id, *issued_at, id).await?,
    };
    Ok(LogPlace::of_attestation(&app.settings, listing_id, *issued_at, id, index))
}

/// Verifies a token; `id` is the expected id, if any.
pub async fn verify(app: &App, token: &str, id: Option<&str>) -> Result<Verification, Problem> {
    let mut checks = Checks(Vec::new());
    let mut known = None;
    let token = token.trim();
    let signed = signed(app, token, &mut checks).await?;
    if let Some(signed) = &signed {
        let is_ours = signed.iss == app.settings.base_url;
        checks.add("issuer", is_ours, ["Issued by this registry.", "Issued under another base URL."]);
        expiry(app.clock.now(), signed, &mut checks);
        if let Some(id) = id {
            let is_expected = id == signed.jti.as_str();
            checks.add("id", is_expected, ["The id is the expected one.", "The token has another id."]);
        }
        let second = signed.claims.get("listing_b").and_then(Value::as_str).and_then(|id| id.parse().ok());
        let subjects: Vec<ListingId> = [signed.sub.clone()].into_iter().chain(second).collect();
        let (record, listings) = futures::try_join!(
            app.store.attestation(&signed.sub, &signed.jti),
            app.store.listings(&subjects)
        )?;
        if let Some(record) = &record {
            let issued = issued_digest(app, record).await?;
            let is_issued = issued.as_deref() == Some(sha256_hex(token).as_str());
            let failure = "The registry issued another token under this id.";
            checks.add("record", is_issued, ["The registry issued this token.", failure]);
        }
        revocation(record.as_ref(), &mut checks);
        let exists = listings.len() == subjects.len();
        let failure = if exists { "The listing was withdrawn." } else { "The listing no longer exists." };
        let is_listed = exists && listings.iter().all(|listing| listing.lane != Lane::Withdrawn);
        checks.add("listing", is_listed, ["The listing exists and is not withdrawn.", failure]);
        known = record;
    }
    Ok(Verification { checks: checks.0, signed, record: known })
}

/// The digest of the token that the registry issued. Whoever has a leaked key can sign other claims under the id of an
/// attestation, but not with this digest. Records of older versions do not contain it; then it is in the log.
async fn issued_digest(app: &App, record: &AttestationRecord) -> Result<Option<String>, Problem> {
    if record.jws_sha256.is_some() {
        return Ok(record.jws_sha256.clone());
    }
    let logged = attested_digest(app, &record.listing_id, record.issued_at, &record.id).await?;
    Ok(logged.map(|(_, digest)| digest))
}

struct Checks(Vec<TokenCheck>);

impl Checks {
    /// Adds a check with one of two details, for a passed and for a failed one; returns `ok`.
    fn add(&mut self, id: &'static str, ok: bool, [passed, failed]: [&str; 2]) -> bool {
        let detail = if ok { passed } else { failed }.to_owned();
        self.0.push(TokenCheck { id, ok, detail });
        ok
    }
}

/// The content of a token, if a published key of this registry signed it as a statement.
async fn signed(app: &App, text: &str, checks: &mut Checks) -> Result<Option<Signed>, Problem> {
    let token = parse_token(text);
    let failure = token.as_ref().err().copied().unwrap_or_default();
    checks.add("form", token.is_ok(), ["The token is a JWS in compact form.", failure]);
    let Ok(token) = token else { return Ok(None) };
    let header = |name: &str| token.header.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_ours =
        header("alg") == ALGORITHM && header("typ") == TOKEN_TYPE && !token.header.contains_key("crit");
    let expected = "The token must have alg ES256 and typ attestation+jwt, as all statements of this \
        registry.";
    if !checks.add("algorithm", is_ours, ["The token is an ES256 attestation.", expected]) {
        return Ok(None);
    }
    let key = keys::verifier(app, header("kid")).await?;
    let details =
        ["The kid is in the key set of this registry.", "The kid is not in the key set of this registry."];
    checks.add("key", key.is_some(), details);
    let Some(key) = key else { return Ok(None) };
    let is_valid = key.signed(token.signed, &token.signature);
    let failure = "The signature is not valid. The token was changed, or another key signed it.";
    if !checks.add("signature", is_valid, ["The signature is valid.", failure]) {
        return Ok(None);
    }
    let signed = serde_json::from_value(Value::Object(token.payload)).ok();
    if signed.is_none() {
        checks.add("claims", false, ["", "The payload is not a statement of this registry."]);
    }
    Ok(signed)
}

fn expiry(now: Moment, signed: &Signed, checks: &mut Checks) {
    let now = now.as_second();
    let until = Moment::from_second(signed.exp).map(|at| at.to_string()).unwrap_or_default();
    let is_expired = signed.exp <= now;
    // The clocks may differ by so many seconds.
    let is_future = signed.iat > now + 60;
    let expired = format!("Expired at {until}.");
    let failure = if is_expired { &expired } else { "The issue time is in the future." };
    checks.add("expiry", !is_expired && !is_future, [&format!("Valid until {until}."), failure]);
}

fn revocation(record: Option<&AttestationRecord>, checks: &mut Checks) {
    let revoked = record.and_then(|record| record.revoked.as_ref());
    let failure = match revoked {
        Some(revoked) => format!("Revoked at {}: {}", revoked.at, revoked.reason.as_str()),
        None => "The registry has no record of this token.".to_owned(),
    };
    checks.add("revocation", record.is_some() && revoked.is_none(), ["Not revoked.", &failure]);
}
