//! Documents by which machines find their way: each is made from the catalogue and the settings when it is asked
//! for, so that none can drift from what the code does.

pub mod agent_card;
pub mod agent_directory;
pub mod ai_catalog;
pub mod discovery;
pub mod federation;
pub mod mcp_server_card;
