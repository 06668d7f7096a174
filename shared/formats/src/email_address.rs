//! Checks the form of an e-mail address: one `@`, a local part, a dotted domain.

use super::argument_text;
use registry_model::error::{Code, Problem};

pub const MAX_CHARS: usize = 254;

pub fn parse(field: &str, text: &str) -> Result<String, Problem> {
    let text = argument_text::line(field, text, MAX_CHARS)?;
    let is_label = |label: &str| {
        !label.is_empty() && !label.starts_with('-') && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let is_plausible = text.split_once('@').is_some_and(|(local, domain)| {
        (1..=64).contains(&local.len())
            && !text.contains(char::is_whitespace)
            && domain.contains('.')
            && domain.split('.').all(is_label)
    });
    if is_plausible {
        return Ok(text);
    }
    let detail = format!("`{field}` must be an address such as you@example.com. It is optional.");
    Err(Problem::invalid(field, Code::BadEmail, detail))
}
