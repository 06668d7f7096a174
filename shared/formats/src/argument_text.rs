//! Checks the text arguments of callers: plain text of limited length, without characters that hide or
//! reorder other characters. The check runs when a request arrives, so that every stored text can be shown.

use registry_model::error::Problem;

/// A line of 1 to `longest` characters, without control and direction characters.
pub fn line(field: &str, text: &str, longest: usize) -> Result<String, Problem> {
    parsed(field, text, longest, |_| false)
}

/// Like [`line()`], but line breaks and tabs are allowed.
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
            format!("`{field}` must have 1 to {longest} characters. Leave it out if you have no text."),
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
            format!(
                "`{field}` contains control characters or characters that change the text direction. \
                Send plain text."
            ),
        ));
    }
    Ok(text.to_owned())
}
