//! Errors in both transports. JSON-RPC returns a JSON-RPC error with HTTP status 200. REST returns an HTTP error status
//! with a Google error (A2A 1.0 specification §5.4 and §3.3.2). The codes are the same in all versions.

use axum::Json;

use super::task::TaskState;
use super::v1::{ErrorBody, ErrorStatus};
use crate::json_rpc;
use crate::prelude::*;
use registry_store::StoreError;

/// The JSON-RPC code, the reason (none for JSON-RPC's own codes), the HTTP status, the Google status.
type Kind = (i32, Option<&'static str>, StatusCode, &'static str);

const BAD: StatusCode = StatusCode::BAD_REQUEST;
const PARSE: Kind = (-32700, None, BAD, "INVALID_ARGUMENT");
const INVALID_REQUEST: Kind = (-32600, None, BAD, "INVALID_ARGUMENT");
const UNKNOWN_METHOD: Kind = (-32601, None, StatusCode::NOT_IMPLEMENTED, "UNIMPLEMENTED");
const NO_SUCH_PATH: Kind = (-32601, None, StatusCode::NOT_FOUND, "NOT_FOUND");
const WRONG_METHOD: Kind = (-32601, None, StatusCode::METHOD_NOT_ALLOWED, "UNIMPLEMENTED");
const INVALID_PARAMS: Kind = (-32602, None, BAD, "INVALID_ARGUMENT");
const UNAVAILABLE: Kind = (-32603, None, StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE");
const INTERNAL: Kind = (-32603, None, StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL");
/// A code that JSON-RPC 2.0 §5.1 leaves to the server; A2A's own codes start below it.
const TOO_MANY: Kind = (-32000, None, StatusCode::TOO_MANY_REQUESTS, "RESOURCE_EXHAUSTED");
const TASK_NOT_FOUND: Kind = (-32001, Some("TASK_NOT_FOUND"), StatusCode::NOT_FOUND, "NOT_FOUND");
const NOT_CANCELABLE: Kind = (-32002, Some("TASK_NOT_CANCELABLE"), BAD, "FAILED_PRECONDITION");
const NO_PUSH: Kind = (-32003, Some("PUSH_NOTIFICATION_NOT_SUPPORTED"), BAD, "FAILED_PRECONDITION");
const UNSUPPORTED: Kind = (-32004, Some("UNSUPPORTED_OPERATION"), BAD, "FAILED_PRECONDITION");
const CONTENT_TYPE: Kind =
    (-32005, Some("CONTENT_TYPE_NOT_SUPPORTED"), StatusCode::UNSUPPORTED_MEDIA_TYPE, "INVALID_ARGUMENT");
const NO_EXTENDED_CARD: Kind =
    (-32007, Some("EXTENDED_AGENT_CARD_NOT_CONFIGURED"), BAD, "FAILED_PRECONDITION");
const VERSION: Kind = (-32009, Some("VERSION_NOT_SUPPORTED"), BAD, "FAILED_PRECONDITION");

#[derive(Clone, Debug, PartialEq)]
pub(super) struct A2aError {
    kind: Kind,
    message: String,
    /// Of both bindings. The values of the metadata must be strings.
    pub(super) details: Vec<Value>,
    /// In seconds.
    retry_after: Option<u32>,
    /// The methods that the path accepts.
    allow: Option<&'static str>,
}

impl A2aError {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self::about(kind, message, &json!({}))
    }

    fn about(kind: Kind, message: impl Into<String>, metadata: &Value) -> Self {
        let info = |reason| {
            json!({
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": reason,
                "domain": "a2a-protocol.org",
                "metadata": metadata,
            })
        };
        let details = kind.1.map(info).into_iter().collect();
        Self { kind, message: message.into(), details, retry_after: None, allow: None }
    }
    pub(super) fn parse(error: &serde_json::Error) -> Self {
        Self::new(PARSE, format!("The body is not valid JSON: {error}."))
    }

    pub(super) fn invalid_request(detail: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, detail)
    }
    pub(super) fn unknown_method(name: &str) -> Self {
        let name = shorten(name, 80);
        Self::new(UNKNOWN_METHOD, format!("Unknown method `{name}`. Call `help` for the list of methods."))
    }

    pub(super) fn param(field: impl Into<String>, detail: &str) -> Self {
        let field = field.into();
        let mut error = Self::new(INVALID_PARAMS, format!("`{field}`: {detail}"));
        error.details.push(json!({
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{ "field": field, "description": detail }],
        }));
        error
    }

    pub(super) fn task_not_found(id: &str) -> Self {
        let message = format!(
            "Task `{id}` not found. Tasks are kept for 24 hours. Use the id in the answer of the registry: if the id \
            that a client chose is easy to guess, the task has another id. An id that a client chose is valid \
            only from the same address."
        );
        Self::about(TASK_NOT_FOUND, message, &json!({ "taskId": shorten(id, 120) }))
    }

    /// The task has ended, or another request is changing it (`state` is `None`).
    pub(super) fn not_cancelable(id: &str, state: Option<TaskState>) -> Self {
        let message = format!(
            "Task `{id}` is {} and cannot be canceled.",
            state.map_or("being changed by another request", TaskState::as_str)
        );
        Self::about(NOT_CANCELABLE, message, &json!({ "taskId": shorten(id, 120) }))
    }
    pub(super) fn no_push() -> Self {
        Self::new(NO_PUSH, "Push notifications are not supported: a returned task has ended or needs input.")
    }
    pub(super) fn unsupported(message: &str) -> Self {
        Self::new(UNSUPPORTED, message)
    }
    pub(super) fn no_streams() -> Self {
        Self::unsupported("Streaming is not supported (capabilities.streaming is false).")
    }

    /// 1.0 has no code of its own for it.
    pub(super) fn no_extended_card(is_v1: bool) -> Self {
        let message = "There is no extended agent card (capabilities.extendedAgentCard is false).";
        Self::new(if is_v1 { UNSUPPORTED } else { NO_EXTENDED_CARD }, message)
    }

    pub(super) fn only_files() -> Self {
        Self::new(CONTENT_TYPE, "Files are not supported. Send text, or a data part with an operation.")
    }
    pub(super) fn version(requested: &str) -> Self {
        let requested = shorten(requested, 40);
        let message = format!("A2A version `{requested}` is not supported; use 1.0, 0.3 or 0.2.");
        let metadata = json!({ "requestedVersion": requested, "supportedVersions": "1.0, 0.3, 0.2" });
        Self::about(VERSION, message, &metadata)
    }
    pub(super) fn no_such_path() -> Self {
        Self::new(NO_SUCH_PATH, "Not found: this path of the A2A endpoint does not exist.")
    }
    pub(super) fn wrong_method(allow: &'static str) -> Self {
        let message = format!("Method not allowed: this path accepts {allow}.");
        Self { allow: Some(allow), ..Self::new(WRONG_METHOD, message) }
    }

    /// A body that is too large becomes an invalid request, because A2A has no code for it.
    pub(super) fn of_body(problem: Problem) -> Self {
        match problem.status {
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::new(CONTENT_TYPE, problem.detail),
            StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE => Self::invalid_request(problem.detail),
            _ => problem.into(),
        }
    }

    /// The `error` member of a JSON-RPC answer.
    pub(super) fn rpc(self) -> json_rpc::Error {
        let data = Some(self.details).filter(|details| !details.is_empty()).map(Value::from);
        json_rpc::Error { status: StatusCode::OK, code: self.kind.0, message: self.message, data }
    }
}

