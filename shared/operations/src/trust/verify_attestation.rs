//! Verifies a signed statement of this registry, check by check. A bad token is answered with what is wrong, never with an
//! error: whoever asks did nothing wrong.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::operation::{Effect, Operation};
use crate::route::Action;
use registry_app::App;
use registry_domain::trust::verification::{self, TokenCheck};
use registry_domain::views::LogPlace;
use registry_model::error::Problem;
use registry_model::{AttestationId, AttestationType, Caller, ListingId, Moment};

/// Verifies a statement.
#[derive(Debug)]
pub struct VerifyAttestation;

/// Which statement.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The token, as `attest` gave it.
    jws: String,
    /// The id that it is expected to have (`att_...`).
    id: Option<String>,
}

/// Whether it counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// Whether all checks hold.
    valid: bool,
    /// Each check and its outcome; those that could not be judged after one that failed are left out.
    checks: Vec<TokenCheck>,
    /// Its id; this and what follows is null where the signature does not hold, for then nobody said it.
    id: Option<AttestationId>,
    /// What it is about.
    #[serde(rename = "type")]
    about: Option<AttestationType>,
    /// Of which listing it speaks.
    subject: Option<ListingId>,
    /// Who signed it.
    issuer: Option<String>,
    issued_at: Option<Moment>,
    expires_at: Option<Moment>,
    /// The facts that were signed. They were true when it was issued.
    claims: Option<Map<String, Value>>,
    /// Its leaf in the log of evidence.
    log: Option<LogPlace>,
}

impl Operation for VerifyAttestation {
    const NAME: &'static str = "verify_attestation";
    const TITLE: &'static str = "Verify a signed statement";
    const DESCRIPTION: &'static str = "Verifies an attestation of this registry: form, algorithm, key, signature, \
        issuer, expiry and revocation, each with its outcome. A bad token is answered with valid: false.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str =
        r#"{"jws": "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL3JlZ2lzdHJ5In0.c2lnbmF0dXJl"}"#;
    const PHRASES: &'static [&'static str] =
        &["verify the attestation {text}", "check the attestation {text}"];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/first-principles", names: &["verify_attestation", "verify"] }];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let found = verification::verify(app, &arguments.jws, arguments.id.as_deref()).await?;
        let valid = found.is_valid();
        let signed = found.signed.as_ref();
        let time = |seconds: Option<i64>| seconds.and_then(Moment::from_second);
        let log = match signed.and_then(|signed| Some((signed, Moment::from_second(signed.iat)?))) {
            Some((signed, at)) => {
                let index = app.store.attestation_leaf(&signed.sub, at, &signed.jti).await?;
                Some(LogPlace::of_attestation(&app.settings, &signed.sub, at, &signed.jti, index))
            }
            None => None,
        };
        Ok(Answer {
            ok: true,
            version: registry_domain::trust::VERSION,
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
