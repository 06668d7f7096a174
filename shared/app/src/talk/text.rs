//! Decides which texts an inbox accepts. Inboxes are public and language models read them. So a text must be
//! plain and short, without instructions to the reader, secrets, or contact data of people.

use super::TalkAction;
use super::personal_data::{has_email_address, has_phone_number, has_secret};
use registry_formats::injection;
use registry_formats::plain_text::{self, TextKind};
use registry_model::error::Problem;

/// The text of an action as it is stored; `None` for a check-in without text. 422 names the fault.
pub fn read_text(action: TalkAction, text: Option<&str>) -> Result<Option<String>, Problem> {
    let text = text.unwrap_or_default().trim();
    if text.is_empty() && action == TalkAction::CheckIn {
        return Ok(None);
    }
    if text.is_empty() {
        let detail = "`text` must not be empty. Only the action check_in needs no text.";
        return Err(Problem::invalid("text", "empty_text", detail));
    }
    public_text("text", text, action.longest_text()).map(Some)
}

/// A public text, trimmed. 422 names the fault; `field` is the argument.
pub fn public_text(field: &'static str, text: &str, longest: usize) -> Result<String, Problem> {
    let text = text.trim();
    let (code, detail) = if text.is_empty() {
        ("empty_text", format!("`{field}` must not be empty. Leave it out if you have no text."))
    } else if text.chars().nth(longest).is_some() {
        ("text_too_long", format!("`{field}` is too long: at most {longest} characters."))
    } else if has_email_address(text) {
        ("email_address", format!("`{field}` must not contain an e-mail address. Remove it."))
    } else if has_phone_number(text) {
        ("phone_number", format!("`{field}` must not contain a phone number. Remove it."))
    } else if has_secret(text) {
        let detail = format!(
            "`{field}` seems to contain an access token or a key. Remove the secret, and replace it if it \
             was published elsewhere."
        );
        ("secret", detail)
    } else if let Some(fault) = plain_text::fault(text, TextKind::Description) {
        ("not_plain_text", format!("`{field}`: {fault}"))
    } else if let Some(fault) = injection::fault(text) {
        ("instruction_to_models", format!("`{field}`: {fault}"))
    } else {
        return Ok(text.to_owned());
    };
    Err(Problem::invalid(field, code, detail))
}
