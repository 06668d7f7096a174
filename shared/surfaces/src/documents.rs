//! What is served by GET and is no operation: the active list, the feed, statistics, badges, cards and catalogues.
//! Each declares its paths and cache lifetime; all are made from the catalogue, the settings and the table.

mod active_list;
mod agent_card;
mod agent_descriptions;
pub mod agent_directory;
mod ai_catalog;
mod badge;
mod dns_status;
mod document;
mod evidence_log;
pub mod families;
mod federation;
mod feed;
mod key_set;
mod links;
pub mod mcp_server_card;
mod own_records;
pub(crate) mod probe_statistics;
mod publish_status;
mod registry_auth;
mod server_description;
mod signature_directory;
mod table;
mod talk_feed;

pub use document::{AnyDocument, DocumentAnswer};
pub(crate) use document::{Document, DocumentRequest, NoQuery, json};
pub use links::{API_CATALOG_LINK, ROOT_LINKS};
pub use table::*;
