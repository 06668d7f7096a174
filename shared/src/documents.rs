//! What is served by GET and is no operation: the active list, the feed, statistics, badges, cards and catalogues.
//! Each declares its paths and cache lifetime; all are made from the catalogue, the settings and the table.

mod active_list;
mod agent_card;
pub mod agent_directory;
mod ai_catalog;
mod badge;
mod discovery;
mod document;
mod evidence_log;
mod federation;
mod feed;
mod key_set;
pub mod mcp_server_card;
mod probe_statistics;
mod signature_directory;
mod table;
mod talk_feed;

pub use document::{AnyDocument, DocumentAnswer};
pub use table::*;
