//! Tests the protocols as their clients use them: MCP, A2A, ARD, plain REST, and the API of the official MCP registry.

mod a2a_dialects;
mod a2a_tasks;
mod a2a_words;
pub(crate) mod all_protocols;
mod ard;
mod foreign_pages;
mod fuzzing;
mod http_headers;
mod links;
pub(crate) mod mcp_http;
mod registry_api;
mod rest;
mod slow_clients;
