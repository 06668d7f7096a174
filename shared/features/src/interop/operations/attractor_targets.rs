//! Returns the listings with the strongest trails (the most recent use), ranked again by reported outcomes
//! and liveness. The answer contains every part of the score, so that anyone can calculate the score again.

use crate::listing::operations::check_liveness::freshness;
use crate::listing::{demo_url, hours, status_url};
use crate::prelude::*;
use registry_model::{OutcomeTally, Trail};
use registry_store::Board;

const DEFAULT_ROWS: u32 = 12;
const MAX_ROWS: u32 = 40;
/// How many of the hottest trails are ranked again.
const MAX_CANDIDATES: usize = 100;

const TRAIL_WEIGHT: f64 = 0.5;
const OUTCOME_WEIGHT: f64 = 40.0;
const LIVE_POINTS: f64 = 20.0;
const LIVENESS_WEIGHT: f64 = 10.0;

pub struct AttractorTargets;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The maximum number of rows, from 1 to 40. Default: 12.
    #[schemars(range(min = 1, max = 40), extend("default" = 12))]
    limit: Option<u32>,
}

/// The most used listings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// How the rank value `attractor` is computed.
    formula: String,
    /// Strongest first.
    targets: Vec<Target>,
    note: String,
}

/// A listing and its rank value.
#[derive(Debug, Serialize, JsonSchema)]
struct Target {
    listing_id: ListingId,
    name: String,
    kind: Option<Kind>,
    /// The rank value.
    attractor: f64,
    parts: Parts,
    /// The state and evidence of the listing.
    status_url: String,
    /// The link that generates the listing's demo. Absent if it is not Live.
    #[serde(skip_serializing_if = "Option::is_none")]
    take_demo_get: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
struct Parts {
    /// The strength of the listing's trail.
    trail_score: f64,
    /// The reported quality and success, from 0 to 1.
    outcome_score: Option<f64>,
    live: bool,
    /// How recent the last good handshake is, from 0 to 1.
    liveness_score: f64,
}

impl Parts {
    fn attractor(self) -> f64 {
        TRAIL_WEIGHT * self.trail_score
            + OUTCOME_WEIGHT * self.outcome_score.unwrap_or_default()
            + if self.live { LIVE_POINTS } else { 0.0 }
            + LIVENESS_WEIGHT * self.liveness_score
    }
}

impl Operation for AttractorTargets {
    const NAME: &'static str = "attractor_targets";
    const TITLE: &'static str = "Most used listings";
    const DESCRIPTION: &'static str = "Ranks the listings with the most recent use, also those that are not Live now. \
        Use it to find listings to use together with others. The rank value is 0.5 * trail score + 40 * outcome score + 20 \
        if Live + 10 * freshness of the last handshake. Each row shows these parts.";
    const PHRASES: &'static [&'static str] = &[
        "which listings are used most?",
        "which are the attractor targets?",
        "show the strongest attractors",
        "rank the attractors",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"limit": 5}"#;
    const SUMMARY: &'static [&'static str] =
        &["{note}", r#"Highest first: [targets]"{name}" ({listing_id}), {attractor}"#];
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = bounded_number("limit", arguments.limit, DEFAULT_ROWS, MAX_ROWS)?;
        let hot = app.store.strongest(Board::Hot, MAX_CANDIDATES, app.clock.now()).await?;
        let ids: Vec<ListingId> = hot.iter().map(|(id, _)| id.clone()).collect();
        let (listings, outcomes) = futures::try_join!(app.store.listings(&ids), app.store.outcomes_of(&ids))?;
        let target = |(id, trail): &(ListingId, Trail)| {
            let listing = listings.iter().find(|listing| listing.id == *id)?;
            let outcomes = outcomes.get(id).copied().unwrap_or_default();
            (listing.lane != Lane::Withdrawn).then(|| target(app, listing, trail, outcomes))
        };
        let mut targets: Vec<Target> = hot.iter().filter_map(target).collect();
        targets.sort_by(|one, other| other.attractor.total_cmp(&one.attractor));
        targets.truncate(limit);
        Ok(Answer {
            formula: format!(
                "{TRAIL_WEIGHT} trail_score + {OUTCOME_WEIGHT} outcome_score + {LIVE_POINTS} if live + \
                 {LIVENESS_WEIGHT} liveness_score"
            ),
            note: format!(
                "{}, ranked by `formula`: their trails, reported outcomes, and whether they are Live. Trails fall \
                 with time, so the order changes.",
                counted(targets.len(), "listing")
            ),
            targets,
        })
    }
}

fn target(app: &App, listing: &Listing, trail: &Trail, outcomes: OutcomeTally) -> Target {
    let since = listing.proof.last_ok_at.map(|at| app.clock.now().duration_since(at));
    let parts = Parts {
        trail_score: trail.trail_score(),
        outcome_score: outcomes.score(),
        live: listing.is_live(app.oldest_proof()),
        liveness_score: since.map_or(0.0, |since| freshness(hours(since))),
    };
    Target {
        listing_id: listing.id.clone(),
        name: listing.texts.name.clone(),
        kind: listing.kind,
        attractor: parts.attractor(),
        parts,
        status_url: status_url(&app.settings, &listing.id),
        take_demo_get: parts.live.then(|| demo_url(&app.settings, &listing.id)),
    }
}
