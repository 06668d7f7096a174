//! Texts that a caller writes: plain, of a known length, without the characters that hide or reorder others. Parsed at the
//! door, so that whatever is kept can be shown.

use registry_model::error::Problem;

/// A line of 1 to `longest` characters.
///
/// # Errors
/// It is empty, too long, or holds control or direction characters.
pub fn line(field: &str, text: &str, longest: usize) -> Result<String, Problem> {
    parsed(field, text, longest, |_| false)
}

/// A text of 1 to `longest` characters, perhaps of several lines.
///
/// # Errors
/// It is empty, too long, or holds control characters other than line breaks and tabs, or direction characters.
pub fn text(field: &str, text: &str, longest: usize) -> Result<String, Problem> {
    parsed(field, text, longest, |c| matches!(c, '\n' | '\r' | '\t'))
}

fn parsed(
    field: &str,
    text: &str,
    longest: usize,
    is_layout: impl Fn(char) -> bool,
) -> Result<String, Problem> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > longest {
        return Err(Problem::invalid(
            field,
            "bad_length",
            format!(
                "`{field}` must have 1 to {longest} characters; leave it out if there is nothing to say."
            ),
        ));
    }
    let is_refused = |c: char| {
        (c.is_control() && !is_layout(c))
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if text.chars().any(is_refused) {
        return Err(Problem::invalid(
            field,
            "control_characters",
            format!("`{field}` holds control or direction characters; send plain text."),
        ));
    }
    Ok(text.to_owned())
}
