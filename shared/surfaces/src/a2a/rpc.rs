//! The JSON-RPC 2.0 binding over POST. Every answer has HTTP status 200, also if it is an error. The reason
//! is that one of the official clients ignores the body of answers with any other status.

use axum::Extension;

use super::dialects;
use super::methods;
use super::send::PartsCache;
use crate::errors::RpcError;
use crate::json_rpc::{Malformed, Reply, Request};
use crate::prelude::*;
use crate::rest::{CalledBy, RawBody};

/// `POST /api/a2a`.
pub(super) async fn handle(
    State(app): State<App>,
    Extension(cache): Extension<PartsCache>,
    CalledBy(caller): CalledBy,
    uri: Uri,
    headers: HeaderMap,
    body: Result<RawBody, Refused>,
) -> impl IntoResponse {
    let (id, answer) = match read_request(body) {
        Ok(Request { id, method, params }) => {
            let answer = match (
                dialects::check_version(&headers, &Parameters::of_query(uri.query())),
                dialects::method(&method),
            ) {
                (Err(error), _) => Err(error),
                (Ok(()), None) => Err(RpcError::unknown_method(&method)),
                (Ok(()), Some(method)) => methods::call_method(&app, &cache, caller, method, &params).await,
            };
            (id, answer)
        }
        Err(Malformed { id, error }) => (id, Err(*error)),
    };
    (StatusCode::OK, Reply::to(&id, &answer))
}

/// An error has the id of the request if it is valid, as JSON-RPC requires.
fn read_request(body: Result<RawBody, Refused>) -> Result<Request, Malformed> {
    let without_id = |error| Malformed { id: Value::Null, error: Box::new(error) };
    let body = body.map_err(|problem| without_id(RpcError::of_a2a_body(problem)))?;
    Request::of_a2a(body.value().map_err(|error| without_id(RpcError::invalid_json(&error)))?)
}

#[cfg(test)]
mod tests;
