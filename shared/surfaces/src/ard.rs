//! Agentic Resource Discovery (ards-project/ard-spec 0.9). Live listings are catalog entries. Any client of
//! the standard can search, explore and browse these entries. The search path also accepts search requests in this
//! registry's own format.

pub(crate) mod browse;
pub(crate) mod catalog_entry;
pub(crate) mod explore;
mod filter;
pub(crate) mod search;
pub mod token;

use axum::middleware::map_response;
use axum::routing::{get, post};

use crate::documents::agent_directory::{self, Directory};
use crate::errors::in_form_of_ard;
use crate::prelude::*;
use crate::rest::{CalledBy, RawBody, json_response};
use browse::List;
use explore::Explored;
use registry_features::RawArguments;
use registry_features::listing::operations::ARD_SEARCH;
use registry_features::operation::arguments::from_json;
use registry_model::protocol::ARD_BASE;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/api/ard/explore", post(explore_by_body))
        .route("/api/ard/agents", get(browse_by_query))
        .route_layer(map_response(in_form_of_ard))
        .route("/api/ard", get(about))
        .route("/api/ard/search", post(search_by_body))
        .route("/agents/search", post(search_agents))
        .merge(description())
}

/// The description at the base URL.
pub fn description() -> Router<App> {
    Router::new().route(ARD_BASE, get(about))
}

/// A `query` object is ARD's request; everything else is this registry's own.
async fn search_by_body(
    State(app): State<App>,
    CalledBy(caller): CalledBy,
    body: RawBody,
) -> Result<Response, Refused> {
    let body = body.json()?;
    if body["query"].is_object() {
        let found = search::search(&app, &body).await.map(Json).map_err(Refused);
        return Ok(in_form_of_ard(found.into_response()).await);
    }
    Ok(json_response(ARD_SEARCH.render(app, caller, RawArguments::Json(body)).await?))
}

async fn explore_by_body(State(app): State<App>, body: RawBody) -> Result<Json<Explored>, Refused> {
    Ok(Json(explore::explore(&app, &body.json()?).await?))
}

async fn browse_by_query(State(app): State<App>, uri: Uri) -> Result<Json<List>, Refused> {
    Ok(Json(browse::list_entries(&app, &Parameters::of_query(uri.query()).read()?).await?))
}

/// Some clients of the agent directory use POST.
async fn search_agents(State(app): State<App>, body: RawBody) -> Result<Json<Directory>, Refused> {
    Ok(Json(agent_directory::read_directory(&app, &from_json(body.json()?)?).await?))
}

/// ARD §7.2 and §7.4: a larger request is reduced to it.
const MAX_PAGE_SIZE: u64 = 100;

/// The URLs of the ARD calls.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ArdAbout")]
pub(crate) struct About {
    ok: bool,
    protocol: &'static str,
    search: CallExample,
    explore: CallExample,
    agents: CallExample,
    catalog: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CallExample {
    method: &'static str,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
}

/// The description at the base URL of the ARD API.
async fn about(State(app): State<App>) -> Json<About> {
    let at = |path: &str| app.settings.url(path);
    let post = |path, body| CallExample { method: "POST", url: at(path), body: Some(body) };
    Json(About {
        ok: true,
        protocol: "ard",
        search: post("/api/ard/search", json!({ "query": { "text": "weather forecast" } })),
        explore: post("/api/ard/explore", json!({ "resultType": { "facets": [{ "field": "type" }] } })),
        agents: CallExample { method: "GET", url: at("/api/ard/agents"), body: None },
        catalog: at("/.well-known/ai-catalog.json"),
    })
}

fn page_size(size: Option<u64>, default: usize) -> Result<usize, Problem> {
    match size {
        None => Ok(default),
        Some(0) => Err(Problem::malformed("`pageSize` must be at least 1. A page has at most 100 entries.")),
        Some(size) => Ok(usize::try_from(size.min(MAX_PAGE_SIZE)).unwrap_or(default)),
    }
}
