//! Tests the documents that the registry serves.

mod active_list;
mod agent_directory;
mod ai_catalog;
mod badge;
mod discovery;
mod legal;
mod paging;
mod registry_name;
