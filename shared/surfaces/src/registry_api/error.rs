//! Errors of the official registry API. The body has two forms at once, because clients use either.

use axum::Json;

use crate::prelude::*;

/// An error of the official registry API. `error` is what its OpenAPI documents, the rest is what it really sends.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RegistryApiError")]
pub(crate) struct ErrorBody {
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

#[derive(Debug)]
pub(super) struct RegistryApiError {
    problem: Box<Problem>,
    /// A header that the status requires.
    header: Option<(HeaderName, String)>,
}

impl From<Problem> for RegistryApiError {
    fn from(problem: Problem) -> Self {
        Self { problem: Box::new(problem), header: None }
    }
}

impl RegistryApiError {
    pub(super) fn no_such_path() -> Self {
        let detail = "Not found: unknown path. The servers are at /v0.1/servers below the base URL.";
        Problem::not_found("no_such_path", detail).into()
    }

    pub(super) fn wrong_method(allowed: String) -> Self {
        let detail = format!("Method not allowed: this path accepts {allowed}.");
        let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail);
        Self { header: Some((header::ALLOW, allowed)), ..problem.into() }
    }

    /// Of a request that would write.
    pub(super) fn read_only(has_token: bool) -> Self {
        let status = if has_token { StatusCode::FORBIDDEN } else { StatusCode::UNAUTHORIZED };
        let title = status.canonical_reason().unwrap_or("Error");
        let detail = format!("{title}: this API is read-only. Publish with POST /api/publish.");
        let header = (!has_token).then(|| (header::WWW_AUTHENTICATE, "Bearer".to_owned()));
        Self { header, ..Problem::new(status, "read_only", detail).into() }
    }
}

impl IntoResponse for RegistryApiError {
    fn into_response(self) -> Response {
        let Problem { status, code, detail, field, retry_after, internal, .. } = *self.problem;
        if let Some(internal) = internal {
            tracing::error!(code, internal, "request failed");
        }
        let errors = field
            .map(|field| FieldError { message: detail.clone(), location: format!("query.{field}") })
            .into_iter()
            .collect();
        let title = status.canonical_reason().unwrap_or("Error");
        let body =
            ErrorBody { title, status: status.as_u16(), detail: detail.clone(), error: detail, errors };
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.extend(retry_after.map(|seconds| (header::RETRY_AFTER, seconds.into())));
        if let Some((name, value)) = self.header
            && let Ok(value) = HeaderValue::from_str(&value)
        {
            headers.insert(name, value);
        }
        response
    }
}
