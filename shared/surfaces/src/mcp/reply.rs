//! JSON-RPC replies. Each reply has its HTTP status. The error codes are those of MCP 2026-07-28. The older
//! revisions define only some of these codes.

use crate::http::rest::json_response;
use crate::json_rpc::{self, Error as RpcError};
use crate::prelude::*;
use axum::Json;
use registry_model::protocol::MCP_REVISIONS;
use serde_json::value::to_raw_value;

use super::message::Id;

impl RpcError {
    fn new(status: StatusCode, code: i32, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), data: None }
    }

    /// -32700: the body is not JSON.
    pub(super) fn parse(detail: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32700, format!("Parse error: {detail}"))
    }

    /// -32600: the body is JSON but not a message.
    pub(super) fn request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32600, detail)
    }

    /// -32600 with another status: the request was refused before it was read.
    pub(super) fn refused(status: StatusCode, detail: impl Into<String>) -> Self {
        Self::new(status, -32600, detail)
    }

    /// -32000: the request was not run. Sent again after so many seconds, it may be.
    pub(super) fn send_again(detail: impl Into<String>, after_s: u32) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, -32000, detail).with(json!({ "retry_after_s": after_s }))
    }

    /// -32601: a method that this server does not have. 404 in the modern era (streamable HTTP, "Sending Messages").
    pub(super) fn method(method: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, -32601, format!("Method not found: {}", shorten(method, 120)))
    }

    /// -32602: the parameters of a known method.
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, -32602, message)
    }

    /// -32602: `_meta` lacks a member that every request must have (MCP 2026-07-28, basic, `_meta`).
    pub(super) fn meta(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32602, message)
    }

    /// -32020: a header is missing, malformed, or does not match the body.
    pub(super) fn headers(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32020, message)
    }

    /// -32022: a revision that is not supported.
    pub(super) fn version(requested: &str) -> Self {
        let requested = shorten(requested, 120);
        let message = format!("Unsupported protocol version: {requested}");
        Self::new(StatusCode::BAD_REQUEST, -32022, message)
            .with(json!({ "supported": MCP_REVISIONS, "requested": requested }))
    }

    pub(super) fn with(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }
}

/// A reply, and the HTTP status of a response that contains only this reply.
#[derive(Debug)]
pub(super) struct Reply {
    status: StatusCode,
    message: Box<RawValue>,
}

impl Reply {
    pub(super) fn to(id: &Id, outcome: Result<Arc<RawValue>, RpcError>) -> Self {
        match outcome {
            Ok(result) => Self { status: StatusCode::OK, message: message(Some(id), &Ok(result)) },
            Err(error) => Self::error(Some(id), error),
        }
    }

    /// The id is null if that of the request is unknown (JSON-RPC 2.0 §5).
    pub(super) fn error(id: Option<&Id>, error: RpcError) -> Self {
        Self { status: error.status, message: message(id, &Err(error)) }
    }

    /// In bytes.
    pub(super) fn length(&self) -> usize {
        self.message.get().len()
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        (self.status, json_response(self.message)).into_response()
    }
}

/// An error that concerns the whole body.
impl IntoResponse for RpcError {
    fn into_response(self) -> Response {
        Reply::error(None, self).into_response()
    }
}

/// The response to a batch. A batch of only notifications has no replies (JSON-RPC 2.0 §6).
pub(super) fn batch(replies: &[Reply]) -> Response {
    if replies.is_empty() {
        return accepted();
    }
    let messages: Vec<&RawValue> = replies.iter().map(|reply| &*reply.message).collect();
    Json(messages).into_response()
}

pub(super) fn accepted() -> Response {
    StatusCode::ACCEPTED.into_response()
}

/// Serializes a value once, to be shared by all responses that contain it.
#[expect(clippy::expect_used, reason = "messages have text keys and no failing serializer")]
pub(super) fn raw<T: Serialize>(value: &T) -> Arc<RawValue> {
    to_raw_value(value).expect("a message is JSON").into()
}

#[expect(clippy::expect_used, reason = "ids and errors always serialize")]
fn message(id: Option<&Id>, outcome: &Result<Arc<RawValue>, RpcError>) -> Box<RawValue> {
    json_rpc::response(&id, outcome).expect("a message is JSON")
}
