//! Signed proofs that a listing is Live: tokens (JWS in compact form, ES256) that anybody can verify with the key set of the
//! registry. An agent can put the URL of its token into its card. A token is made from the stored listing; it is not stored.

use http::StatusCode;
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::json;

use super::attestation::sign_token;
use super::keys;
use crate::views::LivenessState;
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{Kind, Lane, LastLeaf, ListingId, LogEvent, Moment, NextStep};

/// RFC 8725 §3.11: an attestation cannot pass for such a token, nor such a token for an attestation.
const TYPE: &str = "liveness+jwt";
/// A token expires after this time, even if the proof in it is valid for longer: the listing may be withdrawn.
const MAX_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// The claims about a listing.
#[derive(Debug, Serialize)]
struct Proof<'a> {
    kind: Kind,
    /// The URL that answered the last handshake.
    endpoint: &'a str,
    /// `proven`, or `failing` if the last probe failed and the failure is not confirmed.
    state: LivenessState,
    proven_at: Moment,
    proof_valid_until: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogClaim>,
}

/// The latest decision about the listing in the evidence log.
#[derive(Debug, Serialize)]
struct LogClaim {
    /// The URL of the log, which has its tree, its proofs and its key.
    tree: String,
    event: LogEvent,
    at: Moment,
    /// Absent for the minutes until the decision is in the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf_index: Option<u64>,
}

/// The token of a Live listing, by two reads: the listing with its evidence, and the key.
///
/// # Errors
/// 404 for an unknown or withdrawn listing, 409 if the listing is not Live.
pub async fn liveness_token(app: &App, id: &str) -> Result<String, Problem> {
    let unknown = || Problem::listing_not_found(id);
    let id: ListingId = id.parse().map_err(|_| unknown())?;
    let named = app.store.listing_with_evidence(&id).await?.ok_or_else(unknown)?;
    let (listing, _) = &*named;
    let lane = listing.shown_lane(app.oldest_proof());
    let proof = listing.last_ok_at.filter(|_| lane == Lane::Active).zip(listing.endpoint.as_deref());
    let Some((proven_at, endpoint)) = proof else { return Err(no_proof(app, &id, lane)) };
    let now = app.clock.now();
    let proof_valid_until = proven_at + app.settings.recheck_interval();
    let claims = Proof {
        kind: listing.shown_kind(),
        endpoint,
        state: LivenessState::of(listing, app.oldest_proof()),
        proven_at,
        proof_valid_until,
        log: listing.last_leaf.as_ref().map(|leaf| log_claim(app, leaf)),
    };
    let payload = json!({
        "iss": app.settings.base_url,
        "sub": id,
        "iat": now.as_second(),
        "exp": proof_valid_until.min(now + MAX_LIFE).as_second(),
        "liveness": claims,
    });
    sign_token(app, &keys::signing(app).await?, TYPE, &payload).await
}

fn log_claim(app: &App, leaf: &LastLeaf) -> LogClaim {
    LogClaim { tree: app.settings.url("/log"), event: leaf.event, at: leaf.at, leaf_index: leaf.index }
}

fn no_proof(app: &App, id: &ListingId, lane: Lane) -> Problem {
    if lane == Lane::Withdrawn {
        let detail = "This listing was withdrawn, so there is no proof that it is Live.";
        return Problem::new(StatusCode::NOT_FOUND, "listing_withdrawn", detail);
    }
    let detail = format!("Only a Live listing has a signed proof. The state of `{id}` is {}.", lane.as_str());
    let note = "The status shows what the listing waits for or what to fix.";
    let next = NextStep::check_status(&app.settings, id, note);
    Problem::new(StatusCode::CONFLICT, "not_active", detail).with("lane", lane.as_str()).with_next(next)
}
