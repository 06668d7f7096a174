//! The doors for MCP clients and A2A agents, by their own clients and by whatever else may come.

mod a2a_dialects;
mod a2a_fuzz;
mod mcp_clients;
mod mcp_door;
mod mcp_fuzz;
