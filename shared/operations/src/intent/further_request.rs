//! Finds a second request in a message. If it only reads, it is answered, too; otherwise the reply says that it was not done.

use std::ptr;

use super::argument_slots::Slot;
use super::matching::{CERTAIN, MIN_PROBABILITY};
use super::words::words;
use super::{Intent, MessageContent, matching, parse_content, with_short_answer};
use crate::{AnyOperation, MATCH_CAPABILITY};
use registry_model::error::shorten;

/// A part with fewer words is no request of its own, and more parts are not read.
const MIN_WORDS: usize = 3;
const MAX_PARTS: usize = 5;
const MAX_SHOWN: usize = 120;
/// The words with which a further request begins, after these polite ones.
const OPENINGS: &str = "find search show tell list give check compare report publish add register score need looking what which \
    who let when where why how is are does do did has";
const BEFORE: &str = "and also first then please could can you i we would like want to am plus";

/// A request in a message besides the chosen one.
pub(super) struct Further {
    /// The part of the message.
    pub(super) text: String,
    pub(super) intent: Intent,
    /// The chosen request by its own part, if it is a search: otherwise, its query would contain the further request.
    pub(super) search: Option<Intent>,
}

/// The part of a message that requests another operation than the chosen one, if a part requests that one, too.
pub(super) fn of(message: &MessageContent, chosen: &Intent) -> Option<Further> {
    let (chosen, text) = (operation(chosen)?, message.text.as_str());
    if !message.data.is_empty() || text.trim_start().starts_with('{') {
        return None;
    }
    let sentences = text.split_inclusive(['.', '?', '!', ';', '\n']).map(|part| part.split(" and "));
    let parts: Vec<&str> = sentences.flatten().map(str::trim).take(MAX_PARTS).collect();
    if parts.len() < 2 {
        return None;
    }
    let meant: Vec<_> = parts.into_iter().filter_map(|part| Some((part, meant(message, part)?))).collect();
    // The part with this operation was chosen, or else the part with an id or a URL: the message is about it.
    let is_said = meant.iter().any(|(_, part)| ptr::eq(part.entry, chosen));
    let is_chosen = |part: &Meant| if is_said { ptr::eq(part.entry, chosen) } else { part.has_target };
    let (chosen_parts, others): (Vec<_>, Vec<_>) = meant.into_iter().partition(|(_, part)| is_chosen(part));
    let opens = |part: &str| {
        let first = words(part).into_iter().find(|word| !BEFORE.split(' ').any(|before| before == word.low));
        first.is_some_and(|first| OPENINGS.split(' ').any(|opening| opening == first.low))
    };
    let (_, first) = chosen_parts.into_iter().next()?;
    let (further, part) = others.into_iter().find(|(text, part)| part.is_likely && opens(text))?;
    let is_search = ptr::eq(chosen, &MATCH_CAPABILITY) && ptr::eq(first.entry, chosen);
    Some(Further {
        text: shorten(&further.trim_end_matches(['.', '?', '!', ',']).replace('"', "'"), MAX_SHOWN),
        intent: part.intent,
        search: is_search.then_some(first.intent),
    })
}

pub(super) fn operation(intent: &Intent) -> Option<&'static AnyOperation> {
    match intent {
        Intent::Run(entry, _) | Intent::Missing(entry, _) | Intent::Refused(entry, _) => Some(entry),
        _ => None,
    }
}

/// What a part alone requests.
struct Meant {
    entry: &'static AnyOperation,
    intent: Intent,
    /// Whether it contains an id or a URL.
    has_target: bool,
    is_likely: bool,
}

fn meant(message: &MessageContent, part: &str) -> Option<Meant> {
    let content = |text: &str| {
        let names = message.names.clone();
        parse_content(&MessageContent { text: text.to_owned(), names, ..MessageContent::default() })
    };
    let (parsed, fields) = content(part);
    if parsed.words.len() < MIN_WORDS {
        return None;
    }
    let mut intent = matching::interpret(&parsed, &fields);
    let entry = operation(&intent)?;
    let (whole, _) = content(&message.text);
    if let (Intent::Missing(_, Slot::Id), [id]) = (&intent, whole.ids.as_slice()) {
        // "And how do I connect to it?"
        let (with_id, fields) = content(&format!("{part} {id}"));
        intent = matching::interpret(&with_id, &fields);
    }
    let has_target = !parsed.ids.is_empty() || !parsed.urls.is_empty();
    let least = if has_target { MIN_PROBABILITY } else { CERTAIN };
    let is_likely = matching::probability(&parsed, &fields, entry) >= least;
    Some(Meant { entry, intent: with_short_answer(intent), has_target, is_likely })
}
