//! The MCP server. It is one stateless endpoint for the newest revision of MCP and the three revisions before
//! it. Every tool is an operation of the catalog, so a new operation
//! needs no change here. The two paths list different tools.

mod call;
mod endpoint;
mod message;
mod negotiate;
mod reply;
mod revision;
mod server;
mod tools;

use std::sync::Arc;

use axum::Router;
use registry::app::App;
use registry::documents::SERVER_CARD;
use registry::http::{rest, with_middleware};
use registry::model::protocol::{MCP_ENDPOINT, MCP_SHORT_ENDPOINT};
use registry::operations::toolsets::{CORE, SPECIFIED};

use crate::server::McpServer;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let server = Arc::new(McpServer::new(&app.settings));
    let routes = Router::new()
        .route(MCP_ENDPOINT, endpoint::routes(&server, &SPECIFIED))
        .route(MCP_SHORT_ENDPOINT, endpoint::routes(&server, &CORE));
    with_middleware(routes.merge(rest::documents(&[&SERVER_CARD])), app)
}
