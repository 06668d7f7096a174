//! The short form of a listing, for search hits and the federation catalog: what the listing is, its
//! endpoint and its evidence. The long form is the row of the active list.

use super::row::special_access;
use super::{NameStanding, ProbeSummary, call_url, demo_url, status_url, urn};
use crate::prelude::*;
use registry_model::Access;

/// A short description of a listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Peer {
    /// Its URN in ARD.
    pub identifier: String,
    #[serde(rename = "displayName")]
    pub display_name: String,
    /// The media type of the card.
    #[serde(rename = "type")]
    pub of_type: &'static str,
    pub listing_id: ListingId,
    /// Agent or MCP server.
    pub kind: Kind,
    /// `gated` if it asks for a sign-in, `package` if its users run it themselves. Absent for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    pub name: String,
    /// The description that the publisher wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the name in its server description is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_standing: Option<NameStanding>,
    /// The domain whose key its owner bound to it. Absent if no key is bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proven_domain: Option<String>,
    /// The id of its category.
    pub category_id: String,
    /// The version that the publisher gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The protocol version that the last handshake used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The URL of the card. For a listing without a card, the same as `endpoint`.
    pub url: String,
    /// The URL that answered the handshake: send your calls to it. Of a package, a page about it, or empty.
    pub endpoint: String,
    /// A page about it, or empty.
    pub website: String,
    /// The same as `url`, under the name that rows use.
    pub agent_card_url: String,
    pub probe: ProbeSummary,
    /// Its status with the full evidence.
    pub status_url: String,
    /// A link to its demo. Absent if it is not open, because only an open listing gets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take_demo_get: Option<String>,
}

impl Peer {
    pub fn of(listing: &Listing, settings: &Settings, now: Moment) -> Self {
        let (kind, card) = (listing.likely_kind(), listing.public_card_url().to_owned());
        Self {
            identifier: urn::identifier(&card, kind, &listing.id),
            display_name: listing.texts.name.clone(),
            of_type: urn::media_type(kind),
            listing_id: listing.id.clone(),
            kind,
            access: special_access(listing),
            name: listing.texts.name.clone(),
            description: listing.texts.description.clone(),
            name_standing: NameStanding::of(listing),
            proven_domain: listing.valid_domain().map(ToString::to_string),
            category_id: listing.texts.category.id().to_owned(),
            version: listing.texts.version.clone(),
            protocol_version: listing.proof.era.clone(),
            endpoint: call_url(listing),
            website: listing.public_website(),
            agent_card_url: card.clone(),
            url: card,
            probe: ProbeSummary::of(listing, now),
            status_url: status_url(settings, &listing.id),
            take_demo_get: special_access(listing).is_none().then(|| demo_url(settings, &listing.id)),
        }
    }
}
