//! The MCP server. The module `registry::mcp` contains the protocol.

use axum::Router;
use registry::app::App;
use registry::documents::SERVER_CARD;
use registry::mcp;
use registry::rest::{self, with_middleware};

/// The paths that the gateway sends to this function; a slash at the end stands for all paths below.
pub const PATHS: &[&str] = &["/api/protocol", "/mcp", "/mcp/"];

pub fn router(app: App) -> Router {
    let routes = mcp::routes(&app.settings).merge(rest::documents(&[&SERVER_CARD]));
    with_middleware(routes, app)
}
