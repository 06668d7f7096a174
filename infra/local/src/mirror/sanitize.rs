//! Text of other registries and of strangers' documents, made safe to print. Control and direction characters in it
//! could otherwise rewrite an operator's terminal.

use serde_json::Value;

/// The longest name that is shown, in characters.
pub(super) const NAME: usize = 80;
/// The longest description of a problem that is shown, in characters.
pub(super) const DETAIL: usize = 240;

/// One line without control and direction characters, of `limit` characters or fewer.
pub(super) fn sanitize(text: &str, limit: usize) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let text: String = text.chars().map(|c| if hidden(c) { ' ' } else { c }).collect();
    registry::error::shorten(text.trim(), limit)
}

/// The detail of a problem document after a colon; empty where there is none.
pub(super) fn error_message(problem: &Value) -> String {
    problem["detail"].as_str().map(|detail| format!(": {}", sanitize(detail, DETAIL))).unwrap_or_default()
}
