//! The help text: all operations with examples that can be sent unchanged. It answers greetings, empty messages and
//! messages that are not understood.

use serde_json::{Value, json};

use super::parsed_text::ParsedText;
use crate::{AnyOperation, CATALOGUE};

/// Placeholders for examples where the text contains no URL or id.
const URL: &str = "https://agent.example.com/.well-known/agent-card.json";
const ID: &str = "agtpub_0123456789abcdef0123";

/// An example of an operation in plain words, with the URL or id of the text filled in.
pub(super) fn example(entry: &AnyOperation, parsed: Option<&ParsedText>) -> String {
    let first =
        |list: fn(&ParsedText) -> &Vec<String>| parsed.and_then(|parsed| list(parsed).first().cloned());
    let (url, id) = (first(|parsed| &parsed.urls), first(|parsed| &parsed.ids));
    let has_slot = |phrase: &str| {
        (phrase.contains("{url}") && url.is_some()) || (phrase.contains("{id}") && id.is_some())
    };
    let phrase = entry.phrases.iter().find(|phrase| has_slot(phrase)).or(entry.phrases.first()).copied();
    let phrase = phrase.unwrap_or(entry.name);
    fill(phrase, url.as_deref().unwrap_or(URL), id.as_deref().unwrap_or(ID))
}

/// A phrase of the catalogue with example values in its slots.
pub fn filled(phrase: &str) -> String {
    fill(phrase, URL, ID)
}

fn fill(phrase: &str, url: &str, id: &str) -> String {
    phrase.replace("{url}", url).replace("{id}", id).replace("{text}", "Weather Bot")
}

pub(super) fn lines<'a>(
    entries: impl IntoIterator<Item = &'a AnyOperation>,
    parsed: Option<&ParsedText>,
) -> String {
    let lines = entries.into_iter().map(|entry| format!("- {}: \"{}\"", entry.title, example(entry, parsed)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Every operation as data, with an example in words and as a call.
#[must_use]
pub fn operations() -> Value {
    let summary = |entry: &AnyOperation| {
        json!({
            "operation": entry.name,
            "title": entry.title,
            "description": entry.description,
            "say": example(entry, None),
            // As text, because A2A requires camel case for every member name, and these names are snake case.
            "data": format!("{{\"operation\": \"{}\", \"arguments\": {}}}", entry.name, entry.example),
        })
    };
    CATALOGUE.iter().copied().map(summary).collect()
}

#[must_use]
pub fn text(brand: &str) -> String {
    format!(
        "This is {brand}: a registry in which every Live agent and MCP server has answered a real handshake. You can \
         ask in plain words, or send a data part {{\"operation\": …, \"arguments\": {{…}}}}. The data of an answer contains \
         `next`, which can be sent back unchanged as a data part. For example:\n{}",
        lines(CATALOGUE.iter().copied(), None)
    )
}
