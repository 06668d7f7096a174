//! The URL at which a listing is called, and its URLs in this registry.

use registry_model::{Listing, ListingId};
use registry_settings::Settings;

/// The URL that answered the handshake, or the published one before the first proof.
pub fn call_url(listing: &Listing) -> String {
    listing.endpoint.clone().unwrap_or_else(|| listing.target().to_owned())
}

/// The status of a listing, with the full evidence.
pub fn status_url(settings: &Settings, id: &ListingId) -> String {
    settings.url(&format!("/api/listings/status?id={id}"))
}

/// A link that generates the demo of a listing.
pub fn demo_url(settings: &Settings, id: &ListingId) -> String {
    settings.url(&format!("/api/products/demo?listing_id={id}"))
}
