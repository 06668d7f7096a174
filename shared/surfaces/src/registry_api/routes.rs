//! The paths and methods of the official MCP registry API, at `/v0.1` and at the older `/v0`. Server names contain a slash.
//! Many clients send the slash without encoding it. So a path is decoded before it is parsed: after decoding, both forms are
//! the same.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::middleware::map_response;
use axum::routing::any;
use http::request::Parts;

use super::collection::Selection;
use super::query::ServerQuery;
use super::{extensions, servers};
use crate::documents;
use crate::errors::{self, in_form_of_registry_api};
use crate::prelude::*;
use crate::rest;
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
) -> Result<Response, Refused> {
    let Ok(Path(path)) = path else { return Err(no_such_path().into()) };
    answer(&app, &path, None, &request).await
}

/// A collection of servers is a registry of its own.
async fn handle_collection(
    State(app): State<App>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Parts,
) -> Result<Response, Refused> {
    let Ok(Path((name, path))) = path else { return Err(no_such_path().into()) };
    let collection = Selection::load(&app, &name).await?;
    answer(&app, &path, Some(collection), &request).await
}

async fn answer(
    app: &App,
    path: &str,
    collection: Option<Arc<Selection>>,
    request: &Parts,
) -> Result<Response, Refused> {
    let call = call_at(path, &Namespace::own(&app.settings)).ok_or_else(no_such_path)?;
    if let Some(refusal) = refusal(&call, &request.method, &request.headers) {
        return Ok(refusal);
    }
    let query = &Parameters::of_query(request.uri.query());
    let page = match &call {
        Call::List => Ok(servers::rendered_list(app, &ServerQuery::parse(query, collection)?).await?),
        Call::Versions(name) => json(&servers::server_versions(app, name, collection.as_deref()).await?),
        Call::Version(name, version) => {
            json(&servers::server_version(app, name, version, collection.as_deref()).await?)
        }
        Call::Search | Call::ServerHealth | Call::Facets if collection.is_some() => {
            return Err(no_such_path().into());
        }
        Call::Health => json(&servers::check_store(app).await?),
        Call::Ping => json(&json!({ "pong": true })),
        Call::About => json(&json!({ "version": registry_model::VERSION })),
        Call::Search => json(&extensions::search(app, query).await?),
        Call::ServerHealth => json(&extensions::health(app, query).await?),
        Call::Facets => json(&extensions::facets(app, query).await?),
        Call::Publish => return Err(no_such_path().into()),
    }?;
    let body = Some(page.body).filter(|_| !rest::has_version(&request.headers, &page.tag));
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
        return Some(([(header::ALLOW, allowed)], Refused(problem)).into_response());
    }
    let has_token = headers.contains_key(header::AUTHORIZATION);
    let kind = if has_token { ErrorKind::Forbidden } else { ErrorKind::Unauthenticated };
    let detail = format!("{}: this API is read-only. Publish with POST /api/publish.", errors::title(kind));
    let mut response = Refused(Problem::new(kind, Code::ReadOnly, detail)).into_response();
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

#[derive(Clone, Debug, PartialEq, Eq)]
enum Call {
    /// `servers`
    List,
    /// `servers/{name}/versions`
    Versions(String),
    /// `servers/{name}/versions/{version}`
    Version(String, String),
    Publish,
    Health,
    Ping,
    /// `version`
    About,
    /// `x/{namespace}/search`, an extension, as are the next two.
    Search,
    /// `x/{namespace}/health`
    ServerHealth,
    /// `x/{namespace}/facets`
    Facets,
}

/// The call at a decoded path below `/v0.1/`. Extensions exist only below the registry's own namespace.
fn call_at(path: &str, own: &Namespace) -> Option<Call> {
    let path = path.strip_suffix('/').unwrap_or(path);
    if let Some(path) = path.strip_prefix("servers/") {
        return version_at(path);
    }
    Some(match path.split('/').collect::<Vec<_>>()[..] {
        ["servers"] => Call::List,
        ["publish"] => Call::Publish,
        ["health"] => Call::Health,
        ["ping"] => Call::Ping,
        ["version"] => Call::About,
        ["x", namespace, "search"] if own.is(namespace) => Call::Search,
        ["x", namespace, "health"] if own.is(namespace) => Call::ServerHealth,
        ["x", namespace, "facets"] if own.is(namespace) => Call::Facets,
        _ => return None,
    })
}

/// `{owner}/{name}/versions`, optionally with a version, which may contain slashes. A name without a slash is passed
/// on: `servers` refuses it with an explanation.
fn version_at(path: &str) -> Option<Call> {
    let segments: Vec<&str> = path.split('/').collect();
    let name_length = match segments[..] {
        [_, _, "versions", ..] => 2,
        [_, "versions", ..] => 1,
        _ => return None,
    };
    let (name, version) = (segments[..name_length].join("/"), segments[name_length + 1..].join("/"));
    Some(if version.is_empty() { Call::Versions(name) } else { Call::Version(name, version) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_may_contain_slashes_and_a_server_may_be_called_versions() {
        let version = Call::Version("com.example/adder".to_owned(), "1.0.0+b/7".to_owned());
        assert_eq!(version_at("com.example/adder/versions/1.0.0+b/7"), Some(version));
        let versions = Call::Versions("com.example/versions".to_owned());
        assert_eq!(version_at("com.example/versions/versions"), Some(versions));
    }
}
