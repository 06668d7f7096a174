//! A catalog entry (ARD §4.2) in catalogs and search results. An entry is a listing, or an endpoint of the
//! registry itself. All entries are built in this module, so that an entry is the same everywhere.

use crate::prelude::*;
use registry_features::listing::{card_media_type, listing_urn, status_url, urn_publisher};
use registry_model::protocol::{
    AGENT_CARD_MEDIA_TYPE, ARD_BASE, REGISTRY_MEDIA_TYPE, SERVER_CARD_MEDIA_TYPE,
};
use registry_search::AbilityNames;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdEntry")]
pub(crate) struct CatalogEntry {
    pub(crate) identifier: String,
    pub(crate) display_name: String,
    /// The media type of a card of its kind.
    #[serde(rename = "type")]
    pub(crate) of_type: &'static str,
    /// The same, under the name that the AI catalogue format uses.
    pub(crate) media_type: &'static str,
    /// The card, or the endpoint of an MCP server that has no card.
    pub(crate) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) capabilities: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) representative_queries: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_at: Option<Moment>,
    /// Flat, as the schema requires.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) metadata: Map<String, Value>,
}

impl CatalogEntry {
    pub(crate) fn of(listing: &Listing, abilities: AbilityNames, settings: &Settings) -> Self {
        let kind = listing.likely_kind();
        Self {
            identifier: listing_urn(listing.public_card_url(), kind, &listing.id),
            display_name: listing.texts.name.clone(),
            of_type: card_media_type(kind),
            media_type: card_media_type(kind),
            url: listing.public_card_url().to_owned(),
            description: listing.texts.description.clone(),
            tags: abilities.tags,
            capabilities: abilities.names,
            representative_queries: Vec::new(),
            version: listing.texts.version.clone(),
            updated_at: None,
            metadata: metadata(listing, settings),
        }
    }
}

pub(crate) fn own_entries(settings: &Settings) -> Vec<CatalogEntry> {
    let own = |identifier: String,
               of_type: &'static str,
               name: &str,
               path: &str,
               what: &str,
               queries: [&str; 3]| {
        CatalogEntry {
            identifier,
            display_name: name.to_owned(),
            of_type,
            media_type: of_type,
            url: settings.url(path),
            description: Some(what.to_owned()),
            tags: ["registry", "discovery", "search"].map(str::to_owned).to_vec(),
            capabilities: Vec::new(),
            representative_queries: queries.map(str::to_owned).to_vec(),
            version: Some(registry_model::VERSION.to_owned()),
            updated_at: None,
            metadata: Map::new(),
        }
    };
    let [agent, server] = registry_app::own_listings(settings);
    // The URN of the own listing, so that both are the same resource.
    let urn = |kind, id: &ListingId| listing_urn(&settings.base_url, kind, id);
    let brand = settings.brand.as_str();
    vec![
        own(
            urn(Kind::Agent, &agent),
            AGENT_CARD_MEDIA_TYPE,
            brand,
            "/.well-known/agent-card.json",
            "Registry of agents and MCP servers. You can list yourself, find Live listings and check them, \
             in plain words over A2A.",
            ["find an agent that can do a task", "list my agent in a registry", "is this agent live?"],
        ),
        own(
            urn(Kind::Mcp, &server),
            SERVER_CARD_MEDIA_TYPE,
            brand,
            "/mcp/server-card",
            "Registry of agents and MCP servers, with MCP tools to search Live listings, publish a server \
             and check its status.",
            [
                "find an MCP server that can do a task",
                "list my MCP server in a registry",
                "which MCP servers are live?",
            ],
        ),
        own(
            format!("urn:air:{}:registry:ard", urn_publisher(&settings.base_url)),
            REGISTRY_MEDIA_TYPE,
            &format!("{brand} (search)"),
            ARD_BASE,
            "Search, explore and browse all Live listings with the ARD API.",
            [
                "search for agents and MCP servers",
                "which agents are there?",
                "discover AI agents by capability",
            ],
        ),
    ]
}

fn metadata(listing: &Listing, settings: &Settings) -> Map<String, Value> {
    let probe = listing.proof.probe.as_ref();
    let known = json!({
        "listing_id": listing.id,
        "kind": listing.likely_kind(),
        "category": listing.texts.category.id(),
        "status_url": status_url(settings, &listing.id),
        "endpoint": listing.endpoint,
        "protocol_version": listing.proof.era,
        "live_since": listing.proof.live_since,
        "handshake": probe.map(|probe| probe.handshake),
        "probe_score": probe.map(|probe| probe.score),
        "probed_at": probe.map(|probe| probe.at),
        "failing_since": listing.schedule.failing_since.filter(|_| listing.lane.is_proven()),
    });
    let Value::Object(mut known) = known else { return Map::new() };
    known.retain(|_, value| !value.is_null());
    known
}

#[cfg(test)]
mod tests;
