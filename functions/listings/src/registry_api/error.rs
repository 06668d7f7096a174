//! Errors of the official registry API. The body has the field `error`, which the official OpenAPI documents.
//! It also has the fields that the official service really sends (`title`, `status`, `detail`, `errors`).
//! Some clients use the first form, and some use the second form.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use registry::error::Problem;
use registry::registry_api::{ErrorBody, FieldError};

const READ_ONLY: &str =
    "this API is read-only. Publish with POST /api/publish; a server is listed when it answers a probe.";

#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryApiError {
    #[error("{}", .0.detail)]
    Problem(Box<Problem>),
    #[error("Not found: unknown path. The servers are at /v0.1/servers.")]
    NoSuchPath,
    #[error("Method not allowed: this path accepts {0}.")]
    WrongMethod(String),
    #[error("Unauthorized: {}", READ_ONLY)]
    Unauthorized,
    #[error("Forbidden: {}", READ_ONLY)]
    ReadOnly,
}

impl From<Problem> for RegistryApiError {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl RegistryApiError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Problem(problem) => problem.status,
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::WrongMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::ReadOnly => StatusCode::FORBIDDEN,
        }
    }

    fn body(&self) -> ErrorBody {
        let (status, detail) = (self.status(), self.to_string());
        let mut errors = Vec::new();
        if let Self::Problem(problem) = self
            && let Some(field) = &problem.field
        {
            errors.push(FieldError { message: detail.clone(), location: format!("query.{field}") });
        }
        ErrorBody {
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.clone(),
            error: detail,
            errors,
        }
    }
}

impl IntoResponse for RegistryApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status(), Json(self.body())).into_response();
        let headers = response.headers_mut();
        match self {
            Self::Problem(problem) => {
                if let Some(internal) = &problem.internal {
                    tracing::error!(code = problem.code, internal, "request failed");
                }
                if let Some(seconds) = problem.retry_after {
                    headers.insert(header::RETRY_AFTER, seconds.into());
                }
            }
            Self::WrongMethod(allowed) => {
                if let Ok(allowed) = HeaderValue::from_str(&allowed) {
                    headers.insert(header::ALLOW, allowed);
                }
            }
            Self::Unauthorized => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::NoSuchPath | Self::ReadOnly => {}
        }
        response
    }
}
