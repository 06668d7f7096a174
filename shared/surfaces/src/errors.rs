//! The errors of all protocols. Operations and rules return a [`Problem`]; REST sends it as it is. This module maps it to
//! the errors of JSON-RPC (MCP and A2A), of the REST binding of A2A, of ARD and of the API of the official MCP registry.
//! The same fault has the same status in each of them.

use crate::prelude::*;
use registry_model::protocol::MCP_REVISIONS;
use registry_store::StoreError;

/// The HTTP status of a problem.
pub(crate) const fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Malformed => StatusCode::BAD_REQUEST,
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::PaymentRequired => StatusCode::PAYMENT_REQUIRED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Gone => StatusCode::GONE,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Fault => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorKind::BadGateway => StatusCode::BAD_GATEWAY,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The name of a status for people.
pub(crate) fn title(kind: ErrorKind) -> &'static str {
    status(kind).canonical_reason().unwrap_or("Error")
}

/// A problem as a document of RFC 9457.
pub fn problem_document(problem: &Problem) -> Value {
    let mut document = json!({
        "type": "about:blank",
        "title": title(problem.kind),
        "status": status(problem.kind).as_u16(),
        "detail": problem.detail,
        "ok": false,
        "code": problem.code,
    });
    if let Some(field) = &problem.field {
        document["field"] = json!(field);
    }
    if let Some(seconds) = problem.retry_after {
        document["retry_after_s"] = json!(seconds);
    }
    for (name, value) in problem.members.iter().flat_map(|members| members.iter()) {
        document[name] = value.clone();
    }
    document
}

/// A problem as REST sends it.
#[derive(Debug)]
pub struct Refused(pub Problem);

impl<E: Into<Problem>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let problem = self.0;
        if let Some(internal) = problem.causes() {
            tracing::error!(code = problem.code.as_str(), internal, "request failed");
        }
        let (media_type, body) = match &problem.replacement {
            Some(shown) => (shown.media_type, shown.body.clone()),
            None => ("application/problem+json", problem_document(&problem).to_string()),
        };
        // Images on other sites' pages are requested often. Another error may be gone with the next request.
        let caching = if problem.replacement.is_some() { "public, max-age=60" } else { "no-store" };
        let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, caching)];
        let mut response = (status(problem.kind), headers, body).into_response();
        if let Some(seconds) = problem.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        // For protocols that render the problem in their own form.
        response.extensions_mut().insert(problem);
        response
    }
}

/// The JSON-RPC code, the reason in A2A (none for JSON-RPC's own codes), the HTTP status, and the Google status of A2A.
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
/// Of MCP 2026-07-28, as is the next; the older revisions do not define them.
const HEADER_MISMATCH: Kind = (-32020, None, BAD, "INVALID_ARGUMENT");
const UNSUPPORTED_REVISION: Kind = (-32022, None, BAD, "FAILED_PRECONDITION");

/// An error of MCP or A2A. MCP sends its HTTP status unless it is part of a batch. A2A sends 200 with JSON-RPC, and the
/// status with REST, where the body is a Google error (A2A 1.0 specification §5.4 and §3.3.2). The codes of A2A are the same
/// in all its versions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: String,
    /// In A2A a list of details, in both bindings. The values of their metadata must be strings.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(crate) data: Box<Value>,
    #[serde(skip)]
    pub(crate) status: StatusCode,
    #[serde(skip)]
    google_status: &'static str,
    /// In seconds.
    #[serde(skip)]
    retry_after: Option<u32>,
    /// The methods that the path accepts.
    #[serde(skip)]
    allow: Option<&'static str>,
}

impl RpcError {
    fn new((code, _, status, google_status): Kind, message: impl Into<String>) -> Self {
        let (message, data) = (message.into(), Box::default());
        Self { code, message, data, status, google_status, retry_after: None, allow: None }
    }

