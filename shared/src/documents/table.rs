//! The one table of all documents. Functions serve from it, and tests compare it with the template.

use super::document::AnyDocument;
use super::{
    active_list, agent_card, agent_directory, ai_catalog, badge, discovery, federation, feed, key_set,
    mcp_server_card, probe_statistics,
};

/// Every document.
pub static DOCUMENTS: [&AnyDocument; 15] = [
    &ACTIVE_LIST,
    &ACTIVITY_FEED,
    &AGENT_CARD,
    &AI_CATALOG,
    &BADGE,
    &DISCOVERY_MAP,
    &FEDERATION_CATALOGUE,
    &KEY_SET,
    &LINKED_CATALOG,
    &PROBE_STATISTICS,
    &PUBLIC_AGENTS,
    &SERVER_CARD,
    &STRICT_AGENT_CARD,
    &WELL_KNOWN_AGENTS,
    &WIDE_SERVER_CARD,
];

// One item each, so that a function holds no more than it serves.
/// [`active_list::ActiveList`]
pub static ACTIVE_LIST: AnyDocument = AnyDocument::of::<active_list::ActiveList>();
/// [`feed::ActivityFeed`]
pub static ACTIVITY_FEED: AnyDocument = AnyDocument::of::<feed::ActivityFeed>();
/// [`agent_card::AgentCard`]
pub static AGENT_CARD: AnyDocument = AnyDocument::of::<agent_card::AgentCard>();
/// [`agent_directory::PublicAgents`]
pub static PUBLIC_AGENTS: AnyDocument = AnyDocument::of::<agent_directory::PublicAgents>();
/// [`agent_directory::WellKnownAgents`]
pub static WELL_KNOWN_AGENTS: AnyDocument = AnyDocument::of::<agent_directory::WellKnownAgents>();
/// [`ai_catalog::AiCatalog`]
pub static AI_CATALOG: AnyDocument = AnyDocument::of::<ai_catalog::AiCatalog>();
/// [`badge::Badge`]
pub static BADGE: AnyDocument = AnyDocument::of::<badge::Badge>();
/// [`discovery::DiscoveryMap`]
pub static DISCOVERY_MAP: AnyDocument = AnyDocument::of::<discovery::DiscoveryMap>();
/// [`federation::FederationCatalogue`]
pub static FEDERATION_CATALOGUE: AnyDocument = AnyDocument::of::<federation::FederationCatalogue>();
/// [`key_set::KeySet`]
pub static KEY_SET: AnyDocument = AnyDocument::of::<key_set::KeySet>();
/// [`ai_catalog::LinkedCatalog`]
pub static LINKED_CATALOG: AnyDocument = AnyDocument::of::<ai_catalog::LinkedCatalog>();
/// [`probe_statistics::ProbeStatistics`]
pub static PROBE_STATISTICS: AnyDocument = AnyDocument::of::<probe_statistics::ProbeStatistics>();
/// [`mcp_server_card::ServerCard`]
pub static SERVER_CARD: AnyDocument = AnyDocument::of::<mcp_server_card::ServerCard>();
/// [`agent_card::StrictAgentCard`]
pub static STRICT_AGENT_CARD: AnyDocument = AnyDocument::of::<agent_card::StrictAgentCard>();
/// [`mcp_server_card::WideServerCard`]
pub static WIDE_SERVER_CARD: AnyDocument = AnyDocument::of::<mcp_server_card::WideServerCard>();
