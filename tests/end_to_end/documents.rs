//! Tests the documents that the registry serves. Each document has its own file.

mod active_list;
mod agent_descriptions;
mod agent_directory;
mod ai_catalog;
mod all_documents;
mod badge;
mod discovery;
mod federation;
mod legal;
mod mcp_server_card;
mod registry_name;
mod sitemap;
mod skills;
