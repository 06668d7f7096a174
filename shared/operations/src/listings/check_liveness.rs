//! When a listing last completed a handshake, and whether that is recent enough. Computed from the stored listing: the
//! age of its last `ok` probe against a limit of a week or less, and a score that halves after three days.

use crate::lookup;
use crate::prelude::*;
use registry_domain::views::hours;
use registry_model::Lane;

/// A sign of life counts for a week (contract "Weekly recheck"), in hours.
const WEEK: f64 = 168.0;
/// The score is full for three days and then halves with every three more, in hours.
const HALVES_AFTER: f64 = 72.0;

pub struct CheckLiveness;

/// Which listing, and how lately.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// Its id.
    #[serde(alias = "id")]
    listing_id: String,
    /// Count a sign of life for so many hours only; at most 168.
    #[schemars(range(min = 0.0, max = 168.0))]
    max_hours: Option<f64>,
}

/// Whether it is alive.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    listing_id: ListingId,
    /// Its last `ok` handshake is young enough.
    live: bool,
    /// Where it stands.
    lane: Lane,
    /// When it last gave an `ok` handshake; null if never.
    last_signal_at: Option<Moment>,
    age_hours: Option<f64>,
    /// What the sign was.
    source: &'static str,
    /// 1 while fresh, halving after three days, 0 without a sign.
    score: f64,
}

impl Operation for CheckLiveness {
    const NAME: &'static str = "check_liveness";
    const TITLE: &'static str = "Is a listing alive?";
    const DESCRIPTION: &'static str = "Tells when a listing last answered a real handshake and whether that is recent \
        enough (168 hours, or your own max_hours). Reads the registry's evidence; asks the peer nothing.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "max_hours": 24}"#;
    const PHRASES: &'static [&'static str] =
        &["is {id} alive?", "when did {id} last answer?", "check the liveness of {id}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "check-liveness",
        name: "Is a listing alive?",
        description: "Tells when a listing last answered a real handshake.",
        tags: &["registry", "liveness", "health"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/liveness").kept_for(30)];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/first-principles", names: &["liveness", "check_liveness"] }];
    const REFUSALS: &'static [u16] = &[404];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let allowed = arguments.max_hours.unwrap_or(WEEK);
        if !(0.0..=WEEK).contains(&allowed) {
            return Err(Problem::invalid("max_hours", "out_of_range", "`max_hours` must be from 0 to 168."));
        }
        let listing = lookup::listing(app, &arguments.listing_id).await?;
        let lane = listing.shown_lane(app.oldest_proof());
        let since = listing.last_ok_at.map(|at| app.clock.now().duration_since(at));
        let age = since.map(hours);
        Ok(Answer {
            ok: true,
            live: since.is_some_and(|since| since.as_secs_f64() <= allowed * 3600.0) && lane == Lane::Active,
            lane,
            last_signal_at: listing.last_ok_at,
            age_hours: age,
            source: if age.is_some() { "handshake" } else { "none" },
            score: age.map_or(0.0, freshness),
            listing_id: listing.id,
        })
    }
}

/// From 0 to 1: how fresh a sign of so many hours ago is.
pub(crate) fn freshness(age: f64) -> f64 {
    let halvings = (age - HALVES_AFTER).max(0.0) / HALVES_AFTER;
    (0.5_f64.powf(halvings) * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::freshness;

    #[test]
    fn freshness_halves_after_three_days() {
        assert_eq!([0.0, 72.0, 144.0, 216.0].map(freshness), [1.0, 1.0, 0.5, 0.25]);
    }
}
