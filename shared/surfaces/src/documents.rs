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
pub mod discovery;
mod document;
mod dumps;
mod evidence_log;
mod federation;
mod feeds;
mod keys;
pub mod mcp_server_card;
mod own_publication;
mod own_records;
pub(crate) mod probe_statistics;
mod score_report;
mod tool_definitions;

use crate::prelude::*;
use ai_catalog::CATALOGUE_LINKS;

// One item each, so that a function contains only what it serves.
pub use active_list::ACTIVE_LIST;
pub use agent_card::{A2A_CARD, AGENT_CARD, STRICT_AGENT_CARD};
pub use agent_descriptions::AGENT_DESCRIPTIONS;
pub use agent_directory::{PUBLIC_AGENTS, WELL_KNOWN_AGENTS};
pub use ai_catalog::{AI_CATALOG, LINKED_CATALOG};
pub use badge::BADGE;
pub use changes::CHANGE_FEED;
pub use dumps::{DUMP_PART, DUMP_SCHEMA, DUMPS};
pub use evidence_log::{ABOUT_LOG, LOG_CHECKPOINT, LOG_EVIDENCE, LOG_TILES};
pub use federation::FEDERATION_CATALOGUE;
pub use feeds::{ACTIVITY_FEED, TALK_FEED};
pub use keys::{KEY_SET, REGISTRY_AUTH, SIGNATURE_AGENT_CARD, SIGNATURE_DIRECTORY};
pub use mcp_server_card::{OWN_SERVER_DESCRIPTION, SERVER_CARD, WIDE_SERVER_CARD};
pub use own_publication::{DNS_STATUS, PUBLISH_STATUS};
pub use probe_statistics::PROBE_STATISTICS;
pub use score_report::SCORE_REPORT;
pub use tool_definitions::TOOL_DEFINITION;

pub use discovery::SECURITY_TXT;
pub use document::AnyDocument;
pub(crate) use document::{DocumentRequest, Render, json, reused_for};
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

/// The versions of the extension families (`specification.md#versioning`), for cards and the discovery map.
const FAMILIES: [(&str, &str); 5] = [
    ("stigmergy", registry_features::trails::VERSION),
    ("autocatalysis", registry_features::economy::AUTOCATALYSIS_VERSION),
    ("interop", registry_features::interop::VERSION),
    ("first_principles", registry_features::trust::VERSION),
    ("exonomics", registry_features::economy::EXONOMICS_VERSION),
];

fn family_path(family: &str) -> String {
    format!("/api/products/{}", family.replace('_', "-"))
}

fn add_families(card: &mut Value, settings: &Settings) {
    for (family, version) in FAMILIES {
        card[family] = true.into();
        card[format!("{family}_version")] = version.into();
        card[format!("{family}_api")] = settings.url(&family_path(family)).into();
    }
}
