//! Removes secrets from stored tasks, both from answers and from messages. The secrets are access tokens,
//! discount codes and session ids. They are shown once, and only their digests are stored.

use registry_model::{AccessToken, DiscountCode, SessionId};
use registry_operations::examples;

const SHOWN_ONCE: &str = "(shown once)";

/// With this key a caller proves that a lost reward is its own.
const IDEMPOTENCY_KEY: &str = "idempotency_key";

/// `text` is JSON and may contain JSON in its strings.
pub(super) fn without_secrets(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    // A secret can begin within a word, such as after the `n` of an escaped line break.
    while let Some(at) = rest.find(['a', 'D', 'd', 'i', 's']) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        rest = if let Some(length) = secret_at(from) {
            kept.push_str(SHOWN_ONCE);
            &from[length..]
        } else if let Some((name, length)) = key_at(from) {
            kept.push_str(&from[..name]);
            kept.push_str(SHOWN_ONCE);
            &from[name + length..]
        } else {
            kept.push_str(&from[..1]);
            &from[1..]
        };
    }
    kept.push_str(rest);
    kept
}

/// The lengths up to the value and of the value, however often the quotes are escaped.
fn key_at(text: &str) -> Option<(usize, usize)> {
    let named = text.strip_prefix(IDEMPOTENCY_KEY)?;
    let value = named.trim_start_matches(['\\', '"', ':', ' ']);
    let name = text.len() - value.len();
    let length = value.find(['\\', '"']).unwrap_or(value.len());
    let is_key =
        text[IDEMPOTENCY_KEY.len()..name].contains(':') && length > 0 && !is_example(&value[..length]);
    is_key.then_some((name, length))
}

fn secret_at(text: &str) -> Option<usize> {
    let begins = |length: usize| text.get(..length);
    let token = begins(AccessToken::LENGTH).filter(|text| text.parse::<AccessToken>().is_ok());
    let code = || begins(DiscountCode::LENGTH).filter(|text| text.parse::<DiscountCode>().is_ok());
    let session = || begins(SessionId::LENGTH).filter(|text| text.parse::<SessionId>().is_ok());
    token.or_else(code).or_else(session).filter(|secret| !is_example(secret)).map(str::len)
}

/// Examples of the catalogue open nothing, and `help` returns them to everyone.
fn is_example(secret: &str) -> bool {
    examples::contain(secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Random;
    use registry_operations::CATALOGUE;

    #[test]
    fn examples_in_the_catalog_are_not_removed_as_secrets() {
        for entry in CATALOGUE {
            let text = format!("{{\"data\":{:?}}}", entry.example);
            assert_eq!(without_secrets(&text), text);
        }
    }

    #[test]
    fn secrets_are_removed_from_every_part_of_a_text() {
        let random = Random::seeded(7);
        let (token, code) = (AccessToken::new(&random), DiscountCode::new(&random));
        let (token, code) = (token.reveal(), code.reveal());
        for (text, kept) in [
            (
                format!(r#"{{"a":"{token}","u":"https://r/x?token={token}&f=1"}}"#),
                r#"{"a":"(shown once)","u":"https://r/x?token=(shown once)&f=1"}"#,
            ),
            (format!("code {code}, or {}.", code.to_lowercase()), "code (shown once), or (shown once)."),
            (format!(r"one:\n{token}\n"), r"one:\n(shown once)\n"),
            (format!("é{token}é"), "é(shown once)é"),
            (
                r#"{"idempotency_key":"0a1b","t":"{\"idempotency_key\": \"0a1b\"} its idempotency_key tells"}"#.to_owned(),
                r#"{"idempotency_key":"(shown once)","t":"{\"idempotency_key\": \"(shown once)\"} its idempotency_key tells"}"#,
            ),
            (format!("session {} is open", SessionId::new(&random).reveal()), "session (shown once) is open"),
            ("at_home, D25-short, agtpub_0123 and at_".to_owned(), "at_home, D25-short, agtpub_0123 and at_"),
        ] {
            assert_eq!(without_secrets(&text), kept);
        }
    }
}
