//! Finding what is Live: in the registry's own dialect, in that of ARD, and as lists of public agents. Here a request
//! is only taken apart and handed on, and an ARD client is refused in ARD's own words.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use registry::app::App;
use registry::ard::browse::{self, List};
use registry::ard::explore::{self, Explored};
use registry::ard::{BASE, Refusal, search};
use registry::documents::agent_directory::{self, Directory};
use registry::error::Problem;
use registry::http::{Body, Caller, Query, RawBody, arguments};
use registry::operations::ard_search::Arguments;
use registry::operations::search_active::Wanted;
use registry::operations::{ArdSearch, MatchCapability, Operation};
use serde::Deserialize;
use serde_json::{Value, json};

/// The routes for finding.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(BASE, get(about))
        .route("/api/ard/search", get(search_by_query).post(search_by_body))
        .route("/api/ard/explore", post(explored))
        .route("/api/ard/agents", get(browsed))
        .route("/api/match", get(matched))
        .route("/agents/search", get(agents).post(agents_by_body))
        .route("/agents/public", get(agents))
}

/// What stands at the announced base of the ARD API.
async fn about(State(app): State<App>) -> Json<Value> {
    let at = |path: &str| app.settings.url(path);
    Json(json!({
        "ok": true,
        "protocol": "ard",
        "search": { "method": "POST", "url": at("/api/ard/search"), "body": { "query": { "text": "weather forecast" } } },
        "explore": { "method": "POST", "url": at("/api/ard/explore"), "body": { "resultType": { "facets": [{ "field": "type" }] } } },
        "agents": { "method": "GET", "url": at("/api/ard/agents") },
        "catalog": at("/.well-known/ai-catalog.json"),
    }))
}

/// The arguments of a search by query, where nothing asked for means the newest.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Asked {
    #[serde(alias = "query")]
    q: String,
    kind: Option<Wanted>,
    category: Option<String>,
    limit: Option<u32>,
}

async fn search_by_query(
    State(app): State<App>,
    caller: Caller,
    Query(asked): Query<Asked>,
) -> Result<Json<<ArdSearch as Operation>::Answer>, Problem> {
    let Asked { q, kind, category, limit } = asked;
    Ok(Json(ArdSearch::run(&app, &caller, Arguments { q, kind, category, limit }).await?))
}

/// Both dialects: a `query` that is an object is ARD's, and is answered with nothing but what ARD knows.
async fn search_by_body(State(app): State<App>, caller: Caller, body: RawBody) -> Result<Response, Problem> {
    let body = body.json()?;
    if body["query"].is_object() {
        return Ok(search::search(&app, &body).await.map(Json).into_response());
    }
    let answer = ArdSearch::run(&app, &caller, arguments(body)?).await?;
    Ok(Json(answer).into_response())
}

async fn explored(State(app): State<App>, body: Result<RawBody, Problem>) -> Result<Json<Explored>, Refusal> {
    Ok(Json(explore::explore(&app, &body?.json()?).await?))
}

async fn browsed(
    State(app): State<App>,
    asked: Result<Query<browse::Asked>, Problem>,
) -> Result<Json<List>, Refusal> {
    Ok(Json(browse::list(&app, &asked?.0).await?))
}

async fn matched(
    State(app): State<App>,
    caller: Caller,
    Query(arguments): Query<Arguments>,
) -> Result<Json<<MatchCapability as Operation>::Answer>, Problem> {
    Ok(Json(MatchCapability::run(&app, &caller, arguments).await?))
}

async fn agents(
    State(app): State<App>,
    Query(asked): Query<agent_directory::Asked>,
) -> Result<Json<Directory>, Problem> {
    Ok(Json(agent_directory::read(&app, &asked).await?))
}

async fn agents_by_body(
    State(app): State<App>,
    Body(asked): Body<agent_directory::Asked>,
) -> Result<Json<Directory>, Problem> {
    Ok(Json(agent_directory::read(&app, &asked).await?))
}
