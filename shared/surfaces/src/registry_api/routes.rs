//! The read API of the official MCP registry, at `/v0.1` and at the older `/v0`. This module translates
//! paths, methods and errors. The module `registry::registry_api` makes the answers.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::middleware::map_response;
use axum::routing::any;
use http::request::Parts;

use super::collection::Selection;
use super::path::{self, Call};
use super::query::ServerQuery;
use super::{extensions, servers};
use crate::documents;
use crate::errors::in_form_of_registry_api;
use crate::prelude::*;
use crate::rest::{self, Parameters};
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
        .route_layer(map_response(in_form_of_registry_api))
}

async fn handle(
    State(app): State<App>,
    path: Result<Path<String>, PathRejection>,
    request: Parts,
) -> Result<Response, Problem> {
    let Ok(Path(path)) = path else { return Err(no_such_path()) };
    answer(&app, &path, None, &request).await
}

/// A collection of servers is a registry of its own.
async fn handle_collection(
    State(app): State<App>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Parts,
) -> Result<Response, Problem> {
    let Ok(Path((name, path))) = path else { return Err(no_such_path()) };
    let collection = Selection::load(&app, &name).await?;
    answer(&app, &path, Some(collection), &request).await
}

async fn answer(
    app: &App,
    path: &str,
    collection: Option<Arc<Selection>>,
    request: &Parts,
) -> Result<Response, Problem> {
    let call = path::call_at(path, &Namespace::own(&app.settings)).ok_or_else(no_such_path)?;
    if let Some(refusal) = refusal(&call, &request.method, &request.headers) {
        return Ok(refusal);
    }
    let query = &Parameters::of_uri(&request.uri);
    let page = match &call {
        Call::List => Ok(servers::rendered_list(app, &ServerQuery::parse(query, collection)?).await?),
        Call::Versions(name) => json(&servers::versions(app, name, collection.as_deref()).await?),
        Call::Version(name, version) => {
            json(&servers::version(app, name, version, collection.as_deref()).await?)
        }
        Call::Search | Call::ServerHealth | Call::Facets if collection.is_some() => {
            return Err(no_such_path());
        }
        Call::Health => json(&servers::alive(app).await?),
        Call::Ping => json(&json!({ "pong": true })),
        Call::About => json(&json!({ "version": registry_model::VERSION })),
        Call::Search => json(&extensions::search(app, query).await?),
        Call::ServerHealth => json(&extensions::health(app, query).await?),
        Call::Facets => json(&extensions::facets(app, query).await?),
        Call::Publish => return Err(no_such_path()),
    }?;
    let body = Some(page.body).filter(|_| !page.tag.matches_request(&request.headers));
    Ok(rest::conditional_response(MAX_AGE_SECONDS, &page.tag, "application/json", body))
}

/// Reads are accepted. Writes are refused with the errors that the official API documents.
fn refusal(call: &Call, method: &Method, headers: &HeaderMap) -> Option<Response> {
    let reads: &[Method] = if *call == Call::Publish { &[] } else { &[Method::GET, Method::HEAD] };
    let writes: &[Method] = match call {
        Call::Version(..) => &[Method::PUT, Method::DELETE],
        Call::Publish => &[Method::POST],
        _ => &[],
    };
    if reads.contains(method) {
        return None;
    }
    if !writes.contains(method) {
        let allowed: Vec<&str> = reads.iter().chain(writes).map(Method::as_str).collect();
        let allowed = allowed.join(", ");
        let detail = format!("Method not allowed: this path accepts {allowed}.");
        let problem = Problem::new(ErrorKind::MethodNotAllowed, Code::MethodNotAllowed, detail);
        return Some(([(header::ALLOW, allowed)], problem).into_response());
    }
    let has_token = headers.contains_key(header::AUTHORIZATION);
    let status = if has_token { StatusCode::FORBIDDEN } else { StatusCode::UNAUTHORIZED };
    let title = status.canonical_reason().unwrap_or("Error");
    let detail = format!("{title}: this API is read-only. Publish with POST /api/publish.");
    let mut response = Problem::new(status, Code::ReadOnly, detail).into_response();
    if !has_token {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    Some(response)
}

fn no_such_path() -> Problem {
    let detail = "Not found: unknown path. The servers are at /v0.1/servers below the base URL.";
    Problem::not_found(Code::NoSuchPath, detail)
}

fn json(answer: &impl Serialize) -> Result<TaggedPage, Problem> {
    Ok(TaggedPage::of_body(documents::json(answer)?))
}