    /// The body is JSON but not a message.
    pub(crate) fn invalid_request(detail: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, detail)
    }

    pub(crate) fn with_data(self, data: Value) -> Self {
        Self { data: Box::new(data), ..self }
    }

    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }
}

/// Errors of MCP.
impl RpcError {
    pub(crate) fn parse_error(detail: &str) -> Self {
        Self::new(PARSE, format!("Parse error: {detail}"))
    }

    /// A body that was refused. Only a malformed body is a parse error; JSON-RPC has no code for other problems of a body.
    pub(crate) fn of_mcp_body(Refused(problem): Refused) -> Self {
        match problem.kind {
            ErrorKind::Malformed => Self::parse_error(&problem.detail),
            kind => Self::invalid_request(problem.detail).with_status(status(kind)),
        }
    }

    /// The request was not run. Sent again after so many seconds, it may be.
    pub(crate) fn send_again(detail: impl Into<String>, after_s: u32) -> Self {
        Self::new(TOO_MANY, detail).with_data(json!({ "retry_after_s": after_s }))
    }

    /// A method that this server does not have. 404 in the modern era (streamable HTTP, "Sending Messages").
    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(NO_SUCH_PATH, format!("Method not found: {}", shorten(method, 120)))
    }

    /// The parameters of a known method.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message).with_status(StatusCode::OK)
    }

    /// `_meta` lacks a member that every request must have (MCP 2026-07-28, basic, `_meta`).
    pub(crate) fn meta(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// A header is missing, malformed, or does not match the body.
    pub(crate) fn headers(message: impl Into<String>) -> Self {
        Self::new(HEADER_MISMATCH, message)
    }

    pub(crate) fn unsupported_revision(requested: &str) -> Self {
        let requested = shorten(requested, 120);
        let message = format!("Unsupported protocol version: {requested}");
        Self::new(UNSUPPORTED_REVISION, message)
            .with_data(json!({ "supported": MCP_REVISIONS, "requested": requested }))
    }
}

