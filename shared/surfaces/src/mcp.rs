//! The MCP server. It is one stateless endpoint for the newest revision of MCP and the three revisions before it. Every tool
//! is an operation of the catalog, so a new operation needs no change here. The two paths list different tools.

mod endpoint;
mod negotiate;
mod server;
mod tools;

use crate::prelude::*;
use registry_features::operation::toolsets::{CORE, SPECIFIED};
use registry_model::protocol::{MCP_ENDPOINT, MCP_SHORT_ENDPOINT};

pub(crate) use endpoint::McpDescription;
use server::McpServer;

pub fn routes(settings: &Settings) -> Router<App> {
    let server = Arc::new(McpServer::new(settings));
    Router::new()
        .route(MCP_ENDPOINT, endpoint::routes(&server, &SPECIFIED))
        .route(MCP_SHORT_ENDPOINT, endpoint::routes(&server, &CORE))
}
