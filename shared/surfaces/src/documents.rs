//! Documents are resources that are read with GET and are not operations. Examples are the active list,
//! feeds, statistics, badges, cards and catalogs. Each document declares its paths and its cache lifetime. It
//! is made from the catalog of operations, the settings and the table.

mod active_list;
mod agent_card;
mod agent_descriptions;
pub mod agent_directory;
mod ai_catalog;
mod badge;
mod changes;
mod document;
mod dumps;
mod evidence_log;
pub mod families;
mod federation;
mod feeds;
mod keys;
pub mod mcp_server_card;
mod own_publication;
mod own_records;
pub(crate) mod probe_statistics;
mod score_report;
mod security_txt;
mod tool_definitions;

use ai_catalog::CATALOGUE_LINKS;

pub use document::{AnyDocument, DocumentAnswer};
pub(crate) use document::{Document, DocumentRequest, NoQuery, Validity, json};
pub(crate) use score_report::id_in as id_in_check;

/// RFC 9727 §2.
pub const API_CATALOG_LINK: (&str, &str) =
    ("link", "</.well-known/api-catalog>; rel=\"api-catalog\"; type=\"application/linkset+json\"");

/// Sent with `/` and with the discovery map (RFC 8288), for clients that know only the host name.
pub const ROOT_LINKS: [(&str, &str); 12] = [
    ("link", "</llms.txt>; rel=\"describedby\"; type=\"text/plain\""),
    ("link", "</discovery.json>; rel=\"alternate\"; type=\"application/json\""),
    ("link", "</.well-known/agent-card.json>; rel=\"agent-card\"; type=\"application/json\""),
    CATALOGUE_LINKS[0],
    CATALOGUE_LINKS[1],
    API_CATALOG_LINK,
    ("link", "</agentmap.json>; rel=\"agentmap\"; type=\"application/json\""),
    ("link", "</openapi.json>; rel=\"service-desc\"; type=\"application/json\""),
    ("link", "</for-agents>; rel=\"service-doc\"; type=\"text/html\""),
    ("link", "</status>; rel=\"status\"; type=\"text/html\""),
    ("link", "</terms>; rel=\"terms-of-service\"; type=\"text/html\""),
    ("link", "</privacy>; rel=\"privacy-policy\"; type=\"text/html\""),
];

pub static DOCUMENTS: &[&AnyDocument] = &[
    &A2A_CARD,
    &ABOUT_LOG,
    &ACTIVE_LIST,
    &ACTIVITY_FEED,
    &AGENT_CARD,
    &AGENT_DESCRIPTIONS,
    &AI_CATALOG,
    &BADGE,
    &CHANGE_FEED,
    &DNS_STATUS,
    &DUMPS,
    &DUMP_PART,
    &DUMP_SCHEMA,
    &FEDERATION_CATALOGUE,
    &KEY_SET,
    &LINKED_CATALOG,
    &LOG_CHECKPOINT,
    &LOG_EVIDENCE,
    &LOG_TILES,
    &OWN_SERVER_DESCRIPTION,
    &PROBE_STATISTICS,
    &PUBLIC_AGENTS,
    &PUBLISH_STATUS,
    &REGISTRY_AUTH,
    &SCORE_REPORT,
    &SECURITY_TXT,
    &SERVER_CARD,
    &SIGNATURE_AGENT_CARD,
    &SIGNATURE_DIRECTORY,
    &STRICT_AGENT_CARD,
    &TALK_FEED,
    &TOOL_DEFINITION,
    &WELL_KNOWN_AGENTS,
    &WIDE_SERVER_CARD,
];

// One item each, so that a function contains only what it serves.
pub static A2A_CARD: AnyDocument = AnyDocument::of::<agent_card::A2aCard>();
pub static ABOUT_LOG: AnyDocument = AnyDocument::of::<evidence_log::AboutLog>();
pub static ACTIVE_LIST: AnyDocument = AnyDocument::of::<active_list::ActiveList>();
pub static ACTIVITY_FEED: AnyDocument = AnyDocument::of::<feeds::ActivityFeed>();
pub static AGENT_CARD: AnyDocument = AnyDocument::of::<agent_card::AgentCard>();
pub static AGENT_DESCRIPTIONS: AnyDocument = AnyDocument::of::<agent_descriptions::AgentDescriptions>();
pub static PUBLIC_AGENTS: AnyDocument = AnyDocument::of::<agent_directory::PublicAgents>();
pub static WELL_KNOWN_AGENTS: AnyDocument = AnyDocument::of::<agent_directory::WellKnownAgents>();
pub static AI_CATALOG: AnyDocument = AnyDocument::of::<ai_catalog::AiCatalog>();
pub static BADGE: AnyDocument = AnyDocument::of::<badge::Badge>();
pub static CHANGE_FEED: AnyDocument = AnyDocument::of::<changes::AtomFeed>();
pub static DNS_STATUS: AnyDocument = AnyDocument::of::<own_publication::DnsStatus>();
pub static DUMPS: AnyDocument = AnyDocument::of::<dumps::DumpList>();
pub static DUMP_PART: AnyDocument = AnyDocument::of::<dumps::Part>();
pub static DUMP_SCHEMA: AnyDocument = AnyDocument::of::<dumps::Schema>();
pub static FEDERATION_CATALOGUE: AnyDocument = AnyDocument::of::<federation::FederationCatalogue>();
pub static KEY_SET: AnyDocument = AnyDocument::of::<keys::KeySet>();
pub static LINKED_CATALOG: AnyDocument = AnyDocument::of::<ai_catalog::LinkedCatalog>();
pub static LOG_CHECKPOINT: AnyDocument = AnyDocument::of::<evidence_log::Checkpoint>();
pub static LOG_EVIDENCE: AnyDocument = AnyDocument::of::<evidence_log::Evidence>();
pub static LOG_TILES: AnyDocument = AnyDocument::of::<evidence_log::Tiles>();
pub static OWN_SERVER_DESCRIPTION: AnyDocument = AnyDocument::of::<mcp_server_card::OwnServerDescription>();
pub static PROBE_STATISTICS: AnyDocument = AnyDocument::of::<probe_statistics::ProbeStatistics>();
pub static PUBLISH_STATUS: AnyDocument = AnyDocument::of::<own_publication::PublishStatus>();
pub static REGISTRY_AUTH: AnyDocument = AnyDocument::of::<keys::RegistryAuth>();
pub static SCORE_REPORT: AnyDocument = AnyDocument::of::<score_report::ReportDocument>();
pub static SECURITY_TXT: AnyDocument = AnyDocument::of::<security_txt::SecurityTxt>();
pub static SERVER_CARD: AnyDocument = AnyDocument::of::<mcp_server_card::ServerCard>();
pub static SIGNATURE_AGENT_CARD: AnyDocument = AnyDocument::of::<keys::SignatureAgentCard>();
pub static SIGNATURE_DIRECTORY: AnyDocument = AnyDocument::of::<keys::SignatureDirectory>();
pub static STRICT_AGENT_CARD: AnyDocument = AnyDocument::of::<agent_card::StrictAgentCard>();
pub static TALK_FEED: AnyDocument = AnyDocument::of::<feeds::TalkFeed>();
pub static TOOL_DEFINITION: AnyDocument = AnyDocument::of::<tool_definitions::ToolDefinition>();
pub static WIDE_SERVER_CARD: AnyDocument = AnyDocument::of::<mcp_server_card::WideServerCard>();
