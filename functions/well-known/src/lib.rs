//! The documents by which machines discover the registry; and, being the function of last resort, the answer to
//! every path that no other function has.

use axum::extract::State;
use axum::response::{Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use http::HeaderMap;
use registry::app::App;
use registry::documents::agent_card;
use registry::documents::discovery::{self, Map};
use registry::documents::mcp_server_card;
use registry::error::Problem;
use registry::http::{etag_of, finish};
use registry::trust::keys::{self, KeySet};

/// Seconds for which a card may be shown again without asking.
const CARD_AGE: u32 = 3600;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let routes = Router::new()
        .route("/", get(async || Redirect::temporary("/discovery.json")))
        .route("/discovery.json", get(map))
        .route("/.well-known/agent-card.json", get(card))
        .route("/.well-known/agent.json", get(card))
        .route("/api/a2a/.well-known/agent-card.json", get(strict_card))
        .route("/.well-known/mcp/server-card.json", get(mcp_card))
        .route("/.well-known/jwks.json", get(key_set));
    finish(routes, app)
}

async fn map(State(app): State<App>) -> Result<Json<Map>, Problem> {
    Ok(Json(discovery::draw(&app).await?))
}

async fn card(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let card = agent_card::wide(&app).await?;
    Ok(card.validator.answer(&headers, CARD_AGE, "application/json", || card.body))
}

async fn strict_card(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let card = agent_card::strict(&app).await?;
    Ok(card.validator.answer(&headers, CARD_AGE, "application/json", || card.body))
}

async fn mcp_card(State(app): State<App>, headers: HeaderMap) -> Response {
    let card = Bytes::from(mcp_server_card::wide(&app.settings).to_string());
    etag_of(&card).answer(&headers, CARD_AGE, "application/json", || card)
}

async fn key_set(State(app): State<App>) -> Result<Json<KeySet>, Problem> {
    Ok(Json(keys::published(&app).await?))
}
