//! The one table of all documents. Functions serve from it, and tests compare it with the template.

#![expect(missing_docs, reason = "a document is documented where it is written")]

use super::document::AnyDocument;

pub static DOCUMENTS: &[&AnyDocument] = &[
    &A2A_CARD,
    &ABOUT_LOG,
    &ACTIVE_LIST,
    &ACTIVITY_FEED,
    &AGENT_CARD,
    &AGENT_DESCRIPTIONS,
    &AI_CATALOG,
    &BADGE,
    &DNS_STATUS,
    &FEDERATION_CATALOGUE,
    &KEY_SET,
    &LINKED_CATALOG,
    &LOG_CHECKPOINT,
    &LOG_TILES,
    &OWN_SERVER_DESCRIPTION,
    &PROBE_STATISTICS,
    &PUBLIC_AGENTS,
    &PUBLISH_STATUS,
    &REGISTRY_AUTH,
    &SERVER_CARD,
    &SIGNATURE_AGENT_CARD,
    &SIGNATURE_DIRECTORY,
    &STRICT_AGENT_CARD,
    &TALK_FEED,
    &WELL_KNOWN_AGENTS,
    &WIDE_SERVER_CARD,
];

// One item each, so that a function holds no more than it serves.
pub static A2A_CARD: AnyDocument = AnyDocument::of::<super::agent_card::A2aCard>();
pub static ABOUT_LOG: AnyDocument = AnyDocument::of::<super::evidence_log::AboutLog>();
pub static ACTIVE_LIST: AnyDocument = AnyDocument::of::<super::active_list::ActiveList>();
pub static ACTIVITY_FEED: AnyDocument = AnyDocument::of::<super::feed::ActivityFeed>();
pub static AGENT_CARD: AnyDocument = AnyDocument::of::<super::agent_card::AgentCard>();
pub static AGENT_DESCRIPTIONS: AnyDocument =
    AnyDocument::of::<super::agent_descriptions::AgentDescriptions>();
pub static PUBLIC_AGENTS: AnyDocument = AnyDocument::of::<super::agent_directory::PublicAgents>();
pub static WELL_KNOWN_AGENTS: AnyDocument = AnyDocument::of::<super::agent_directory::WellKnownAgents>();
pub static AI_CATALOG: AnyDocument = AnyDocument::of::<super::ai_catalog::AiCatalog>();
pub static BADGE: AnyDocument = AnyDocument::of::<super::badge::Badge>();
pub static DNS_STATUS: AnyDocument = AnyDocument::of::<super::dns_status::DnsStatus>();
pub static FEDERATION_CATALOGUE: AnyDocument = AnyDocument::of::<super::federation::FederationCatalogue>();
pub static KEY_SET: AnyDocument = AnyDocument::of::<super::key_set::KeySet>();
pub static LINKED_CATALOG: AnyDocument = AnyDocument::of::<super::ai_catalog::LinkedCatalog>();
pub static LOG_CHECKPOINT: AnyDocument = AnyDocument::of::<super::evidence_log::Checkpoint>();
pub static LOG_TILES: AnyDocument = AnyDocument::of::<super::evidence_log::Tiles>();
pub static OWN_SERVER_DESCRIPTION: AnyDocument =
    AnyDocument::of::<super::server_description::OwnServerDescription>();
pub static PROBE_STATISTICS: AnyDocument = AnyDocument::of::<super::probe_statistics::ProbeStatistics>();
pub static PUBLISH_STATUS: AnyDocument = AnyDocument::of::<super::publish_status::PublishStatus>();
pub static REGISTRY_AUTH: AnyDocument = AnyDocument::of::<super::registry_auth::RegistryAuth>();
pub static SERVER_CARD: AnyDocument = AnyDocument::of::<super::mcp_server_card::ServerCard>();
pub static SIGNATURE_AGENT_CARD: AnyDocument =
    AnyDocument::of::<super::signature_directory::SignatureAgentCard>();
pub static SIGNATURE_DIRECTORY: AnyDocument =
    AnyDocument::of::<super::signature_directory::SignatureDirectory>();
pub static STRICT_AGENT_CARD: AnyDocument = AnyDocument::of::<super::agent_card::StrictAgentCard>();
pub static TALK_FEED: AnyDocument = AnyDocument::of::<super::talk_feed::TalkFeed>();
pub static WIDE_SERVER_CARD: AnyDocument = AnyDocument::of::<super::mcp_server_card::WideServerCard>();
