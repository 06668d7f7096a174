//! The boost of a listing. Among listings of the same relevance, a listing with a higher boost comes first.
//! The boost is computed from the reported outcomes of the listing and from its trail (its score for recent
//! use). The trail counts only up to a maximum, so that many marks cannot outweigh everything else.

use std::collections::{BTreeMap, BTreeSet};

use super::acceleration::Acceleration;
use super::rounded;
use crate::prelude::*;
use registry_model::{OutcomeTally, Trail};
use registry_store::{BoostInputs, StoreError};

pub const MAX_TRAIL_BOOST: f64 = 20.0;

pub const FORMULA: &str = "boost = 0.6 * outcome_score + 0.4 * min(20, trail_boost); trail_boost = match_boost * max(0, trail_score)";

/// A boost and what it was computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Boost {
    /// The rank value: 0.6 times `outcome_score` plus 0.4 times `trail_boost`. At most 20 of `trail_boost` counts.
    pub boost: f64,
    /// How well reported uses of the listing went, from 0 to 1. Null without reports; then the boost counts 0.
    pub outcome_score: Option<f64>,
    /// The score of the listing's trail (recent use), scaled by the multiplier `match_boost`.
    pub trail_boost: f64,
    /// How many uses callers reported, how many of them worked, and how many endorsements the listing has.
    pub outcomes: u64,
    pub outcomes_ok: u64,
    pub endorsements: u32,
}

impl Boost {
    pub fn of(outcome_score: Option<f64>, trail_score: f64, match_boost: f64) -> Self {
        let trail_boost = match_boost * trail_score.max(0.0);
        Self {
            boost: rounded(0.6 * outcome_score.unwrap_or_default() + 0.4 * trail_boost.min(MAX_TRAIL_BOOST)),
            outcome_score: outcome_score.map(rounded),
            trail_boost: rounded(trail_boost),
            ..Self::default()
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boosts {
    pub match_boost: f64,
    /// Listings without a trail and without outcomes are left out.
    pub by_listing: BTreeMap<ListingId, Boost>,
}

impl Boosts {
    pub fn of(&self, id: &ListingId) -> Boost {
        self.by_listing.get(id).copied().unwrap_or_default()
    }
}

pub async fn boosts(app: &App, ids: &[ListingId]) -> Result<Boosts, StoreError> {
    let BoostInputs { trails, outcomes, totals, bumps } =
        app.store.boost_inputs(ids, app.clock.now()).await?;
    let acceleration = Acceleration::of(|event| totals.of(event), bumps);
    let match_boost = acceleration.multipliers().match_boost;
    let known: BTreeSet<&ListingId> = trails.keys().chain(outcomes.keys()).collect();
    let by_listing = known.into_iter().map(|id| {
        let (tally, trail) = (outcomes.get(id), trails.get(id));
        let trail_score = trail.map_or(0.0, Trail::trail_score);
        let boost = Boost {
            outcomes: tally.map_or(0, |tally| tally.count),
            outcomes_ok: tally.map_or(0, |tally| tally.ok),
            endorsements: trail.map_or(0, Trail::endorsements),
            ..Boost::of(tally.and_then(OutcomeTally::score), trail_score, match_boost)
        };
        (id.clone(), boost)
    });
    Ok(Boosts { match_boost, by_listing: by_listing.collect() })
}

#[cfg(test)]
mod tests {
    use super::Boost;

    #[test]
    fn score_for_recent_use_matches_values_calculated_by_hand() {
        // .6 * .9 + .4 * 10 = 4.54; with the multiplier .54 + .4 * 15 = 6.54.
        let of = |outcome, trail, multiplier| Boost::of(Some(outcome), trail, multiplier).boost;
        assert_eq!([of(0.9, 10.0, 1.0), of(0.9, 10.0, 1.5)], [4.54, 6.54]);
        // The trail is capped at 20: .6 + .4 * 20 = 8.6. A negative trail counts as none.
        assert_eq!([of(1.0, 500.0, 2.0), of(1.0, -50.0, 2.0), of(0.0, 0.0, 1.0)], [8.6, 0.6, 0.0]);
        assert_eq!(Boost::of(None, 12.0, 1.25), Boost { boost: 6.0, trail_boost: 15.0, ..Boost::default() });
    }
}
