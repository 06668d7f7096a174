//! Returns when a listing last completed a handshake, and whether that is recent enough. The answer is
//! computed from the stored listing. No probe is started.

use crate::listing::{Liveness, hours};
use crate::prelude::*;
use jiff::SignedDuration;

/// The largest `max_hours`.
const MAX_AGE_HOURS: f64 = 168.0;
/// The freshness is 1 for this long, and then halves in each further period of this length.
const HALF_LIFE_HOURS: f64 = 72.0;

pub struct CheckLiveness;

/// A listing and the maximum age of its last handshake.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// The maximum age of the last successful handshake, in hours. Default: the age at which a listing is no longer Live.
    #[schemars(range(min = 0.0, max = 168.0))]
    max_hours: Option<f64>,
}

/// When the listing last completed a handshake, and whether that is recent enough.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    /// Whether the listing is Live and its last `ok` handshake is recent enough.
    live: bool,
    lane: Lane,
    /// Whether its last probe passed, its uptime and its handshake times. A proof that is older than `max_hours` is
    /// `stale`.
    liveness: Liveness,
    /// The time of the last `ok` handshake, not of an answer that failed the probe; null if there was none.
    last_signal_at: Option<Moment>,
    /// Hours since the last `ok` handshake.
    age_hours: Option<f64>,
    /// `handshake`, or `none` if there was no `ok` handshake.
    source: &'static str,
    /// How fresh the last handshake is: 1 in the first three days, then half after every three days. It is 0 if
    /// there was no handshake.
    freshness: f64,
}

impl Operation for CheckLiveness {
    const NAME: &'static str = "check_liveness";
    const TITLE: &'static str = "Is a listing alive?";
    const DESCRIPTION: &'static str = "Returns when a listing last passed a probe (a real handshake with clean checks), and whether this \
        was recent enough (for Live, and for your own max_hours). liveness.state is proven, stale, failing or \
        absent. Use it before you call a listing. It does not contact the listing.";
    const PHRASES: &'static [&'static str] =
        &["is {id} alive?", "when did {id} last answer?", "check the liveness of {id}"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "max_hours": 24}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{listing_id} is {lane} | ; its last probe failed. Its probes have failed since {liveness.failing_since}.",
        "It last passed a probe {age_hours~} ago, at {last_signal_at}; this proof {live?still counts|does not count}.",
        "Uptime in percent of the observed time (at most 7 days): {liveness.uptime_7d_percent:not known}.",
        "Half of its last handshakes took at most {liveness.latency_p50_ms} ms | , 95 of 100 at most {liveness.latency_p95_ms} ms.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns when a listing last passed a probe.",
        &["registry", "liveness", "health"],
    )];
    const ROUTES: &'static [Route] = &[Route::get("/api/liveness").cached_for(30)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let max_hours = arguments.max_hours;
        if max_hours.is_some_and(|most| !(0.0..=MAX_AGE_HOURS).contains(&most)) {
            let detail = "`max_hours` must be from 0 to 168.";
            return Err(Problem::invalid("max_hours", Code::OutOfRange, detail));
        }
        let (id, _) = lookup::meant(app, &arguments.listing_id).await?;
        let listing = lookup::listing(app, id.as_str()).await?;
        let (now, lane) = (app.clock.now(), listing.public_lane(app.oldest_proof()));
        let age = listing.proof.last_ok_at.map(|at| hours(now.duration_since(at)));
        let max_age = max_hours.and_then(|most| SignedDuration::try_from_secs_f64(most * 3600.0).ok());
        let oldest_proof = app.oldest_proof().max(max_age.map_or(Moment::UNIX_EPOCH, |age| now - age));
        Ok(Answer {
            live: listing.is_live(oldest_proof),
            lane,
            liveness: Liveness::of(&listing, oldest_proof, now),
            last_signal_at: listing.proof.last_ok_at,
            age_hours: age,
            source: if age.is_some() { "handshake" } else { "none" },
            freshness: age.map_or(0.0, freshness),
            listing_id: listing.id,
        })
    }
}

/// From 0 to 1, for a handshake that is `age` hours old.
pub(crate) fn freshness(age: f64) -> f64 {
    let halvings = (age - HALF_LIFE_HOURS).max(0.0) / HALF_LIFE_HOURS;
    (0.5_f64.powf(halvings) * 1000.0).round() / 1000.0
}
