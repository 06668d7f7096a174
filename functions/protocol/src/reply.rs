//! JSON-RPC replies. Each reply has its HTTP status. The error codes are those of MCP 2026-07-28. The older
//! revisions define only some of these codes.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use registry::error::shorten;
use registry::http::json_response;
use registry::json_rpc;
use registry::model::protocol::MCP_REVISIONS;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::message::Id;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcError {
    /// The HTTP status if the error is the whole response, not part of a batch.
    pub(crate) status: StatusCode,
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl RpcError {
    fn new(status: StatusCode, code: i32, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), data: None }
    }

    /// -32700: the body is not JSON.
    pub(crate) fn parse(detail: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32700, format!("Parse error: {detail}"))
    }

    /// -32600: the body is JSON but not a message.
    pub(crate) fn request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32600, detail)
    }

    /// -32600 with another status: the request was refused before it was read.
    pub(crate) fn refused(status: StatusCode, detail: impl Into<String>) -> Self {
        Self::new(status, -32600, detail)
    }

    /// -32000: the request was not run. Sent again after so many seconds, it may be.
    pub(crate) fn send_again(detail: impl Into<String>, after_s: u32) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, -32000, detail).with(json!({ "retry_after_s": after_s }))
    }

    /// -32601: a method that this server does not have. 404 in the modern era (streamable HTTP, "Sending Messages").
    pub(crate) fn method(method: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, -32601, format!("Method not found: {}", shorten(method, 120)))
    }

    /// -32602: the parameters of a known method.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, -32602, message)
    }

    /// -32602: `_meta` lacks a member that every request must have (MCP 2026-07-28, basic, `_meta`).
    pub(crate) fn meta(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32602, message)
    }

    /// -32020: a header is missing, malformed, or does not match the body.
    pub(crate) fn headers(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32020, message)
    }

    /// -32022: a revision that is not supported.
    pub(crate) fn version(requested: &str) -> Self {
        let requested = shorten(requested, 120);
        let message = format!("Unsupported protocol version: {requested}");
        Self::new(StatusCode::BAD_REQUEST, -32022, message)
            .with(json!({ "supported": MCP_REVISIONS, "requested": requested }))
    }

    pub(crate) fn with(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    pub(crate) fn with_status_ok(self) -> Self {
        Self { status: StatusCode::OK, ..self }
    }
}

/// A reply, and the HTTP status of a response that contains only this reply.
#[derive(Debug)]
pub(crate) struct Reply {
    status: StatusCode,
    message: Box<RawValue>,
}

impl Reply {
    pub(crate) fn to(id: &Id, outcome: Result<Arc<RawValue>, RpcError>) -> Self {
        match outcome {
            Ok(result) => Self { status: StatusCode::OK, message: message(Some(id), &Ok(result)) },
            Err(error) => Self::error(Some(id), error),
        }
    }

    /// The id is null if that of the request is unknown (JSON-RPC 2.0 §5).
    pub(crate) fn error(id: Option<&Id>, error: RpcError) -> Self {
        let RpcError { status, code, message: text, data } = error;
        Self { status, message: message(id, &Err(json_rpc::Error { code, message: text, data })) }
    }

    /// In bytes.
    pub(crate) fn length(&self) -> usize {
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
pub(crate) fn batch(replies: &[Reply]) -> Response {
    if replies.is_empty() {
        return accepted();
    }
    let messages: Vec<&RawValue> = replies.iter().map(|reply| &*reply.message).collect();
    Json(messages).into_response()
}

pub(crate) fn accepted() -> Response {
    StatusCode::ACCEPTED.into_response()
}

/// Serializes a value once, to be shared by all responses that contain it.
#[expect(clippy::expect_used, reason = "messages have text keys and no failing serializer")]
pub(crate) fn raw<T: Serialize>(value: &T) -> Arc<RawValue> {
    to_raw_value(value).expect("a message is JSON").into()
}

#[expect(clippy::expect_used, reason = "ids and errors always serialize")]
fn message(id: Option<&Id>, outcome: &Result<Arc<RawValue>, json_rpc::Error>) -> Box<RawValue> {
    json_rpc::response(&id, outcome).expect("a message is JSON")
}
