//! Agentic Resource Discovery (ards-project/ard-spec 0.9). Live listings are catalog entries. Any client of
//! the standard can search, explore and browse these entries.

pub(crate) mod browse;
pub(crate) mod catalog_entry;
pub(crate) mod explore;
mod filter;
mod list_filter;
mod routes;
pub(crate) mod search;
pub mod token;

pub use routes::routes;

use axum::Json;

use crate::prelude::*;
use registry_store::StoreError;

/// ARD §7.2 and §7.4: a larger request is reduced to it.
const MAX_PAGE_SIZE: u64 = 100;

/// The URLs of the ARD calls.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ArdAbout")]
pub struct About {
    ok: bool,
    protocol: &'static str,
    search: CallExample,
    explore: CallExample,
    agents: CallExample,
    catalog: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CallExample {
    method: &'static str,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
}

/// The description at the base URL of the ARD API.
pub async fn about(State(app): State<App>) -> Json<About> {
    let at = |path: &str| app.settings.url(path);
    let post = |path, body| CallExample { method: "POST", url: at(path), body: Some(body) };
    Json(About {
        ok: true,
        protocol: "ard",
        search: post("/api/ard/search", json!({ "query": { "text": "weather forecast" } })),
        explore: post("/api/ard/explore", json!({ "resultType": { "facets": [{ "field": "type" }] } })),
        agents: CallExample { method: "GET", url: at("/api/ard/agents"), body: None },
        catalog: at("/.well-known/ai-catalog.json"),
    })
}

fn page_size(size: Option<u64>, default: usize) -> Result<usize, ArdError> {
    match size {
        None => Ok(default),
        Some(0) => Err(ArdError::invalid("`pageSize` must be at least 1. A page has at most 100 entries.")),
        Some(size) => Ok(usize::try_from(size.min(MAX_PAGE_SIZE)).unwrap_or(default)),
    }
}

/// An error in the form of ARD.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdError")]
pub(crate) struct ErrorBody {
    error_code: ErrorCode,
    message: String,
}

/// ARD Appendix B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
enum ErrorCode {
    InvalidArgument,
    NotFound,
    RateLimitExceeded,
    Unauthenticated,
    InternalError,
}

/// A problem in the form of ARD (Appendix B): a code in capitals and a message. It wraps the problem that every other API
/// returns, so that the same fault has the same status everywhere.
#[derive(Clone, Debug, PartialEq)]
struct ArdError(Problem);

impl ArdError {
    fn invalid(message: impl Into<String>) -> Self {
        Self(Problem::malformed(message))
    }

    /// ARD has only 400 for an invalid request, well formed or not.
    fn status(&self) -> StatusCode {
        match self.0.status {
            StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
            other => other,
        }
    }

    fn code(&self) -> ErrorCode {
        match self.status() {
            StatusCode::UNAUTHORIZED => ErrorCode::Unauthenticated,
            StatusCode::NOT_FOUND => ErrorCode::NotFound,
            StatusCode::TOO_MANY_REQUESTS => ErrorCode::RateLimitExceeded,
            status if status.is_server_error() => ErrorCode::InternalError,
            _ => ErrorCode::InvalidArgument,
        }
    }
}

impl From<StoreError> for ArdError {
    fn from(error: StoreError) -> Self {
        Self(error.into())
    }
}

impl From<Problem> for ArdError {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl IntoResponse for ArdError {
    fn into_response(self) -> Response {
        if let Some(internal) = &self.0.internal {
            tracing::error!(code = self.0.code, internal, "request failed");
        }
        let body = ErrorBody { error_code: self.code(), message: self.0.detail.clone() };
        let mut response = (self.status(), Json(body)).into_response();
        if let Some(seconds) = self.0.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_problem_gets_an_ard_error_code() {
        for (problem, status, code) in [
            (Problem::malformed("x"), 400, "INVALID_ARGUMENT"),
            (Problem::invalid("q", "too_long", "x"), 400, "INVALID_ARGUMENT"),
            (Problem::too_many("x", 3), 429, "RATE_LIMIT_EXCEEDED"),
            (Problem::unavailable("throttled"), 503, "INTERNAL_ERROR"),
            (Problem::fault("x"), 500, "INTERNAL_ERROR"),
        ] {
            let error = ArdError::from(problem);
            assert_eq!((error.status().as_u16(), json!(error.code())), (status, json!(code)));
        }
        assert_eq!(
            ArdError::from(Problem::too_many("x", 3)).into_response().headers()[header::RETRY_AFTER],
            "3"
        );
    }
}
