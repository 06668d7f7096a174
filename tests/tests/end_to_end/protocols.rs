//! MCP, A2A, ARD, the official MCP registry's API and plain REST, as their clients speak them.

mod a2a_dialects;
mod a2a_fuzz;
mod ard;
mod description;
mod doors;
mod http_headers;
mod link_walker;
mod links;
mod mcp_fuzz;
pub(crate) mod mcp_http;
mod mcp_official_client;
mod next_steps;
mod registry_api;
mod rest;
