//! Reads the body of an HTTP request, within a size limit. The crate `registry-features` parses
//! the content.

use axum::extract::{FromRequest, Request};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::media_type::{content_type, essence};
use crate::prelude::*;
use registry_model::json;

/// The largest body that a route accepts, in bytes (`specification.md#errors`).
pub const MAX_BODY_BYTES: usize = 256 * 1024;

/// A body within the size limit whose content type is JSON.
#[derive(Clone, Debug)]
pub struct RawBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Self::Rejection> {
        let kind = content_type(request.headers());
        if !kind.is_some_and(is_json) {
            let detail = format!(
                "The body must be JSON, sent with content-type: application/json; this request has {}.",
                kind.map_or("no content-type".to_owned(), |kind| format!("`{}`", shorten(kind, 60)))
            );
            return Err(Problem::new(ErrorKind::UnsupportedMediaType, Code::NotJson, detail));
        }
        match Limited::new(request.into_body(), MAX_BODY_BYTES).collect().await {
            Ok(body) => Ok(Self(body.to_bytes())),
            Err(error) if error.is::<LengthLimitError>() => Err(Problem::new(
                ErrorKind::TooLarge,
                Code::TooLarge,
                format!("The body is larger than {MAX_BODY_BYTES} bytes."),
            )),
            Err(_) => {
                Err(Problem::malformed("The body is incomplete: the connection ended early. Send it again."))
            }
        }
    }
}

impl RawBody {
    /// # Errors
    /// It is not JSON.
    pub(crate) fn value(&self) -> serde_json::Result<Value> {
        json::parse(&self.0)
    }

    /// # Errors
    /// 400 with the position of the syntax error.
    pub(crate) fn json(&self) -> Result<Value, Problem> {
        self.value().map_err(|error| {
            Problem::malformed(format!("The body is not valid JSON: {error}. Send a JSON object."))
        })
    }
}

fn is_json(kind: &str) -> bool {
    let kind = essence(kind).to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}
