//! Checks the text arguments of callers: plain text of limited length, without characters that hide or
//! reorder other characters. The check runs when a request arrives, so that every stored text can be shown.

use super::injection;
use super::plain_text::{self, TextKind};
use super::server_json;
use registry_model::characters;
use registry_model::error::{Code, Problem};

/// A line of 1 to `longest` characters, without control and direction characters.
pub fn line(field: &str, text: &str, longest: usize) -> Result<String, Problem> {
    parsed(field, text, longest, |_| false)
}

/// Like [`line()`], but line breaks and tabs are allowed.
pub fn text(field: &str, text: &str, longest: usize) -> Result<String, Problem> {
    parsed(field, text, longest, |c| matches!(c, '\n' | '\r' | '\t'))
}

/// Like [`line()`], with the checks of card texts, because the line appears in files that models read.
pub fn plain_line(field: &str, line: &str, longest: usize) -> Result<String, Problem> {
    plain(field, self::line(field, line, longest)?, TextKind::Label)
}

/// Like [`text()`], with the checks of card texts.
pub fn plain_text(field: &str, text: &str, longest: usize) -> Result<String, Problem> {
    plain(field, self::text(field, text, longest)?, TextKind::Description)
}

/// Refuses a display name in the form of a server name, because it claims a namespace. Only the listing's own server
/// name is allowed; whether that is claimed or proven is shown with it.
pub fn check_display_name(field: &str, name: &str, own: Option<&str>) -> Result<(), Problem> {
    if !server_json::is_name_of_another(name, own) {
        return Ok(());
    }
    let detail = format!(
        "`{field}` has the form of a server name. To use it, publish a server description with that name and a proof."
    );
    Err(Problem::invalid(field, Code::NameOfAnother, detail))
}

fn plain(field: &str, text: String, kind: TextKind) -> Result<String, Problem> {
    let not_plain = plain_text::fault(&text, kind).map(|fault| (Code::NotPlainText, fault));
    let found = not_plain.or_else(|| injection::fault(&text).map(|fault| (Code::InstructionToModels, fault)));
    match found {
        None => Ok(text),
        Some((code, fault)) => Err(Problem::invalid(field, code, format!("`{field}`: {fault}"))),
    }
}

fn parsed(
    field: &str,
    text: &str,
    longest: usize,
    is_layout: impl Fn(char) -> bool,
) -> Result<String, Problem> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > longest {
        let detail = format!("`{field}` must have 1 to {longest} characters.");
        return Err(Problem::invalid(field, Code::BadLength, detail));
    }
    if text.chars().any(|c| characters::is_control_or_direction(c) && !is_layout(c)) {
        let detail = format!(
            "`{field}` contains control characters or characters that change the text direction. Send plain text."
        );
        return Err(Problem::invalid(field, Code::ControlCharacters, detail));
    }
    Ok(text.to_owned())
}