impl IntoResponse for A2aError {
    fn into_response(self) -> Response {
        let (_, _, status, google) = self.kind;
        let (code, message, details) = (status.as_u16(), self.message, self.details);
        let error = ErrorStatus { code, status: google, message, details };
        let mut response = (status, Json(ErrorBody { error })).into_response();
        let headers = response.headers_mut();
        headers.extend(self.allow.map(|allow| (header::ALLOW, HeaderValue::from_static(allow))));
        headers.extend(self.retry_after.map(|seconds| (header::RETRY_AFTER, seconds.into())));
        response
    }
}

impl From<Problem> for A2aError {
    fn from(problem: Problem) -> Self {
        let document = problem.document();
        let document = json!({ "@type": "type.googleapis.com/google.protobuf.Struct", "value": document });
        let mut error = match problem.status {
            StatusCode::TOO_MANY_REQUESTS => Self::new(TOO_MANY, problem.detail),
            status => {
                let internal = problem.internal.as_deref().unwrap_or(&problem.detail);
                tracing::error!(code = problem.code, internal, "call failed");
                let is_busy = status == StatusCode::SERVICE_UNAVAILABLE;
                Self::new(if is_busy { UNAVAILABLE } else { INTERNAL }, problem.detail)
            }
        };
        error.retry_after = problem.retry_after;
        error.details.extend(problem.retry_after.map(|seconds| {
            json!({ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s") })
        }));
        error.details.push(document);
        error
    }
}

impl From<StoreError> for A2aError {
    fn from(error: StoreError) -> Self {
        Problem::from(error).into()
    }
}

impl From<serde_json::Error> for A2aError {
    fn from(error: serde_json::Error) -> Self {
        Problem::fault(error.to_string()).into()
    }
}
