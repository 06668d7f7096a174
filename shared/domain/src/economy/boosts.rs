//! The boosts of some listings, read together: their trails, what was reported of them, and the multiplier of the trail.

use std::collections::{BTreeMap, BTreeSet};

use super::abundance::Boost;
use super::acceleration::Acceleration;
use super::multipliers::Multipliers;
use registry_app::App;
use registry_model::{ListingId, OutcomeTally, Trail};
use registry_store::{BoostInputs, StoreError};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boosts {
    pub match_boost: f64,
    /// Listings without a trail and without outcomes are left out.
    pub by_listing: BTreeMap<ListingId, Boost>,
}

impl Boosts {
    #[must_use]
    pub fn of(&self, id: &ListingId) -> Boost {
        self.by_listing.get(id).copied().unwrap_or_default()
    }
}

pub async fn boosts(app: &App, ids: &[ListingId]) -> Result<Boosts, StoreError> {
    let BoostInputs { trails, outcomes, totals, bumps } =
        app.store.boost_inputs(ids, app.clock.now()).await?;
    let acceleration = Acceleration::of(|event| totals.of(event), bumps);
    let match_boost = Multipliers::of(acceleration.excess).match_boost;
    let known: BTreeSet<&ListingId> = trails.keys().chain(outcomes.keys()).collect();
    let by_listing = known.into_iter().map(|id| {
        let outcome_score = outcomes.get(id).map_or(0.0, OutcomeTally::score);
        let trail_score = trails.get(id).map_or(0.0, Trail::trail_score);
        (id.clone(), Boost::of(outcome_score, trail_score, match_boost))
    });
    Ok(Boosts { match_boost, by_listing: by_listing.collect() })
}
