//! Reads the listing that a caller names, with one error for an unknown and for a malformed id, so that every
//! operation answers alike.

use std::sync::Arc;

use crate::app::App;
use crate::error::Problem;
use crate::model::{Listing, ListingId};
use crate::store::NamedListing;

/// A listing by an id as a caller wrote it.
pub(super) async fn listing(app: &App, id: &str) -> Result<Listing, Problem> {
    let known = id.parse::<ListingId>().map_err(|_| Problem::listing_not_found(id))?;
    app.store.listing(&known).await?.ok_or_else(|| Problem::listing_not_found(id))
}

/// A listing with its evidence, by an id as a caller wrote it.
pub(super) async fn listing_with_evidence(app: &App, id: &str) -> Result<Arc<NamedListing>, Problem> {
    let missing = || Problem::listing_not_found(id).with("found", false);
    let known = id.parse::<ListingId>().map_err(|_| missing())?;
    app.store.listing_with_evidence(&known).await?.ok_or_else(missing)
}
