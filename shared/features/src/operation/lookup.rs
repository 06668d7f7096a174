//! Reads a listing by the id in a request. The same text gives the same error in every operation.

use std::sync::Arc;

use registry_app::App;
use registry_model::error::{Code, Problem};
use registry_model::{Lane, Listing, ListingId, NameHold, NextStep};
use registry_store::NamedListing;
use url::Url;

/// # Errors
/// 404: no listing has this id.
pub async fn listing(app: &App, id: &str) -> Result<Listing, Problem> {
    let missing = || Problem::listing_not_found(&app.settings.base_url, id);
    let parsed = id.parse::<ListingId>().map_err(|_| missing())?;
    app.store.listing(&parsed).await?.ok_or_else(missing)
}

/// A withdrawn listing is not found either.
pub(crate) async fn visible_listing(app: &App, id: &str) -> Result<Listing, Problem> {
    let listing = listing(app, id).await?;
    if listing.lane == Lane::Withdrawn {
        return Err(Problem::listing_withdrawn(&app.settings.base_url, &listing.id));
    }
    Ok(listing)
}

pub(crate) fn different(one: &str, other: &str) -> Result<(), Problem> {
    let detail = "`listing_b` and `listing_id` must be different listings.";
    (one != other).then_some(()).ok_or_else(|| Problem::invalid("listing_b", Code::SameListing, detail))
}

/// Why another read did not find a listing: it was withdrawn, or there is none.
pub(crate) async fn missing(app: &App, id: &str) -> Problem {
    visible_listing(app, id)
        .await
        .err()
        .unwrap_or_else(|| Problem::listing_not_found(&app.settings.base_url, id))
}

pub(crate) async fn listing_with_evidence(app: &App, id: &str) -> Result<Arc<NamedListing>, Problem> {
    let missing = || Problem::listing_not_found(&app.settings.base_url, id).with("found", false);
    let parsed = id.parse::<ListingId>().map_err(|_| missing())?;
    app.store.listing_with_evidence(&parsed).await?.ok_or_else(missing)
}

/// The id of the listing that a reader means with an id, a name, or a URL of it. And whether others have this name.
pub(crate) async fn meant(app: &App, text: &str) -> Result<(ListingId, bool), Problem> {
    if let Ok(id) = text.parse() {
        return Ok((id, false));
    }
    named(app, text).await
}

/// The listing that a URL or name means: one that has proven the name, then one at its domain, then one that did not yield it,
/// then a Live listing, one with a proven domain, and the one that has been Live for longest. And whether others have this name.
pub(crate) async fn named(app: &App, name: &str) -> Result<(ListingId, bool), Problem> {
    if let Ok(url) = Url::parse(name) {
        if let Some(holder) = app.store.endpoint_holders(&[name.to_owned()]).await?.remove(name) {
            return Ok((holder, false));
        }
        if let Some(listing) = app.store.listing(&ListingId::of_url(&url)).await? {
            return Ok((listing.id, false));
        }
    }
    let oldest_proof = app.oldest_proof();
    let rank = |listing: &Listing| {
        let is_named = listing
            .ownership
            .server_name
            .as_ref()
            .is_some_and(|known| known.eq_ignore_ascii_case(name.trim()));
        (
            !(is_named && listing.has_proven_name()),
            !(is_named && listing.ownership.name_proof.is_some()),
            listing.ownership.name_hold == Some(NameHold::Yielded),
            !listing.is_live(oldest_proof),
            listing.valid_domain().is_none(),
            listing.proof.live_since.unwrap_or(listing.listed_at),
        )
    };
    let missing = || Problem::no_such_listing(&app.settings.base_url, name).with("found", false);
    let listings = app.store.listings_named(name).await?;
    let is_shared = listings.len() > 1;
    let best = listings.into_iter().min_by_key(rank).map(|listing| (listing.id, is_shared));
    best.or_else(|| Some((name.parse().ok()?, false))).ok_or_else(missing)
}

pub(crate) async fn visible_listing_with_evidence(app: &App, id: &str) -> Result<Arc<NamedListing>, Problem> {
    let listing = listing_with_evidence(app, meant(app, id).await?.0.as_str()).await?;
    if listing.0.lane == Lane::Withdrawn {
        return Err(Problem::listing_withdrawn(&app.settings.base_url, &listing.0.id));
    }
    Ok(listing)
}

pub(crate) async fn live_listing_with_evidence(app: &App, id: &str) -> Result<Arc<NamedListing>, Problem> {
    let listing = listing_with_evidence(app, meant(app, id).await?.0.as_str()).await?;
    let lane = listing.0.public_lane(app.oldest_proof());
    if lane == Lane::Active {
        return Ok(listing);
    }
    let id = &listing.0.id;
    let detail = format!("This requires a Live listing. The state of `{id}` is {}.", lane.as_str());
    Err(Problem::conflict(Code::NotActive, detail).with("lane", lane.as_str()).with_next(
        NextStep::check_status(&app.settings.base_url, id, "The status shows why it is not Live."),
    ))
}
