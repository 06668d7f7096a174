//! Removes secrets and e-mail addresses from stored tasks, both from answers and from messages. The secrets are
//! access tokens, discount codes, session ids, and values that follow a name such as `idempotency_key`.

use regex::{Captures, Regex};

use crate::prelude::*;
use registry_features::operation::examples;
use registry_formats::personal_data::without_email_addresses;
use registry_model::{AccessToken, DiscountCode, SessionId};

/// What is stored in the place of a secret or an address.
pub(super) const NOT_STORED: &str = "(not stored)";

/// A shorter value after the word `credential` is a word.
const MIN_CREDENTIAL_CHARS: usize = 16;

/// The name of a secret, then `=`, `:` or `is`, then its value. JSON in a string has quotes, which may be escaped.
const NAMED: &str = r#"(?i)(?-u:\b)([a-z0-9_-]*(?:idempotency[ _-]?key|api[ _-]?key|access[ _-]?key|token|secret|password|passphrase|authorization|credential))([\\"'`]*(?:\s*[:=]\s*|\s+is\s+)[\\"'`]*(?:bearer\s+)?)([^\s\\"'`,;&(){}<>\[\]]+)"#;

#[expect(clippy::expect_used, reason = "a literal pattern, compiled by the tests")]
static NAMED_SECRET: LazyLock<Regex> = LazyLock::new(|| Regex::new(NAMED).expect("a literal pattern"));

/// Removes them from every string of a value, also from the names of members.
pub(super) fn without_secrets(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(items) => items.into_iter().map(without_secrets).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| match value {
                Value::String(text) if is_secret(&name, &text) => (name, NOT_STORED.into()),
                value => (clean(&name), without_secrets(value)),
            });
            // A next step without its secret cannot be sent.
            let whole =
                |(name, value): &(String, Value)| name != "next" || !value.to_string().contains(NOT_STORED);
            Value::Object(members.filter(whole).collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// Drops the members whose value was not stored, so that they count as absent when the conversation continues.
pub(super) fn drop_removed(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| value.as_str().is_none_or(|text| !text.contains(NOT_STORED)));
            members.values_mut().for_each(drop_removed);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_removed),
        _ => {}
    }
}

pub(super) fn clean(text: &str) -> String {
    let text = without_tokens(text);
    let text = NAMED_SECRET.replace_all(&text, |found: &Captures<'_>| {
        let (name, between, value) = (&found[1], &found[2], &found[3]);
        let value = if is_secret(name, value) { NOT_STORED } else { value };
        format!("{name}{between}{value}")
    });
    without_email_addresses(&text, NOT_STORED).into_owned()
}

/// Whether a value with this name is a secret. Words, and the examples of the catalog, are no secrets.
fn is_secret(name: &str, value: &str) -> bool {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let ends = |words: &[&str]| words.iter().any(|word| name.ends_with(word));
    let is_long = value.len() >= 8 && value.bytes().any(|byte| byte.is_ascii_digit());
    let is_named = ends(&["idempotencykey", "password", "passphrase"])
        || value.len() >= MIN_CREDENTIAL_CHARS && ends(&["credential"])
        || is_long && ends(&["apikey", "accesskey", "token", "secret", "authorization"]);
    is_named && !value.is_empty() && !examples::contain(value)
}

/// Removes tokens, codes and session ids, which are recognized by their form.
fn without_tokens(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    // A secret can begin within a word, such as after the `n` of an escaped line break.
    while let Some(at) = rest.find(['a', 'D', 'd', 's']) {
        let (before, from) = rest.split_at(at);
        cleaned.push_str(before);
        let length = secret_at(from);
        cleaned.push_str(if length.is_some() { NOT_STORED } else { &from[..1] });
        rest = &from[length.unwrap_or(1)..];
    }
    cleaned.push_str(rest);
    cleaned
}

fn secret_at(text: &str) -> Option<usize> {
    let begins = |length: usize| text.get(..length);
    let token = begins(AccessToken::LENGTH).filter(|text| text.parse::<AccessToken>().is_ok());
    let code = || begins(DiscountCode::LENGTH).filter(|text| text.parse::<DiscountCode>().is_ok());
    let session = || begins(SessionId::LENGTH).filter(|text| text.parse::<SessionId>().is_ok());
    // Examples of the catalogue open nothing, and `help` returns them to everyone.
    token.or_else(code).or_else(session).filter(|secret| !examples::contain(secret)).map(str::len)
}

#[cfg(test)]
mod tests;
