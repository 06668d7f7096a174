//! Checks texts that anyone may read. Language models read them, too. So a text must be plain and short, without instructions to the reader, secrets, or contact data of people.

use crate::injection;
use crate::personal_data::{has_email_address, has_phone_number, has_secret};
use crate::plain_text::{self, TextKind};
use registry_model::error::{Code, Problem};

/// A public text, trimmed. 422 names the fault; `field` is the argument.
pub fn public_text(field: &'static str, text: &str, longest: usize) -> Result<String, Problem> {
    let text = text.trim();
    let (code, detail) = if text.is_empty() {
        (Code::EmptyText, format!("`{field}` must not be empty. Leave it out if you have no text."))
    } else if text.chars().nth(longest).is_some() {
        (Code::TextTooLong, format!("`{field}` is too long: at most {longest} characters."))
    } else if has_email_address(text) {
        (Code::EmailAddress, format!("`{field}` must not contain an e-mail address. Remove it."))
    } else if has_phone_number(text) {
        (Code::PhoneNumber, format!("`{field}` must not contain a phone number. Remove it."))
    } else if has_secret(text) {
        let detail = format!(
            "`{field}` seems to contain an access token or a key. Remove the secret, and replace it if it \
             was published elsewhere."
        );
        (Code::Secret, detail)
    } else if let Some(fault) = plain_text::fault(text, TextKind::Description) {
        (Code::NotPlainText, format!("`{field}`: {fault}"))
    } else if let Some(fault) = injection::fault(text) {
        (Code::InstructionToModels, format!("`{field}`: {fault}"))
    } else {
        return Ok(text.to_owned());
    };
    Err(Problem::invalid(field, code, detail))
}
