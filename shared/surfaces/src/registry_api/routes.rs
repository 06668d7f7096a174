//! The read API of the official MCP registry, at `/v0.1` and at the older `/v0`. This module translates
//! paths, methods and errors. The module `registry::registry_api` makes the answers.

use axum::Router;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::routing::any;
use http::Method;
use http::request::Parts;

use super::collection::Selection;
use super::error::RegistryApiError;
use super::path::{self, Call};
use super::query::ServerQuery;
use super::{extensions, servers};
use crate::documents;
use crate::http::rest;
use crate::prelude::*;
use registry_features::listing::Namespace;
use registry_model::cache::TaggedPage;

/// How long clients may cache an answer.
const MAX_AGE_SECONDS: u32 = 5;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/v0.1/{*call}", any(handle))
        .route("/v0/{*call}", any(handle))
        .route("/r/{collection}/v0.1/{*call}", any(handle_collection))
        .route("/r/{collection}/v0/{*call}", any(handle_collection))
}

async fn handle(
    State(app): State<App>,
    path: Result<Path<String>, PathRejection>,
    request: Parts,
) -> Result<Response, RegistryApiError> {
    let Ok(Path(path)) = path else { return Err(RegistryApiError::no_such_path()) };
    answer(&app, &path, None, &request).await
}

/// A collection of servers is a registry of its own.
async fn handle_collection(
    State(app): State<App>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Parts,
) -> Result<Response, RegistryApiError> {
    let Ok(Path((name, path))) = path else { return Err(RegistryApiError::no_such_path()) };
    let collection = Selection::load(&app, &name).await?;
    answer(&app, &path, Some(collection), &request).await
}

async fn answer(
    app: &App,
    path: &str,
    collection: Option<Arc<Selection>>,
    request: &Parts,
) -> Result<Response, RegistryApiError> {
    let call =
        path::call_at(path, &Namespace::own(&app.settings)).ok_or_else(RegistryApiError::no_such_path)?;
    check_method(&call, &request.method, &request.headers)?;
    let query = request.uri.query().unwrap_or_default();
    let page = match &call {
        Call::List => Ok(servers::rendered_list(app, &ServerQuery::parse(query, collection)?).await?),
        Call::Versions(name) => json(&servers::versions(app, name, collection.as_deref()).await?),
        Call::Version(name, version) => {
            json(&servers::version(app, name, version, collection.as_deref()).await?)
        }
        Call::Search | Call::ServerHealth | Call::Facets if collection.is_some() => {
            return Err(RegistryApiError::no_such_path());
        }
        Call::Health => json(&servers::alive(app).await?),
        Call::Ping => json(&json!({ "pong": true })),
        Call::About => json(&json!({ "version": registry_model::VERSION })),
        Call::Search => json(&extensions::search(app, query).await?),
        Call::ServerHealth => json(&extensions::health(app, query).await?),
        Call::Facets => json(&extensions::facets(app, query).await?),
        Call::Publish => return Err(RegistryApiError::no_such_path()),
    }?;
    let body = Some(page.body).filter(|_| !page.tag.matches_request(&request.headers));
    Ok(rest::conditional_response(MAX_AGE_SECONDS, &page.tag, "application/json", body))
}

/// Accepts reads. Writes are refused with the errors that the official API documents.
fn check_method(call: &Call, method: &Method, headers: &HeaderMap) -> Result<(), RegistryApiError> {
    let reads: &[Method] = if *call == Call::Publish { &[] } else { &[Method::GET, Method::HEAD] };
    let writes: &[Method] = match call {
        Call::Version(..) => &[Method::PUT, Method::DELETE],
        Call::Publish => &[Method::POST],
        _ => &[],
    };
    if reads.contains(method) {
        return Ok(());
    }
    if !writes.contains(method) {
        let allowed: Vec<&str> = reads.iter().chain(writes).map(Method::as_str).collect();
        return Err(RegistryApiError::wrong_method(allowed.join(", ")));
    }
    Err(RegistryApiError::read_only(headers.contains_key(header::AUTHORIZATION)))
}

fn json(answer: &impl Serialize) -> Result<TaggedPage, Problem> {
    Ok(TaggedPage::of_body(documents::json(answer)?))
}
