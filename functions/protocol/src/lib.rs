//! The MCP server. The module `registry::mcp` contains the protocol.

use axum::Router;
use registry::app::App;
use registry::documents::SERVER_CARD;
use registry::mcp;
use registry::rest::{self, with_middleware};

pub fn router(app: App) -> Router {
    let routes = mcp::routes(&app.settings).merge(rest::documents(&[&SERVER_CARD]));
    with_middleware(routes, app)
}
