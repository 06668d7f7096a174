//! Which listings draw use to themselves: the strongest trails, ranked anew by what is also known of them. Every part of
//! the number is told, so that anybody can reckon it again.

use crate::listings::check_liveness::freshness;
use crate::prelude::*;
use registry_domain::interop;
use registry_domain::views::hours;
use registry_model::{Kind, Lane, Listing, OutcomeTally, Trail};
use registry_store::Board;

/// Targets where no limit is given.
const USUAL: u32 = 12;
const MOST: u32 = 40;
/// Trails of the hot board that are ranked anew.
const CANDIDATES: usize = 100;

const TRAIL: f64 = 0.5;
const OUTCOME: f64 = 40.0;
const LIVE: f64 = 20.0;
const LIVENESS: f64 = 10.0;

pub struct AttractorTargets;

/// How many.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// At most so many, from 1 to 40; 12 where it is left out.
    #[schemars(range(min = 1, max = 40))]
    limit: Option<u32>,
}

/// The strongest attractors.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// How the number is made.
    formula: String,
    /// The strongest first.
    targets: Vec<Target>,
    /// What they are, in a sentence.
    note: String,
}

/// An attractor.
#[derive(Debug, Serialize, JsonSchema)]
struct Target {
    listing_id: ListingId,
    name: String,
    kind: Kind,
    /// How strongly it draws.
    attractor: f64,
    /// What that is made of.
    parts: Parts,
    /// The evidence in full.
    status_url: String,
    /// Its demo, as a link.
    take_demo_get: String,
}

/// What an attractor is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
struct Parts {
    /// The strength of its trail.
    trail_score: f64,
    /// From 0 to 1: how it went when it was used.
    outcome_score: f64,
    /// It is Live.
    live: bool,
    /// From 0 to 1: how fresh its last handshake is.
    liveness_score: f64,
}

impl Parts {
    fn attractor(self) -> f64 {
        let live = if self.live { LIVE } else { 0.0 };
        TRAIL * self.trail_score + OUTCOME * self.outcome_score + live + LIVENESS * self.liveness_score
    }
}

impl Operation for AttractorTargets {
    const NAME: &'static str = "attractor_targets";
    const TITLE: &'static str = "Strongest attractors";
    const DESCRIPTION: &'static str = "Ranks the listings that draw most use: half the trail score, 40 times the outcome \
        score, 20 for being Live, 10 times the freshness of the last handshake; each with its parts.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"limit": 5}"#;
    const PHRASES: &'static [&'static str] =
        &["which are the attractor targets?", "show the strongest attractors", "rank the attractors"];
    const ACTIONS: &'static [Action] = &[
        Action { path: "/api/products/first-principles", names: &["attractors", "attractor_targets"] },
        Action { path: "/api/products/interop", names: &["attractors"] },
    ];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = arguments.limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            let detail = format!("`limit` must be from 1 to {MOST}.");
            return Err(Problem::invalid("limit", "out_of_range", detail));
        }
        let hot = app.store.strongest(Board::Hot, CANDIDATES, app.clock.now()).await?;
        let ids: Vec<ListingId> = hot.iter().map(|(id, _)| id.clone()).collect();
        let (listings, outcomes) = futures::try_join!(app.store.listings(&ids), app.store.outcomes_of(&ids))?;
        let target = |(id, trail): &(ListingId, Trail)| {
            let listing = listings.iter().find(|listing| listing.id == *id)?;
            let outcomes = outcomes.get(id).copied().unwrap_or_default();
            (listing.lane != Lane::Withdrawn).then(|| target(app, listing, trail, outcomes))
        };
        let mut targets: Vec<Target> = hot.iter().filter_map(target).collect();
        targets.sort_by(|one, other| other.attractor.total_cmp(&one.attractor));
        targets.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            formula: format!(
                "{TRAIL} trail_score + {OUTCOME} outcome_score + {LIVE} if live + {LIVENESS} liveness_score"
            ),
            note: format!(
                "{} of the hottest trails, ranked anew. Trails decay, so the order changes.",
                targets.len()
            ),
            targets,
        })
    }
}

fn target(app: &App, listing: &Listing, trail: &Trail, outcomes: OutcomeTally) -> Target {
    let since = listing.last_ok_at.map(|at| app.clock.now().duration_since(at));
    let parts = Parts {
        trail_score: trail.trail_score(),
        outcome_score: outcomes.score(),
        live: listing.is_live(app.oldest_proof()),
        liveness_score: since.map_or(0.0, |since| freshness(hours(since))),
    };
    Target {
        listing_id: listing.id.clone(),
        name: listing.name.clone(),
        kind: listing.shown_kind(),
        attractor: parts.attractor(),
        parts,
        status_url: app.settings.url(&format!("/api/listings/status?id={}", listing.id)),
        take_demo_get: app.settings.url(&format!("/api/products/demo?listing_id={}", listing.id)),
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn an_attractor_is_the_sum_of_its_parts() {
        let parts = |trail_score, outcome_score, live, liveness_score| {
            Parts { trail_score, outcome_score, live, liveness_score }.attractor()
        };
        // 0.5 * 16 + 40 * 0.82 + 20 + 10 * 1 = 8 + 32.8 + 20 + 10.
        assert!((parts(16.0, 0.82, true, 1.0) - 70.8).abs() < 1e-9);
        // 0.5 * -4 + 0 + 0 + 10 * 0.25.
        assert!((parts(-4.0, 0.0, false, 0.25) - 0.5).abs() < 1e-9);
    }
}
