//! Errors in both transports. JSON-RPC returns a JSON-RPC error with HTTP status 200. REST returns an HTTP error status
//! with a Google error (A2A 1.0 specification §5.4 and §3.3.2). The codes are the same in all versions.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use registry::a2a::v1::{ErrorBody, ErrorStatus};
use registry::a2a::{TaskError, TaskState};
use registry::error::{Problem, shorten};
use registry::json_rpc;
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum A2aError {
    #[error("The body is not valid JSON: {0}")]
    Parse(String),
    #[error("{0}")]
    InvalidRequest(String),
    #[error("Unknown method `{0}`. Call `help` for the list of methods.")]
    MethodNotFound(String),
    #[error("`{field}`: {detail}")]
    InvalidParams { field: String, detail: String },
    #[error("{}", .0.detail)]
    Internal(Box<Problem>),
    #[error("{} You can still send messages that only read data, because they create no task.", .0.detail)]
    TooManyTasks(Box<Problem>),
    #[error(
        "Task `{0}` not found. Tasks are kept for 24 hours. Use the id in the answer of the registry: if the id \
            that a client chose is easy to guess, the task has another id. An id that a client chose is valid \
            only from the same address."
    )]
    TaskNotFound(String),
    #[error("Task `{id}` is {state} and cannot be canceled.")]
    TaskNotCancelable { id: String, state: &'static str },
    #[error(
        "Push notifications are not supported. They are not needed: when a task is returned, it has \
        ended or it needs input."
    )]
    PushNotSupported,
    #[error("{0}")]
    Unsupported(&'static str),
    #[error("{0}")]
    ContentType(String),
    #[error("There is no extended agent card, because the public card is complete.")]
    NoExtendedCard,
    #[error("A2A version `{0}` is not supported; use 1.0 or 0.3.")]
    Version(String),
    #[error("Not found: this path of the A2A endpoint does not exist.")]
    NoSuchPath,
    #[error("Method not allowed: this path accepts {0}.")]
    WrongMethod(&'static str),
}

/// The JSON-RPC code, the reason (none for JSON-RPC's own codes), the HTTP status, the Google status.
type Codes = (i32, Option<&'static str>, StatusCode, &'static str);

impl A2aError {
    pub(crate) const NO_STREAMS: Self = Self::Unsupported(
        "Streaming is not supported (capabilities.streaming is false). Send the message without it.",
    );
    /// In 1.0; 0.3 has its own code for it.
    pub(crate) const NO_EXTENDED_CARD_V1: Self =
        Self::Unsupported("There is no extended agent card (capabilities.extendedAgentCard is false).");

    pub(crate) fn param(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::InvalidParams { field: field.into(), detail: detail.into() }
    }

    fn codes(&self) -> Codes {
        const BAD: StatusCode = StatusCode::BAD_REQUEST;
        match self {
            Self::Parse(_) => (-32700, None, BAD, "INVALID_ARGUMENT"),
            Self::InvalidRequest(_) => (-32600, None, BAD, "INVALID_ARGUMENT"),
            Self::MethodNotFound(_) => (-32601, None, StatusCode::NOT_IMPLEMENTED, "UNIMPLEMENTED"),
            Self::NoSuchPath => (-32601, None, StatusCode::NOT_FOUND, "NOT_FOUND"),
            Self::WrongMethod(_) => (-32601, None, StatusCode::METHOD_NOT_ALLOWED, "UNIMPLEMENTED"),
            Self::InvalidParams { .. } => (-32602, None, BAD, "INVALID_ARGUMENT"),
            Self::Internal(problem) if problem.status == StatusCode::SERVICE_UNAVAILABLE => {
                (-32603, None, StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE")
            }
            Self::Internal(_) => (-32603, None, StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL"),
            // A code that JSON-RPC 2.0 §5.1 leaves to the server; A2A's own codes start below it.
            Self::TooManyTasks(_) => (-32000, None, StatusCode::TOO_MANY_REQUESTS, "RESOURCE_EXHAUSTED"),
            Self::TaskNotFound(_) => (-32001, Some("TASK_NOT_FOUND"), StatusCode::NOT_FOUND, "NOT_FOUND"),
            Self::TaskNotCancelable { .. } => {
                (-32002, Some("TASK_NOT_CANCELABLE"), BAD, "FAILED_PRECONDITION")
            }
            Self::PushNotSupported => {
                (-32003, Some("PUSH_NOTIFICATION_NOT_SUPPORTED"), BAD, "FAILED_PRECONDITION")
            }
            Self::Unsupported(_) => (-32004, Some("UNSUPPORTED_OPERATION"), BAD, "FAILED_PRECONDITION"),
            Self::ContentType(_) => (
                -32005,
                Some("CONTENT_TYPE_NOT_SUPPORTED"),
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "INVALID_ARGUMENT",
            ),
            Self::NoExtendedCard => {
                (-32007, Some("EXTENDED_AGENT_CARD_NOT_CONFIGURED"), BAD, "FAILED_PRECONDITION")
            }
            Self::Version(_) => (-32009, Some("VERSION_NOT_SUPPORTED"), BAD, "FAILED_PRECONDITION"),
        }
    }

    /// The details of both bindings. The values of the metadata must be strings.
    fn details(&self) -> Vec<Value> {
        let (_, reason, ..) = self.codes();
        let metadata = match self {
            Self::TaskNotFound(id) | Self::TaskNotCancelable { id, .. } => {
                json!({ "taskId": shorten(id, 120) })
            }
            Self::Version(version) => {
                json!({ "requestedVersion": shorten(version, 40), "supportedVersions": "1.0, 0.3" })
            }
            _ => json!({}),
        };
        let mut details = Vec::new();
        if let Some(reason) = reason {
            details.push(json!({
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": reason,
                "domain": "a2a-protocol.org",
                "metadata": metadata,
            }));
        }
        match self {
            Self::InvalidParams { field, detail } => details.push(json!({
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{ "field": field, "description": detail }],
            })),
            Self::Internal(problem) | Self::TooManyTasks(problem) => details.extend(problem.retry_after.map(|seconds| {
                json!({ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s") })
            })),
            _ => {}
        }
        details
    }

    /// The `error` member of a JSON-RPC answer.
    pub(crate) fn rpc(&self) -> json_rpc::Error {
        self.log();
        let details = Some(self.details()).filter(|details| !details.is_empty());
        json_rpc::Error { code: self.codes().0, message: self.to_string(), data: details.map(Value::from) }
    }

    pub(crate) fn rest(&self) -> Response {
        self.log();
        let (_, _, status, google) = self.codes();
        let (code, message) = (status.as_u16(), self.to_string());
        let error = ErrorStatus { code, status: google, message, details: self.details() };
        let mut response = (status, Json(ErrorBody { error })).into_response();
        if let Self::WrongMethod(allow) = self {
            response.headers_mut().insert(header::ALLOW, http::HeaderValue::from_static(allow));
        }
        if let Self::Internal(problem) | Self::TooManyTasks(problem) = self
            && let Some(seconds) = problem.retry_after
        {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }

    fn log(&self) {
        if let Self::Internal(problem) = self {
            let internal = problem.internal.as_deref().unwrap_or(&problem.detail);
            tracing::error!(code = problem.code, internal, "call failed");
        }
    }
}

impl From<Problem> for A2aError {
    fn from(problem: Problem) -> Self {
        match problem.status {
            StatusCode::TOO_MANY_REQUESTS => Self::TooManyTasks(Box::new(problem)),
            _ => Self::Internal(Box::new(problem)),
        }
    }
}

impl From<TaskError> for A2aError {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::NotFound(id) => Self::TaskNotFound(id),
            TaskError::NotCancelable { id, state } => {
                Self::TaskNotCancelable { id, state: state.map_or("being answered", TaskState::name) }
            }
            TaskError::Ended => {
                Self::Unsupported("This task has ended. Send a message without taskId to start a new one.")
            }
            TaskError::TooManyMessages => Self::Unsupported(
                "This task has too many messages. Send a message without taskId to start a new one.",
            ),
            TaskError::ContextMismatch => Self::param("message.contextId", "does not match the task."),
            TaskError::Conflict => Self::param(
                "id",
                "another message changed this task at the same time. Send your message again.",
            ),
            TaskError::OnlyFiles => Self::ContentType(
                "Files are not supported. Send a text part, or a data part with an operation.".to_owned(),
            ),
            TaskError::InvalidPageToken => Self::param("pageToken", "is not a page token of this registry."),
            TaskError::Internal(problem) => (*problem).into(),
        }
    }
}

impl From<serde_json::Error> for A2aError {
    fn from(error: serde_json::Error) -> Self {
        Problem::fault(error.to_string()).into()
    }
}

/// A body that is too large becomes an invalid request, because A2A has no code for it.
pub(crate) fn of_body(problem: Problem) -> A2aError {
    match problem.status {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => A2aError::ContentType(problem.detail),
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE => A2aError::InvalidRequest(problem.detail),
        _ => problem.into(),
    }
}
