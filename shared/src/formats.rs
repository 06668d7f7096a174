//! The documents that strangers hand over: agent cards, server descriptions, server cards, and the names they bear.
//! Read and judged as text alone; nothing is fetched here.

pub mod agent_card;
pub mod limits;
pub mod registry_name;
pub mod server_card;
pub mod server_json;
