//! Reads the listing that a caller names, with one error for an unknown and for a malformed id, so that every
//! operation answers alike.

use std::sync::Arc;

use http::StatusCode;
use serde_json::json;

use registry_app::App;
use registry_model::error::Problem;
use registry_model::{Lane, Listing, ListingId};
use registry_store::NamedListing;

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

/// A Live listing with its evidence, by an id as a caller wrote it.
pub(super) async fn live_listing_with_evidence(app: &App, id: &str) -> Result<Arc<NamedListing>, Problem> {
    let listing = listing_with_evidence(app, id).await?;
    let lane = listing.0.shown_lane(app.oldest_proof());
    if lane == Lane::Active {
        return Ok(listing);
    }
    let id = &listing.0.id;
    let detail = format!("This is for Live listings; `{id}` is {}.", lane.as_str());
    Err(Problem::new(StatusCode::CONFLICT, "not_active", detail).with("lane", lane.as_str()).with_next(
        json!({
            "action": "check_status", "method": "GET",
            "url": app.settings.url(&format!("/api/listings/status?id={id}")),
            "tool": "check_status", "arguments": { "id": id },
            "note": "The status says what it waits for, or what to fix.",
        }),
    ))
}
