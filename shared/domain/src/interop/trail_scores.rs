//! The strength of the trails of several listings, by one batch read.

use std::collections::BTreeMap;

use registry_app::App;
use registry_model::ListingId;
use registry_store::StoreError;

/// Listings without a trail are left out.
pub async fn trail_scores(app: &App, ids: &[ListingId]) -> Result<BTreeMap<ListingId, f64>, StoreError> {
    let trails = app.store.trails_of(ids, app.clock.now()).await?;
    Ok(trails.into_iter().map(|(id, trail)| (id, trail.trail_score())).collect())
}
