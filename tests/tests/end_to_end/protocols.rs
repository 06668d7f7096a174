//! MCP, A2A, ARD, the API of the official MCP registry and plain REST, as their clients use them.

mod a2a_dialects;
mod a2a_fuzz;
mod all_protocols;
mod ard;
mod http_headers;
mod link_walker;
mod links;
mod mcp_fuzz;
pub(crate) mod mcp_http;
mod mcp_official_client;
mod next_steps;
mod openapi_conformance;
mod registry_api;
mod rest;
