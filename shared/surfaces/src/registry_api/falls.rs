//! Servers that are no longer Live, as the official API tells it: `status: deleted`, for some days. A mirror that asks for
//! what changed since its last visit would otherwise keep them for ever.

use std::collections::{BTreeMap, BTreeSet};

use super::query::FallsQuery;
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{Lane, ListingId};
use registry_store::Fall;

pub(super) async fn falls(
    app: &App,
    query: &FallsQuery,
    limit: usize,
) -> Result<(Vec<Fall>, Option<String>), Problem> {
    let after = query.after.as_deref();
    let (falls, next) = app.store.falls(query.since, after, limit, app.clock.now()).await?;
    // Its last fall is the one that counts, and none does where it came back.
    let latest: BTreeMap<ListingId, Fall> =
        falls.into_iter().map(|fall| (fall.listing.id.clone(), fall)).collect();
    let ids: Vec<ListingId> = latest.keys().cloned().collect();
    let listings = if ids.is_empty() { Vec::new() } else { app.store.listings(&ids).await? };
    let live: BTreeSet<ListingId> =
        listings.into_iter().filter(|now| now.lane == Lane::Active).map(|now| now.id).collect();
    let mut falls: Vec<Fall> = latest.into_values().filter(|fall| !live.contains(&fall.listing.id)).collect();
    falls.sort_by(|a, b| (a.at, &a.listing.id).cmp(&(b.at, &b.listing.id)));
    Ok((falls, next))
}