/// Errors of A2A.
impl RpcError {
    /// An error with a reason of A2A.
    fn about((code, reason, status, google): Kind, message: impl Into<String>, metadata: &Value) -> Self {
        let error = Self::new((code, reason, status, google), message);
        error.with_detail(json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": reason,
            "domain": "a2a-protocol.org",
            "metadata": metadata,
        }))
    }

    fn with_detail(mut self, detail: Value) -> Self {
        match &mut *self.data {
            Value::Array(details) => details.push(detail),
            data => *data = json!([detail]),
        }
        self
    }

    pub(crate) fn invalid_json(error: &serde_json::Error) -> Self {
        Self::new(PARSE, format!("The body is not valid JSON: {error}."))
    }

    /// A body that was refused. One that is too large becomes an invalid request, because A2A has no code for it.
    pub(crate) fn of_a2a_body(Refused(problem): Refused) -> Self {
        match problem.kind {
            ErrorKind::UnsupportedMediaType => Self::about(CONTENT_TYPE, problem.detail, &json!({})),
            ErrorKind::Malformed | ErrorKind::TooLarge => Self::invalid_request(problem.detail),
            _ => problem.into(),
        }
    }

    pub(crate) fn unknown_method(name: &str) -> Self {
        let name = shorten(name, 80);
        Self::new(UNKNOWN_METHOD, format!("Unknown method `{name}`. Call `help` for the list of methods."))
    }

    pub(crate) fn param(field: impl Into<String>, detail: &str) -> Self {
        let field = field.into();
        Self::new(INVALID_PARAMS, format!("`{field}`: {detail}")).with_detail(json!({
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{ "field": field, "description": detail }],
        }))
    }

    pub(crate) fn task_not_found(id: &str) -> Self {
        let message = format!(
            "Task `{id}` not found. Tasks are kept for 24 hours. Use the id in the answer of the registry: if the id \
            that a client chose is easy to guess, the task has another id. An id that a client chose is valid \
            only from the same address."
        );
        Self::about(TASK_NOT_FOUND, message, &json!({ "taskId": shorten(id, 120) }))
    }

    /// The task has ended, or another request is changing it (`state` is `None`).
    pub(crate) fn not_cancelable(id: &str, state: Option<&str>) -> Self {
        let message = format!(
            "Task `{id}` is {} and cannot be canceled.",
            state.unwrap_or("being changed by another request")
        );
        Self::about(NOT_CANCELABLE, message, &json!({ "taskId": shorten(id, 120) }))
    }

    pub(crate) fn no_push() -> Self {
        let message = "Push notifications are not supported: a returned task has ended or needs input.";
        Self::about(NO_PUSH, message, &json!({}))
    }

    pub(crate) fn unsupported(message: &str) -> Self {
        Self::about(UNSUPPORTED, message, &json!({}))
    }

    pub(crate) fn no_streams() -> Self {
        Self::unsupported("Streaming is not supported (capabilities.streaming is false).")
    }

    /// 1.0 has no code of its own for it.
    pub(crate) fn no_extended_card(is_v1: bool) -> Self {
        let message = "There is no extended agent card (capabilities.extendedAgentCard is false).";
        Self::about(if is_v1 { UNSUPPORTED } else { NO_EXTENDED_CARD }, message, &json!({}))
    }

    pub(crate) fn only_files() -> Self {
        let message = "Files are not supported. Send text, or a data part with an operation.";
        Self::about(CONTENT_TYPE, message, &json!({}))
    }

    pub(crate) fn unsupported_version(requested: &str) -> Self {
        let requested = shorten(requested, 40);
        let message = format!("A2A version `{requested}` is not supported; use 1.0, 0.3 or 0.2.");
        let metadata = json!({ "requestedVersion": requested, "supportedVersions": "1.0, 0.3, 0.2" });
        Self::about(VERSION, message, &metadata)
    }

    pub(crate) fn no_such_path() -> Self {
        Self::new(NO_SUCH_PATH, "Not found: this path of the A2A endpoint does not exist.")
    }

    pub(crate) fn wrong_method(allow: &'static str) -> Self {
        let message = format!("Method not allowed: this path accepts {allow}.");
        Self { allow: Some(allow), ..Self::new(WRONG_METHOD, message) }
    }

    /// The error in the REST binding.
    pub(crate) fn into_google_error(self) -> Response {
        let details = if let Value::Array(details) = *self.data { details } else { Vec::new() };
        let (code, status, message) = (self.status.as_u16(), self.google_status, self.message);
        let error = GoogleStatus { code, status, message, details };
        let mut response = (self.status, Json(GoogleError { error })).into_response();
        let headers = response.headers_mut();
        headers.extend(self.allow.map(|allow| (header::ALLOW, HeaderValue::from_static(allow))));
        headers.extend(self.retry_after.map(|seconds| (header::RETRY_AFTER, seconds.into())));
        response
    }
}

/// As A2A reports it. MCP reports a problem of a tool as its result.
impl From<Problem> for RpcError {
    fn from(problem: Problem) -> Self {
        let document = problem_document(&problem);
        let document = json!({ "@type": "type.googleapis.com/google.protobuf.Struct", "value": document });
        let kind = match problem.kind {
            ErrorKind::RateLimited => TOO_MANY,
            ErrorKind::Unavailable => UNAVAILABLE,
            _ => INTERNAL,
        };
        if kind != TOO_MANY {
            let internal = problem.causes().unwrap_or_else(|| problem.detail.clone());
            tracing::error!(code = problem.code.as_str(), internal, "call failed");
        }
        let mut error = Self::new(kind, problem.detail);
        if let Some(seconds) = problem.retry_after {
            error.retry_after = Some(seconds);
            error = error.with_detail(json!({
                "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s"),
            }));
        }
        error.with_detail(document)
    }
}

impl From<StoreError> for RpcError {
    fn from(error: StoreError) -> Self {
        Problem::from(error).into()
    }
}

