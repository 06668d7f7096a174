//! Verifies a signed statement of this registry and returns the result of each check. An invalid token is no error.

use crate::log::LogPlace;
use crate::prelude::*;
use crate::trust::verification::{self, TokenCheck};
use registry_model::{AttestationId, AttestationRecord, AttestationType};

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
        let found = verification::verify(app, &arguments.jws, arguments.id.as_deref()).await?;
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
