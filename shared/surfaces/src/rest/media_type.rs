//! Media types in headers (RFC 9110 §8.3.1 and §12.5.1).

use http::{HeaderMap, header};

/// The type and the subtype, without parameters.
pub(crate) fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// The types of the `Accept` headers, without parameters.
pub(crate) fn accepted(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(essence)
}

/// The value of the `Content-Type` header.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()
}
