//! The documents by which machines discover the registry; and, being the function of last resort, the answer to
//! every path that no other function has.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Uri, header};
use registry::app::App;
use registry::documents::agent_directory::{self, Directory};
use registry::documents::discovery::{self, Map};
use registry::documents::{agent_card, ai_catalog, federation, mcp_server_card};
use registry::error::Problem;
use registry::http::{Query, etag_of, finish};
use registry::listing::envelope;
use registry::listing::page::Cursor;
use registry::operations::search_active;
use registry::trust::keys::{self, KeySet};
use serde::Deserialize;

/// Seconds for which a card may be shown again without asking.
const CARD_AGE: u32 = 3600;
/// Seconds for which a catalogue may be shown again without asking.
const CATALOG_AGE: u32 = 60;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let routes = Router::new()
        .route("/", get(async || Redirect::temporary("/discovery.json")))
        .route("/discovery.json", get(map))
        .route("/.well-known/agent-card.json", get(card))
        .route("/.well-known/agent.json", get(card))
        .route("/api/a2a/.well-known/agent-card.json", get(strict_card))
        .route("/.well-known/mcp/server-card.json", get(mcp_card))
        .route("/.well-known/jwks.json", get(key_set))
        .route("/.well-known/agents", get(agents))
        .route("/.well-known/agents/public", get(agents))
        .route(ai_catalog::STRICT, get(strict_catalog))
        .route(ai_catalog::LINKED, get(linked_catalog))
        .route("/api/catalog", get(catalog));
    finish(routes, app)
}

async fn map(State(app): State<App>) -> Result<Response, Problem> {
    let map: Map = discovery::draw(&app).await?;
    Ok(leading_to_catalogues(Json(map).into_response()))
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

async fn agents(
    State(app): State<App>,
    Query(asked): Query<agent_directory::Asked>,
) -> Result<Json<Directory>, Problem> {
    Ok(Json(agent_directory::read(&app, &asked).await?))
}

async fn strict_catalog(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let catalog = ai_catalog::strict(&app).await?;
    let answer = catalog.validator.answer(&headers, CATALOG_AGE, ai_catalog::MEDIA_TYPE, || catalog.body);
    Ok(leading_to_catalogues(answer))
}

async fn linked_catalog(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let catalog = ai_catalog::linked(&app).await?;
    let answer = catalog.validator.answer(&headers, CATALOG_AGE, ai_catalog::MEDIA_TYPE, || catalog.body);
    Ok(leading_to_catalogues(answer))
}

/// The same answer with the links by which ARD clients find the catalogues (RFC 8288; ARD 0.9 and 0.91).
fn leading_to_catalogues(mut answer: Response) -> Response {
    for (path, relation) in [(ai_catalog::STRICT, "ai-catalog"), (ai_catalog::LINKED, "ard")] {
        if let Ok(link) = HeaderValue::from_str(&format!("<{path}>; rel=\"{relation}\"")) {
            answer.headers_mut().append(header::LINK, link);
        }
    }
    answer
}

/// Which page of the federation catalogue.
#[derive(Debug, Default, Deserialize)]
struct Page {
    limit: Option<u32>,
    cursor: Option<String>,
}

/// An unchanged page costs one read and is not sent again.
async fn catalog(
    State(app): State<App>,
    uri: Uri,
    headers: HeaderMap,
    Query(page): Query<Page>,
) -> Result<Response, Problem> {
    let limit = search_active::limit(page.limit, 50)?;
    let from = page.cursor.as_deref().map(Cursor::read).transpose()?.unwrap_or_default();
    let live = app.store.live().await?;
    let validator = envelope::validator(&app, live, &format!("catalog?{}", uri.query().unwrap_or_default()));
    if validator.is_held_by(&headers) {
        return Ok(validator.answer(&headers, CATALOG_AGE, "application/json", Bytes::new));
    }
    let catalogue = federation::read(&app, live, &from, limit).await?;
    let body = serde_json::to_vec(&catalogue).map_err(|error| Problem::fault(error.to_string()))?;
    Ok(validator.answer(&headers, CATALOG_AGE, "application/json", || Bytes::from(body)))
}
