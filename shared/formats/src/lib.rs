//! The documents that peers publish: agent cards, server descriptions, server cards, the names and texts in them.
//! Parsed and validated as text alone; nothing is fetched here, so every rule can be tested without a network.

pub mod a2a_message;
pub mod agent_card;
pub mod argument_schema;
pub mod argument_text;
pub mod email_address;
pub mod injection;
pub mod limits;
pub mod name_owner;
pub mod plain_text;
pub mod registry_name;
pub mod server_card;
pub mod server_json;
