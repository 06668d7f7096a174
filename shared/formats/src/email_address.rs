//! Checks the form of an e-mail address: one `@`, a local part, a dotted domain.

use super::argument_text;
use registry_model::error::{Code, Problem};

const LONGEST: usize = 254;

pub fn parse(field: &str, text: &str) -> Result<String, Problem> {
    let text = argument_text::line(field, text, LONGEST)?;
    let plausible = text.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && local.len() <= 64
            && !text.contains(char::is_whitespace)
            && !domain.contains('@')
            && domain.split('.').count() >= 2
            && domain.split('.').all(|label| {
                !label.is_empty()
                    && !label.starts_with('-')
                    && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            })
    });
    if plausible {
        return Ok(text);
    }
    Err(Problem::invalid(
        field,
        Code::BadEmail,
        format!("`{field}` must be an address such as you@example.com. It is optional."),
    ))
}
