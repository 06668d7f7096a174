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
use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use http::HeaderMap;
use registry::app::App;
use registry::documents::mcp_server_card::{self, ENDPOINT, SHORT_ENDPOINT};
use registry::http::{etag_of, finish};

use crate::door::Door;

/// Seconds for which the card may be shown again without asking (SEP-2127).
const CARD_AGE: u32 = 3600;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let door = Arc::new(Door::hung(&app.settings));
    let routes = Router::new()
        .route(ENDPOINT, endpoint::served(&door))
        .route(SHORT_ENDPOINT, endpoint::served(&door))
        .route("/mcp/server-card", card_route());
    finish(routes, app)
}

fn card_route() -> MethodRouter<App> {
    get(card)
}

async fn card(State(app): State<App>, headers: HeaderMap) -> Response {
    let card = Bytes::from(mcp_server_card::strict(&app.settings).to_string());
    etag_of(&card).answer(&headers, CARD_AGE, mcp_server_card::MEDIA_TYPE, || card)
}
