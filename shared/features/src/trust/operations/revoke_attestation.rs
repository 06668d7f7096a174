//! Revokes a signed statement that should not have been signed. After that, `verify_attestation` returns the
//! revocation with its reason.

use crate::operation::operator_token;
use crate::prelude::*;
use registry_model::{AttestationId, PublicReason, Revocation};

pub struct RevokeAttestation;

/// The statement and the reason.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing that the statement is about.
    listing_id: String,
    /// The id of the statement (`att_...`).
    #[serde(alias = "id")]
    attestation_id: String,
    /// The reason. It is public.
    reason: String,
}

/// The state after the call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    attestation_id: AttestationId,
    /// Whether this call revoked the statement. It is false if the statement was already revoked.
    changed: bool,
    /// When and why the statement was revoked.
    revoked: Option<Revocation>,
}

impl Operation for RevokeAttestation {
    const NAME: &'static str = "revoke_attestation";
    const TITLE: &'static str = "Revoke a signed statement";
    const DESCRIPTION: &'static str = "Revokes a signed statement. Only for the operator (bearer token). \
        Pass listing_id, attestation_id and a reason, which is public. After that, verify_attestation \
        returns valid: false with this reason.";
    const PHRASES: &'static [&'static str] = &["revoke an attestation", "revoke an attestation of {id}"];
    const EFFECT: Effect = Effect { idempotent: true, destructive: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "attestation_id": "att_0123456789abcdef01234567", "reason": "Signed in error."}"#;
    const SUMMARY: &'static [&'static str] =
        &["The statement {attestation_id} is revoked | since {revoked.at}."];
    const FAMILY: Option<Family> = Some(Family::TRUST);
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let reason: PublicReason = arguments
            .reason
            .parse()
            .map_err(|error| Problem::invalid("reason", Code::BadReason, format!("`reason` is {error}.")))?;
        let unknown = || {
            let detail = "There is no such statement about this listing. It expired, or it never existed.";
            Problem::new(Code::AttestationNotFound, detail)
        };
        let listing_id: ListingId = arguments.listing_id.parse().map_err(|_| unknown())?;
        let id: AttestationId = arguments.attestation_id.parse().map_err(|_| unknown())?;
        let revocation = Revocation { at: app.clock.now(), reason };
        let changed = app.store.revoke_attestation(&listing_id, &id, &revocation).await?;
        let record = app.store.attestation(&listing_id, &id).await?.ok_or_else(unknown)?;
        Ok(Answer { attestation_id: id, changed, revoked: record.revoked })
    }
}
