//! Returns whether a listing passes its checks, with the result of each check. It is a short answer for a
//! peer that must decide whether to trust the listing. The answer comes from the evidence of the last probe.
//! No new probe is started.

use crate::listing::{Liveness, badge, is_clean};
use crate::prelude::*;
use registry_model::{Check, Handshake};

pub struct ProbeClean;

/// A listing.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    /// Whether the listing is Live, and its last probe passed with every blocking check.
    clean: bool,
    lane: Lane,
    /// Whether its last probe passed, and when that was. While it fails, `handshake`, `probed_at` and `checks` can be those of
    /// an earlier probe.
    liveness: Liveness,
    /// The outcome of the probe with these `checks`; null before the first probe.
    handshake: Option<Handshake>,
    /// The time of the probe with these `checks`.
    probed_at: Option<Moment>,
    checks: Vec<Check>,
    /// The URL of a badge image that shows the result.
    badge: String,
}

impl Operation for ProbeClean {
    const NAME: &'static str = "probe_clean";
    const TITLE: &'static str = "Is a listing clean?";
    const DESCRIPTION: &'static str = "Returns whether a listing is Live, its last probe passed and no blocking \
        check fails. Also returns each check of the probe at `probed_at`, the last good one while it is failing: \
        https, own domain, no prompt injection, unchanged tools. Use it before you trust a listing. Pass listing_id.";
    const PHRASES: &'static [&'static str] =
        &["is {id} clean?", "are the checks of {id} clean?", "show the checks of {id}"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{listing_id} is {lane} and {clean?clean: it passed all blocking checks|not clean, which only a Live listing whose last probe passed can be}.",
        "Its probes have failed since {liveness.failing_since}.",
        "Checks of the probe at {probed_at}: [checks]{id} ({blocking?required|optional}) | {ok?ok|failed} | : {detail}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns whether a listing is Live with clean checks, and the result of each check.",
        &["registry", "trust", "checks"],
    )];
    const ROUTES: &'static [Route] = &[Route::get("/api/probe-clean").cached_for(30)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let (id, _) = lookup::meant(app, &arguments.listing_id).await?;
        let found = lookup::listing_with_evidence(app, id.as_str()).await?;
        let (listing, evidence) = &*found;
        let lane = listing.public_lane(app.oldest_proof());
        let liveness = Liveness::of(listing, app.oldest_proof(), app.clock.now());
        // The evidence of a withdrawn listing is not shown.
        let evidence = evidence.as_ref().filter(|_| lane != Lane::Withdrawn);
        let checks = evidence.map(|evidence| evidence.checks.clone()).unwrap_or_default();
        Ok(Answer {
            clean: is_clean(listing, evidence, app.oldest_proof()),
            lane,
            liveness,
            handshake: listing.proof.probe.as_ref().map(|probe| probe.handshake),
            probed_at: listing.proof.probe.as_ref().map(|probe| probe.at),
            checks,
            badge: badge::url(&app.settings, "clean", &listing.id),
            listing_id: listing.id.clone(),
        })
    }
}
