//! The door for MCP clients: one stateless endpoint that speaks today's revision and the three before it. Only
//! translation lives here; what a tool does is an operation of the catalogue, and a new one needs no line here.

mod call;
mod door;
mod endpoint;
mod ladder;
mod message;
mod origin;
mod reply;
mod revision;
mod tools;

use std::sync::Arc;

use axum::Router;
use registry::app::App;
use registry::documents::SERVER_CARD;
use registry::http::{rest, with_middleware};
use registry::model::protocol::{MCP_ENDPOINT, MCP_SHORT_ENDPOINT};

use crate::door::Door;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let door = Arc::new(Door::hung(&app.settings));
    let routes = Router::new()
        .route(MCP_ENDPOINT, endpoint::served(&door))
        .route(MCP_SHORT_ENDPOINT, endpoint::served(&door));
    with_middleware(routes.merge(rest::documents(&[&SERVER_CARD])), app)
}
