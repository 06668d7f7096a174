//! The door of the official MCP registry's read API, under `/v0.1` and the older `/v0`. Translates paths, methods and
//! faults into that API's own; what is listed, and how it is told, is decided in the crate.

mod fault;
mod path;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::any;
use bytes::Bytes;
use http::{HeaderMap, Method, header};
use registry::app::App;
use registry::cache::CacheValidator;
use registry::error::Problem;
use registry::http::rest;
use registry::registry_api::{self, Namespace, ServerQuery};
use serde::Serialize;
use serde_json::json;

use fault::Fault;
use path::{Call, Extension};

/// Seconds for which an answer may be shown again without asking.
const AGE: u32 = 5;

/// The routes of this door.
pub(crate) fn routes() -> Router<App> {
    Router::new().route("/v0.1/{*call}", any(door)).route("/v0/{*call}", any(door))
}

async fn door(
    State(app): State<App>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Fault> {
    let Ok(Path(path)) = path else { return Err(Fault::NoSuchPath) };
    let call = path::call_at(&path, &Namespace::own(&app.settings)).ok_or(Fault::NoSuchPath)?;
    check_method(&call, request.method(), request.headers())?;
    let query = request.uri().query().unwrap_or_default();
    let body = match &call {
        Call::List => json(&registry_api::list(&app, &ServerQuery::parse(query)?).await?),
        Call::Versions(name) => json(&registry_api::versions(&app, name).await?),
        Call::Version(name, version) => json(&registry_api::version(&app, name, version).await?),
        Call::Health => json(&registry_api::alive(&app).await?),
        Call::Ping => json(&json!({ "pong": true })),
        Call::About => json(&json!({ "version": registry::VERSION })),
        Call::Extension(Extension::Search) => json(&registry_api::search(&app, query).await?),
        Call::Extension(Extension::Health) => json(&registry_api::health(&app, query).await?),
        Call::Extension(Extension::Facets) => json(&registry_api::facets(&app, query).await?),
        Call::Publish => return Err(Fault::NoSuchPath),
    }?;
    let validator = CacheValidator::of_body(&body);
    let body = Some(body).filter(|_| !validator.is_held_by(request.headers()));
    Ok(rest::kept_for(AGE, &validator, "application/json", body))
}

/// Lets reads pass. The writes that the official API documents for a path are refused in its words: this registry
/// lists what answers a probe, and nothing by decree.
fn check_method(call: &Call, method: &Method, headers: &HeaderMap) -> Result<(), Fault> {
    let (reads, writes): (bool, &[Method]) = match call {
        Call::Version(..) => (true, &[Method::PUT, Method::DELETE]),
        Call::Publish => (false, &[Method::POST]),
        _ => (true, &[]),
    };
    match method {
        // HEAD is GET without the body, which is left out on the way.
        &Method::GET | &Method::HEAD if reads => Ok(()),
        method if writes.contains(method) && headers.contains_key(header::AUTHORIZATION) => {
            Err(Fault::ReadOnly)
        }
        method if writes.contains(method) => Err(Fault::Unauthorized),
        _ => {
            let allowed = if reads { "GET, HEAD" } else { "" };
            let allowed = std::iter::once(allowed).chain(writes.iter().map(Method::as_str));
            Err(Fault::WrongMethod(allowed.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")))
        }
    }
}

fn json(answer: &impl Serialize) -> Result<Bytes, Problem> {
    serde_json::to_vec(answer).map(Bytes::from).map_err(|error| Problem::fault(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_writes_are_refused_as_documented() {
        let refused = |call: Call, method: Method, token: bool| {
            let mut headers = HeaderMap::new();
            if token {
                headers.insert(header::AUTHORIZATION, http::HeaderValue::from_static("Bearer x"));
            }
            check_method(&call, &method, &headers).err().map(|fault| fault.to_string())
        };
        let version = || Call::Version("a.b/cd".to_owned(), "1".to_owned());
        assert_eq!(refused(version(), Method::GET, false), None);
        assert_eq!(refused(version(), Method::HEAD, false), None);
        assert_eq!(refused(version(), Method::PUT, false), Some(Fault::Unauthorized.to_string()));
        assert_eq!(refused(version(), Method::DELETE, true), Some(Fault::ReadOnly.to_string()));
        assert_eq!(refused(Call::Publish, Method::POST, true), Some(Fault::ReadOnly.to_string()));
        let wrong = |allowed: &str| Some(Fault::WrongMethod(allowed.to_owned()).to_string());
        assert_eq!(refused(version(), Method::PATCH, true), wrong("GET, HEAD, PUT, DELETE"));
        assert_eq!(refused(Call::Publish, Method::GET, false), wrong("POST"));
        assert_eq!(refused(Call::List, Method::POST, false), wrong("GET, HEAD"));
    }
}
