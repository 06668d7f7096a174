//! The ARD API: search, explore and browse. Requests, responses and errors have the formats of ARD. The
//! search path also accepts search requests in this registry's own format.

use axum::middleware::map_response;
use axum::routing::{get, post};

use super::browse::{self, List};
use super::explore::{self, Explored};
use super::{about, search};
use crate::documents::agent_directory::{self, Directory};
use crate::errors::in_form_of_ard;
use crate::prelude::*;
use crate::rest::{RawBody, json_response};
use registry_features::RawArguments;
use registry_features::listing::ARD_SEARCH;
use registry_features::operation::arguments::{from_json, from_query};
use registry_model::protocol::ARD_BASE;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/api/ard/explore", post(explore))
        .route("/api/ard/agents", get(browse))
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
async fn search_by_body(State(app): State<App>, caller: Caller, body: RawBody) -> Result<Response, Problem> {
    let body = body.json()?;
    if body["query"].is_object() {
        let found = search::search(&app, &body).await.map(Json);
        return Ok(in_form_of_ard(found.into_response()).await);
    }
    Ok(json_response(ARD_SEARCH.render(app, caller, RawArguments::Json(body)).await?))
}

async fn explore(State(app): State<App>, body: RawBody) -> Result<Json<Explored>, Problem> {
    Ok(Json(explore::explore(&app, &body.json()?).await?))
}

async fn browse(State(app): State<App>, uri: Uri) -> Result<Json<List>, Problem> {
    Ok(Json(browse::list(&app, &from_query(uri.query().unwrap_or_default())?).await?))
}

/// Some clients of the agent directory use POST.
async fn search_agents(State(app): State<App>, body: RawBody) -> Result<Json<Directory>, Problem> {
    Ok(Json(agent_directory::read(&app, &from_json(body.json()?)?).await?))
}
