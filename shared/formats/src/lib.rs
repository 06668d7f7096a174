//! The document formats of peers: agent cards, server descriptions, server cards, and checks of the names and
//! texts in them. This crate only parses and validates, without network access, so that every rule can be
//! tested offline. It depends only on `registry-model`.
//!
//! Start with [`agent_card::read_body`] and [`server_json::parse_server_json`]. They return either the parsed document or
//! every fault with its place. [`server_card`] parses the third document format. [`document_texts`] checks all texts of
//! a document with the rules of [`plain_text`] and [`injection`]. [`argument_text`] checks the texts of callers, [`public_text`] those that anyone
//! may read, and [`argument_schema`] describes the same rules in JSON Schema. [`secret_key`] checks the secrets of callers.
//! [`tool_definition`] makes the content address of an MCP tool, [`tool_diff`] compares the tools of
//! two looks, and [`tool_schema`] checks them.

pub mod a2a_message;
pub mod agent_card;
pub mod argument_schema;
pub mod argument_text;
pub mod document_texts;
pub mod email_address;
pub mod injection;
mod json_texts;
pub mod limits;
pub mod name_owner;
pub mod personal_data;
pub mod plain_text;
pub mod public_text;
pub mod registry_name;
pub mod secret_key;
pub mod server_card;
pub mod server_json;
pub mod tool_definition;
pub mod tool_diff;
pub mod tool_schema;
