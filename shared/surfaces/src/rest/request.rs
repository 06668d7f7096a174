//! What every protocol reads of a request: the body within a size limit, the parameters and the media types. The crate
//! `registry-features` parses the content.

use std::convert::Infallible;

use axum::extract::{FromRequest, FromRequestParts, Request};
use http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::prelude::*;
use registry_model::{BearerDigest, CallerAddress, json};

/// The caller of a request: its address, which the gateway added, and its bearer token.
#[derive(Clone, Copy, Debug)]
pub struct CalledBy(pub Caller);

impl<S: Sync> FromRequestParts<S> for CalledBy {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let address = parts.extensions.get::<CallerAddress>().map(|address| address.0);
        let authorization = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        Ok(Self(Caller { address, bearer: authorization.and_then(bearer).map(BearerDigest::of) }))
    }
}

/// The token of an `Authorization` header with the scheme `Bearer` in any case (RFC 9110 §11.1).
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether the caller already has this version (`If-None-Match`).
pub(crate) fn has_version(headers: &HeaderMap, version: &CacheValidator) -> bool {
    let mut lists = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lists.any(|tags| version.is_in(tags))
}

/// The largest body that a route accepts, in bytes (`specification.md#errors`).
pub const MAX_BODY_BYTES: usize = 256 * 1024;

/// A body within the size limit whose content type is JSON.
#[derive(Clone, Debug)]
pub struct RawBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &S) -> Result<Self, Self::Rejection> {
        let kind = content_type(request.headers());
        if !kind.is_some_and(is_json) {
            let detail = format!(
                "The body must be JSON, sent with content-type: application/json; this request has {}.",
                kind.map_or("no content-type".to_owned(), |kind| format!("`{}`", shorten(kind, 60)))
            );
            return Err(Problem::new(ErrorKind::UnsupportedMediaType, Code::NotJson, detail).into());
        }
        match Limited::new(request.into_body(), MAX_BODY_BYTES).collect().await {
            Ok(body) => Ok(Self(body.to_bytes())),
            Err(error) if error.is::<LengthLimitError>() => {
                let detail = format!("The body is larger than {MAX_BODY_BYTES} bytes.");
                Err(Problem::new(ErrorKind::TooLarge, Code::TooLarge, detail).into())
            }
            Err(_) => {
                let detail = "The body is incomplete: the connection ended early. Send it again.";
                Err(Problem::malformed(detail).into())
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

/// The type and the subtype of a media type, without parameters (RFC 9110 §8.3.1).
pub(crate) fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// The media types of the `Accept` headers, without parameters (RFC 9110 §12.5.1).
pub(crate) fn accepted_types(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(essence)
}

/// The value of the `Content-Type` header.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()
}
