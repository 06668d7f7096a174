//! Finds a second request in a message. Only one is run, so the reply says which one was not.

use std::ptr;

use super::words::words;
use super::{Intent, MessageContent, matching, parse_content};
use crate::AnyOperation;
use registry_model::error::shorten;

/// A part with fewer words is no request of its own, and more parts are not read.
const MIN_WORDS: usize = 3;
const MAX_PARTS: usize = 5;
const MAX_SHOWN: usize = 120;
/// The words with which a further request begins, after these polite ones.
const OPENINGS: &str = "find search show tell list give check compare report publish add register score need looking what which \
    who when where why how is are does do did has";
const BEFORE: &str = "and also then please could can you i we would like want to am plus";

/// The part of a message that requests another operation than the chosen one, if a part requests that one, too.
pub(super) fn of(message: &MessageContent, chosen: &Intent) -> Option<String> {
    let (chosen, text) = (operation(chosen)?, message.text.as_str());
    if !message.data.is_empty() || text.trim_start().starts_with('{') {
        return None;
    }
    let sentences = text.split_inclusive(['.', '?', '!', ';', '\n']).map(|part| part.split(" and "));
    let parts: Vec<&str> = sentences.flatten().map(str::trim).take(MAX_PARTS).collect();
    let meant: Vec<(&str, &AnyOperation)> = match parts.len() {
        0 | 1 => return None,
        _ => parts.into_iter().filter_map(|part| Some((part, certain(message, part)?))).collect(),
    };
    let is_chosen = |entry: &AnyOperation| ptr::eq(entry, chosen);
    let opens = |part: &str| {
        let first = words(part).into_iter().find(|word| !BEFORE.split(' ').any(|before| before == word.low));
        first.is_some_and(|first| OPENINGS.split(' ').any(|opening| opening == first.low))
    };
    let further = meant.iter().find(|(part, entry)| !is_chosen(entry) && opens(part))?;
    let is_requested = meant.iter().any(|(_, entry)| is_chosen(entry));
    is_requested
        .then(|| shorten(&further.0.trim_end_matches(['.', '?', '!', ',']).replace('"', "'"), MAX_SHOWN))
}

fn operation(intent: &Intent) -> Option<&'static AnyOperation> {
    match intent {
        Intent::Run(entry, _) | Intent::Missing(entry, _) | Intent::Refused(entry, _) => Some(entry),
        _ => None,
    }
}

/// The operation that a part alone certainly requests.
fn certain(message: &MessageContent, part: &str) -> Option<&'static AnyOperation> {
    let alone =
        MessageContent { text: part.to_owned(), names: message.names.clone(), ..MessageContent::default() };
    let (parsed, fields) = parse_content(&alone);
    if parsed.words.len() < MIN_WORDS {
        return None;
    }
    let entry = operation(&matching::interpret(&parsed, &fields))?;
    matching::is_certain(&parsed, &fields, entry).then_some(entry)
}
