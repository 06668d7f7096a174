//! The JSON-RPC 2.0 binding over POST. Every answer has HTTP status 200, also if it is an error. The reason
//! is that one of the official clients ignores the body of answers with any other status.

use axum::Extension;
use http::Uri;

use super::send::PartsCache;
use super::{A2aError, calls, dialects, version};
use crate::http::RawBody;
use crate::http::rest::json_response;
use crate::json_rpc;
use crate::prelude::*;
use registry_model::json;

/// `POST /api/a2a`.
pub(super) async fn handle(
    State(app): State<App>,
    Extension(cache): Extension<PartsCache>,
    caller: Caller,
    uri: Uri,
    headers: HeaderMap,
    body: Result<RawBody, Problem>,
) -> Response {
    let (id, request) = read(body);
    let answer = match request.and_then(|request| version::check(&headers, &uri).map(|()| request)) {
        Ok(Request { method, params }) => match dialects::method(&method) {
            Some(method) => calls::call(&app, &cache, caller, method, &params).await,
            None => Err(A2aError::unknown_method(&method)),
        },
        Err(error) => Err(error),
    };
    let reply = json_rpc::response(&id, &answer.map_err(A2aError::rpc));
    reply.map(json_response).map_err(A2aError::from).into_response()
}

struct Request {
    method: String,
    params: Map<String, Value>,
}

/// With the id of the request if it is valid, also for an error, as JSON-RPC requires.
fn read(body: Result<RawBody, Problem>) -> (Value, Result<Request, A2aError>) {
    let invalid = |id: Value, detail: &str| (id, Err(A2aError::invalid_request(detail)));
    let document = match body.map(|body| json::parse(&body.0)) {
        Ok(Ok(document)) => document,
        Ok(Err(error)) => return (Value::Null, Err(A2aError::parse(&error))),
        Err(problem) => return (Value::Null, Err(A2aError::of_body(problem))),
    };
    let mut members = match document {
        Value::Object(members) => members,
        Value::Array(_) => {
            return invalid(Value::Null, "Batches are not supported: send one request at a time.");
        }
        _ => return invalid(Value::Null, "A request must be a JSON object."),
    };
    // A request without an id would be a notification. A2A has none, so the client forgot the id.
    let id = match members.remove("id") {
        Some(id @ (Value::String(_) | Value::Number(_) | Value::Null)) => id,
        None => Value::Null,
        Some(_) => return invalid(Value::Null, "`id` must be a string or a number."),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(id, "`jsonrpc` must be \"2.0\".");
    }
    let Some(Value::String(method)) = members.remove("method") else {
        return invalid(id, "`method` must be a string; call `help` for the list of methods.");
    };
    let params = match members.remove("params") {
        Some(Value::Object(params)) => params,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return (id, Err(A2aError::param("params", "must be an object."))),
    };
    (id, Ok(Request { method, params }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(body: &'static str) -> (Value, i32) {
        let (id, request) = read(Ok(RawBody(body.into())));
        let Err(error) = request else { panic!("{body} was accepted") };
        (id, error.rpc().code)
    }

    #[test]
    fn malformed_requests_get_the_specified_error_codes() {
        for (body, id, code) in [
            ("", Value::Null, -32700),
            ("{", Value::Null, -32700),
            ("\u{feff}{}", Value::Null, -32700),
            ("[]", Value::Null, -32600),
            ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"help\"}]", Value::Null, -32600),
            ("7", Value::Null, -32600),
            ("{\"id\":1}", json!(1), -32600),
            ("{\"jsonrpc\":\"1.0\",\"id\":\"x\",\"method\":\"help\"}", json!("x"), -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"help\"}", Value::Null, -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"help\"}", Value::Null, -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":7}", json!(1.5), -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"help\",\"params\":[1]}", json!(1), -32602),
        ] {
            assert_eq!(refusal(body), (id, code), "{body}");
        }
        assert_eq!(refusal(Box::leak("[".repeat(100_000).into_boxed_str())), (Value::Null, -32700));
        let (id, request) = read(Ok(RawBody("{\"jsonrpc\":\"2.0\",\"method\":\"help\"}".into())));
        assert_eq!((id, request.map(|request| request.method)), (Value::Null, Ok("help".to_owned())));
    }
}
