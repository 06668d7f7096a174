//! The state of a listing in words. If the listing is Live, the text describes the proof and how long it is
//! valid. Otherwise the text explains why the listing is not Live and what happens next.

use super::when::When;
use crate::prelude::*;
use registry_features::listing::operations::check_status::lane_reason;
use registry_features::listing::{Liveness, NameStanding};
use registry_model::{Lane, NameProofMethod};

#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) is_live: bool,
    pub(super) is_gated: bool,
    pub(super) label: &'static str,
    pub(super) class: &'static str,
    pub(super) why: &'static str,
    pub(super) proven: Option<When>,
    pub(super) latency_ms: Option<u32>,
    pub(super) holds_until: Option<When>,
    pub(super) next: When,
    pub(super) is_due: bool,
    pub(super) asked: Option<When>,
    pub(super) failing_since: Option<When>,
    /// Hours in which the recheck failed.
    pub(super) strikes: usize,
    pub(super) liveness: Liveness,
    pub(super) name: Option<NameStanding>,
    pub(super) how: &'static str,
    /// The field and the URL, if publishing this URL again updates this listing.
    pub(super) publish_again: Option<(&'static str, String)>,
}

impl Standing {
    pub(super) fn of(app: &App, listing: &Listing) -> Self {
        let now = app.clock.now();
        let lane = listing.public_lane(app.oldest_proof());
        let is_live = lane == Lane::Active;
        let liveness = Liveness::of(listing, app.oldest_proof(), now);
        let (label, class) = match lane {
            Lane::Active if listing.schedule.failures > 0 => ("Live, last probe failed", "warn"),
            Lane::Active => ("Live", "good"),
            Lane::Queued => ("Queued", "plain"),
            Lane::NeedsFix => ("Needs a fix", "warn"),
            Lane::Gated if listing.schedule.failures > 0 => ("Gated, last probe failed", "warn"),
            Lane::Gated => ("Gated", "plain"),
            Lane::Package => ("Runs locally", "plain"),
            Lane::Unchecked => ("Not checked", "plain"),
            Lane::Demoted if listing.proof.last_ok_at.is_none() => ("No longer gated", "bad"),
            Lane::Demoted => ("No longer Live", "bad"),
            Lane::Withdrawn => ("Withdrawn", "bad"),
        };
        let valid_until = |at| When::of(at + app.settings.recheck_interval(), now);
        let name = NameStanding::of(listing);
        let next = listing.next_probe_at(now, app.settings.probe_tick_seconds);
        Self {
            is_live,
            is_gated: lane == Lane::Gated,
            label,
            class,
            why: lane_reason(listing, lane),
            proven: listing.proof.last_ok_at.max(listing.proof.sign_in_at).map(|at| When::of(at, now)),
            latency_ms: listing.proof.probe.as_ref().filter(|_| is_live).and_then(|probe| probe.latency_ms),
            holds_until: listing.proven_at().filter(|_| lane.is_proven()).map(valid_until),
            next: When::of(next, now),
            asked: liveness.asked_at.map(|at| When::of(at, now)),
            failing_since: liveness.failing_since.map(|at| When::of(at, now)),
            is_due: next.duration_since(now) < SignedDuration::from_secs(1),
            strikes: listing.schedule.strikes.len(),
            liveness,
            how: name.as_ref().map_or("", how),
            name,
            publish_again: listing.published_url().filter(|_| !lane.is_proven()),
        }
    }
}

fn how(name: &NameStanding) -> &'static str {
    match name.how {
        None => "A published description claims this name. Nothing proves that this server has it.",
        Some(NameProofMethod::Domain) => {
            "The endpoint is on the domain of the name. Nothing proves who published it."
        }
        Some(NameProofMethod::Repository) => "The repository of the name's owner confirms the name.",
        Some(NameProofMethod::Github) => "A workflow of the name's owner on GitHub confirms the name.",
        Some(NameProofMethod::Dns) => "The publisher signed with a key in the DNS of the name's domain.",
        Some(NameProofMethod::Http) => {
            "The publisher signed with a key that the name's domain serves over https."
        }
    }
}
