//! What the registry can say of a listing because it observed it: the claims of a statement of each type. Everything is read
//! from the table; no word of a caller gets here, and none of a listing's own prose is repeated.

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::capability::Capability;
use super::reciprocity::Reciprocity;
use crate::app::App;
use crate::error::Problem;
use crate::model::{Assessment, AttestationType, Identity, Lane, Listing};

/// The claims of one type about a listing.
///
/// # Errors
/// 409 where nothing was observed that could be stated, or the listing was withdrawn; or the table is busy.
pub async fn observed(
    app: &App,
    about: AttestationType,
    listing: &Listing,
    evidence: Option<&Assessment>,
) -> Result<Map<String, Value>, Problem> {
    let lane = listing.shown_lane(app.oldest_proof());
    if lane == Lane::Withdrawn {
        let detail = "This listing was withdrawn: nothing is stated about it.";
        return Err(nothing("withdrawn", detail).with("lane", lane.as_str()));
    }
    let claims = match about {
        AttestationType::Liveness => liveness(app, listing, lane),
        AttestationType::ProbeClean => probe_clean(lane, probed(evidence)?),
        AttestationType::Capability => capability(listing, probed(evidence)?)?,
        AttestationType::Reciprocity => {
            let identities = identities(app, listing).await?;
            let found = Reciprocity::of(app, listing, evidence, &identities);
            json!({ "score": found.score, "of": 100, "signals": found.signals.iter().map(|signal| {
                json!({ "id": signal.id, "holds": signal.holds, "points": signal.points, "of": signal.of })
            }).collect::<Vec<_>>() })
        }
        AttestationType::IdentityBind => identity_bind(&identities(app, listing).await?)?,
    };
    let Value::Object(mut claims) = claims else { return Err(Problem::fault("claims are an object")) };
    claims.insert("listing_id".to_owned(), json!(listing.id));
    claims.insert("observed_until".to_owned(), json!(app.clock.now()));
    Ok(claims)
}

/// The identities that are of a listing as it stands now.
///
/// # Errors
/// The table is busy.
pub async fn identities(app: &App, listing: &Listing) -> Result<Vec<Identity>, Problem> {
    let kept = app.store.identities(&listing.id).await?.all;
    Ok(kept.into_iter().filter(|identity| identity.is_of(listing)).collect())
}

fn liveness(app: &App, listing: &Listing, lane: Lane) -> Value {
    json!({
        "live": lane == Lane::Active,
        "lane": lane,
        "last_signal_at": listing.last_ok_at,
        "signal": listing.last_ok_at.map(|_| "handshake"),
        "counts_for_hours": app.settings.recheck_interval().as_hours(),
        "live_since": listing.live_since,
    })
}

fn probe_clean(lane: Lane, evidence: &Assessment) -> Value {
    let checks = evidence
        .checks
        .iter()
        .map(|check| json!({ "id": check.id, "ok": check.ok, "blocking": check.blocking }))
        .collect::<Vec<_>>();
    json!({
        "clean": lane == Lane::Active && evidence.is_clean(),
        "lane": lane,
        "handshake": evidence.verdict.handshake,
        "probed_at": evidence.probed_at,
        "score": evidence.score.value,
        "checks": checks,
    })
}

fn capability(listing: &Listing, evidence: &Assessment) -> Result<Value, Problem> {
    let observed = Capability::observed(listing, evidence);
    Ok(json!({
        "capability_hash": observed.hash()?,
        "kind": observed.kind,
        "tools": observed.tools.len(),
        "skills": observed.skills.len(),
        "probed_at": evidence.probed_at,
    }))
}

fn identity_bind(identities: &[Identity]) -> Result<Value, Problem> {
    let identity = identities.last().ok_or_else(|| {
        let detail = "No key is bound to the domain of this listing: bind one with bind_identity first.";
        nothing("no_identity", detail)
    })?;
    Ok(json!({
        "proven_domain": identity.proven_domain,
        "method": identity.method,
        "proven_at": identity.at,
        "public_jwk": identity.public_jwk,
        "thumbprint": identity.thumbprint,
        "did": identity.did,
    }))
}

fn probed(evidence: Option<&Assessment>) -> Result<&Assessment, Problem> {
    evidence.ok_or_else(|| {
        let detail =
            "This listing was not probed yet, so there is nothing to state. Ask again after its first probe.";
        nothing("nothing_observed", detail)
    })
}

fn nothing(code: &'static str, detail: &str) -> Problem {
    Problem::new(StatusCode::CONFLICT, code, detail)
}
