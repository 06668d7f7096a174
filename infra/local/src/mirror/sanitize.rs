//! Makes texts of other registries and of documents safe to print. Control characters and direction
//! characters could change what the operator's terminal shows.

use registry::model::characters::is_hidden;
use serde_json::Value;

/// In characters.
pub(super) const MAX_NAME: usize = 80;
/// In characters.
pub(super) const MAX_DETAIL: usize = 240;

/// One line without control and direction characters, with at most `limit` characters.
pub(super) fn sanitize(text: &str, limit: usize) -> String {
    let text: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    registry::error::shorten(text.trim(), limit)
}

/// A colon and the detail of a problem document; empty without a detail.
pub(super) fn error_message(problem: &Value) -> String {
    problem["detail"].as_str().map(|detail| format!(": {}", sanitize(detail, MAX_DETAIL))).unwrap_or_default()
}
