//! Errors of the gateway. Some occur at the start, if the gateway cannot be built from the template. Others
//! are the gateway's own error responses.

use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde_json::json;

/// Why the gateway cannot be built from the template.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The template routes to a function that this binary does not contain.
    #[error("the template sends {route} to the function `{function}`, which is not part of this binary")]
    UnknownFunction {
        /// The route as the template has it.
        route: String,
        function: String,
    },
    /// An entry of the CORS configuration is not a valid origin, method or header.
    #[error("invalid entry in the template's CorsConfiguration: {0:?}")]
    Cors(String),
}

/// An error that API Gateway returns without a function. Its JSON differs from the functions' problem documents.
pub(super) fn gateway_response(status: StatusCode, message: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, json!({ "message": message }).to_string()).into_response()
}
