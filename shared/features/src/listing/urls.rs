//! The URL at which a listing is called, its URLs in this registry, and its URN in ARD.

use url::Url;

use registry_model::protocol::{AGENT_CARD_MEDIA_TYPE, SERVER_CARD_MEDIA_TYPE};
use registry_model::{Kind, Listing, ListingId};
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

/// The media type of the card of a listing (ARD §4.2.1).
pub const fn card_media_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => AGENT_CARD_MEDIA_TYPE,
        Kind::Mcp => SERVER_CARD_MEDIA_TYPE,
    }
}

/// The URN of a listing in ARD catalogs and search hits. Anchored at the host that serves the listing, not at the registry's, and made unique by its id (ARD §4.2.1; the
/// pattern is that of the schema).
pub fn listing_urn(url: &str, kind: Kind, id: &ListingId) -> String {
    let own_prefix = format!("{}-", kind.as_str());
    let slug = id.as_str().strip_prefix(&own_prefix).unwrap_or(id.as_str());
    format!("urn:air:{}:{}:{slug}", urn_publisher(url), kind.as_str())
}

/// The host of a URL in the characters of a URN's publisher: no port, and an IPv6 address without its colons.
pub fn urn_publisher(url: &str) -> String {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let host: String = host.trim_matches(['[', ']']).chars().map(allowed).collect();
    if host.is_empty() { "localhost".to_owned() } else { host }
}
