//! Checks optional arguments that several families use: the number of rows to return, and short public texts.
//! Each argument has limits.

use registry_formats::argument_text;
use registry_formats::public_text::public_text;
use registry_model::error::{Code, Problem};

/// The argument `field`: how many rows to return, from 1 to `max`.
pub(crate) fn count(
    field: &'static str,
    given: Option<u32>,
    default: u32,
    max: u32,
) -> Result<usize, Problem> {
    let count = given.unwrap_or(default);
    if (1..=max).contains(&count) {
        return Ok(count as usize);
    }
    Err(Problem::invalid(field, Code::OutOfRange, format!("`{field}` must be from 1 to {max}.")))
}

/// One line that anyone may read; `None` if it is blank.
pub(crate) fn line(
    field: &'static str,
    given: Option<&str>,
    max_chars: usize,
) -> Result<Option<String>, Problem> {
    let line = |text: &str| public_text(field, &argument_text::line(field, text, max_chars)?, max_chars);
    given.filter(|text| !text.trim().is_empty()).map(line).transpose()
}

/// One or more lines that anyone may read; `None` if they are blank.
pub(crate) fn text(
    field: &'static str,
    given: Option<&str>,
    max_chars: usize,
) -> Result<Option<String>, Problem> {
    let text = given.filter(|text| !text.trim().is_empty());
    text.map(|text| public_text(field, text, max_chars)).transpose()
}
