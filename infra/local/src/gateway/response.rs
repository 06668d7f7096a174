//! The responses that API Gateway produces without calling a function. They have the gateway's own JSON shape, which
//! differs from the problem documents of the functions.

use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde_json::json;

/// An answer that API Gateway gives by itself, in its own shape.
pub(super) fn gateway_response(status: StatusCode, message: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], json!({ "message": message }).to_string())
        .into_response()
}
