//! The claims that a signed statement about a listing contains. Each type of statement has its own claims.
//! They are made from what the registry observed. All values come from the table. No text of a caller or of a
//! listing is repeated. Times are in whole seconds as `issued_at`, so that none of them is later.

use super::capability::Capability;
use super::reciprocity::Reciprocity;
use crate::listing::is_clean;
use crate::prelude::*;
use registry_model::{Assessment, AttestationType, Identity};

/// The claims of one type about a listing; `other` is the second listing of a composition. Error: 409 if nothing was
/// observed, or the listing was withdrawn.
pub async fn observed(
    app: &App,
    about: AttestationType,
    listing: &Listing,
    evidence: Option<&Assessment>,
    other: Option<&ListingId>,
) -> Result<Map<String, Value>, Problem> {
    let lane = listing.public_lane(app.oldest_proof());
    if lane == Lane::Withdrawn {
        let detail = "This listing was withdrawn, so the registry signs no statements about it.";
        return Err(Problem::conflict(Code::Withdrawn, detail).with("lane", lane.as_str()));
    }
    let probed = || evidence.ok_or_else(nothing_observed);
    let claims = match about {
        AttestationType::Liveness => liveness(app, listing, lane),
        AttestationType::ProbeClean => probe_clean(app, listing, lane, probed()?),
        AttestationType::Capability => capability(listing, probed()?)?,
        AttestationType::Reciprocity => {
            let identities = identities(app, listing).await?;
            let found = Reciprocity::of(app, listing, evidence, &identities);
            json!({ "score": found.score, "of": 100, "signals": found.signals.iter().map(|signal| {
                json!({ "id": signal.id, "holds": signal.holds, "points": signal.points, "of": signal.of })
            }).collect::<Vec<_>>() })
        }
        AttestationType::IdentityBind => identity_bind(&identities(app, listing).await?)?,
        AttestationType::Composition => composition(app, listing, other).await?,
        AttestationType::Outcome => outcome(app, listing).await?,
    };
    let Value::Object(mut claims) = claims else { return Err(Problem::fault("claims are an object")) };
    claims.insert("listing_id".to_owned(), json!(listing.id));
    claims.insert("observed_until".to_owned(), json!(app.clock.now().rounded_down(1)));
    Ok(claims)
}

/// The identities whose domain covers the listing's current host.
pub async fn identities(app: &App, listing: &Listing) -> Result<Vec<Identity>, Problem> {
    let identities = app.store.identities(&listing.id).await?.all;
    Ok(identities.into_iter().filter(|identity| identity.is_of(listing)).collect())
}

fn liveness(app: &App, listing: &Listing, lane: Lane) -> Value {
    json!({
        "live": lane == Lane::Active,
        "lane": lane,
        "asked_at": listing.last_asked().map(|at| at.rounded_down(1)),
        "failing_since": listing.schedule.failing_since.map(|at| at.rounded_down(1)),
        "last_signal_at": listing.proof.last_ok_at.map(|at| at.rounded_down(1)),
        "signal": listing.proof.last_ok_at.map(|_| "handshake"),
        "counts_for_hours": app.settings.recheck_interval().as_hours(),
        "live_since": listing.proof.live_since.filter(|_| lane == Lane::Active).map(|at| at.rounded_down(1)),
    })
}

/// The last probe decides. If it failed, the checks are those of the probe at `probed_at`.
fn probe_clean(app: &App, listing: &Listing, lane: Lane, evidence: &Assessment) -> Value {
    let checks = evidence
        .checks
        .iter()
        .filter(|check| check.applies)
        .map(|check| json!({ "id": check.id, "ok": check.ok, "blocking": check.blocking }))
        .collect::<Vec<_>>();
    json!({
        "clean": is_clean(listing, Some(evidence), app.oldest_proof()),
        "asked_at": listing.last_asked().map(|at| at.rounded_down(1)),
        "failing_since": listing.schedule.failing_since.map(|at| at.rounded_down(1)),
        "lane": lane,
        "handshake": evidence.verdict.handshake,
        "probed_at": evidence.probed_at.rounded_down(1),
        "score": evidence.score.value,
        "checks": checks,
    })
}

fn capability(listing: &Listing, evidence: &Assessment) -> Result<Value, Problem> {
    let observed = Capability::observed(listing, evidence).ok_or_else(nothing_observed)?;
    // Without numbers: of long lists, only a part is stored.
    Ok(json!({
        "capability_hash": observed.hash()?,
        "kind": observed.kind,
        "probed_at": evidence.probed_at.rounded_down(1),
    }))
}

fn identity_bind(identities: &[Identity]) -> Result<Value, Problem> {
    let identity = identities.last().ok_or_else(|| {
        let detail = "No key is bound to the domain of this listing. Bind one with bind_identity first.";
        Problem::conflict(Code::NoIdentity, detail)
    })?;
    Ok(json!({
        "proven_domain": identity.proven_domain,
        "method": identity.method,
        "proven_at": identity.at.rounded_down(1),
        "public_jwk": identity.public_jwk,
        "thumbprint": identity.thumbprint,
    }))
}

/// The registry saw the reports and not the use; the claims contain that.
async fn composition(app: &App, listing: &Listing, other: Option<&ListingId>) -> Result<Value, Problem> {
    let other = other.ok_or_else(|| Problem::fault("a composition has two listings"))?;
    if app.store.listing(other).await?.is_some_and(|other| other.lane == Lane::Withdrawn) {
        return Err(Problem::listing_withdrawn(&app.settings.base_url, other));
    }
    let edge = app.store.edge((&listing.id, other), app.clock.now()).await?;
    let edge = edge.filter(|edge| edge.count > 0).ok_or_else(|| {
        let detail = "No recent report says that these two listings were used together.";
        Problem::conflict(Code::NoComposition, detail)
    })?;
    Ok(json!({
        "listing_b": other,
        "reports": edge.count,
        "last_reported_at": edge.last_at.rounded_down(1),
        "source": "reports of callers, counted by the registry",
    }))
}

async fn outcome(app: &App, listing: &Listing) -> Result<Value, Problem> {
    let tallies = app.store.outcomes_of(std::slice::from_ref(&listing.id)).await?;
    let tally = tallies.get(&listing.id).filter(|tally| tally.count > 0);
    let tally = tally.ok_or_else(|| {
        Problem::conflict(Code::NoOutcome, "No report of an outcome of this listing counts.")
    })?;
    Ok(json!({
        "reports": tally.count,
        "reported_ok": tally.ok,
        "quality_sum_thousandths": tally.quality_sum,
        "source": "reports of callers, counted by the registry",
    }))
}

/// No probe read what a listing can do, or its texts cannot be shown.
pub(super) fn nothing_observed() -> Problem {
    let detail = "Its evidence is of no probe with the handshake `ok` and texts that can be shown.";
    Problem::conflict(Code::NothingObserved, detail)
}