impl From<serde_json::Error> for RpcError {
    fn from(error: serde_json::Error) -> Self {
        Problem::fault(error).into()
    }
}

/// An error of the REST binding of A2A (google.rpc.Status).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "A2aError")]
pub(crate) struct GoogleError {
    error: GoogleStatus,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct GoogleStatus {
    code: u16,
    status: &'static str,
    message: String,
    details: Vec<Value>,
}

/// An error in the form of ARD.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArdError {
    error_code: ArdErrorCode,
    message: String,
}

/// ARD Appendix B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
enum ArdErrorCode {
    InvalidArgument,
    NotFound,
    RateLimitExceeded,
    Unauthenticated,
    InternalError,
}

/// ARD has only 400 for an invalid request, well formed or not.
fn ard_error(problem: &Problem) -> (StatusCode, ArdError) {
    let kind = if problem.kind == ErrorKind::Invalid { ErrorKind::Malformed } else { problem.kind };
    let status = status(kind);
    let error_code = match kind {
        ErrorKind::Unauthenticated => ArdErrorCode::Unauthenticated,
        ErrorKind::NotFound => ArdErrorCode::NotFound,
        ErrorKind::RateLimited => ArdErrorCode::RateLimitExceeded,
        _ if status.is_server_error() => ArdErrorCode::InternalError,
        _ => ArdErrorCode::InvalidArgument,
    };
    (status, ArdError { error_code, message: problem.detail.clone() })
}

/// An error of the official registry API. `error` is what its OpenAPI documents, the rest is what it really sends.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RegistryApiError {
    title: &'static str,
    status: u16,
    detail: String,
    error: String,
    errors: Vec<FieldError>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FieldError {
    message: String,
    location: String,
}

fn registry_api_error(problem: &Problem) -> (StatusCode, RegistryApiError) {
    let (status, detail) = (status(problem.kind), problem.detail.clone());
    let error = |field| FieldError { message: detail.clone(), location: format!("query.{field}") };
    let errors = problem.field.iter().map(error).collect();
    let (title, error) = (title(problem.kind), detail.clone());
    (status, RegistryApiError { title, status: status.as_u16(), detail, error, errors })
}

/// Middleware: sends problems in the form of ARD.
pub(crate) async fn in_form_of_ard(response: Response) -> Response {
    in_form(response, ard_error)
}

/// Middleware: sends problems in the form of the official registry API.
pub(crate) async fn in_form_of_registry_api(response: Response) -> Response {
    in_form(response, registry_api_error)
}

/// Replaces the document of a problem, and keeps the headers that its status requires.
fn in_form<E: Serialize>(response: Response, form: fn(&Problem) -> (StatusCode, E)) -> Response {
    let Some(problem) = response.extensions().get::<Problem>() else { return response };
    let (status, error) = form(problem);
    let mut formed = (status, Json(error)).into_response();
    for name in [header::RETRY_AFTER, header::ALLOW, header::WWW_AUTHENTICATE] {
        let value = response.headers().get(&name).cloned();
        formed.headers_mut().extend(value.map(|value| (name, value)));
    }
    formed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_problem_gets_an_ard_error_code() {
        for (problem, status, code) in [
            (Problem::malformed("x"), 400, "INVALID_ARGUMENT"),
            (Problem::invalid("q", Code::TooLong, "x"), 400, "INVALID_ARGUMENT"),
            (Problem::too_many("x", 3), 429, "RATE_LIMIT_EXCEEDED"),
            (Problem::unavailable("throttled"), 503, "INTERNAL_ERROR"),
            (Problem::fault("x"), 500, "INTERNAL_ERROR"),
        ] {
            let (made, error) = ard_error(&problem);
            assert_eq!((made.as_u16(), json!(error.error_code)), (status, json!(code)));
        }
        let response = in_form(Refused(Problem::too_many("x", 3)).into_response(), ard_error);
        assert_eq!(response.headers()[header::RETRY_AFTER], "3");
    }
}
