//! Fills the argument slots of an example with what a message contains: URLs, listing ids, tokens and texts.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};
use url::Url;

use crate::a2a::intent::argument_slots::Slot;
use crate::a2a::intent::command;
use crate::a2a::intent::examples::{self, Example, OperationExamples};
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::words::{Word, lists, words};
use registry_features::listing::operations::{CHECK_LIVENESS, CHECK_STATUS};
use registry_model::ListingId;

/// The longest text in a slot of a read-only operation. Of a search it is the whole message.
const MAX_QUERY_CHARS: usize = 300;
/// Words with which a message asks for something, in addition to stop words.
const ASKING: &str = "find search look looking need want wanna like know recommend suggest match searching seeking who there \
    here somebody someone anybody anyone anything something registry catalog got hoping";

pub(super) struct Filling {
    pub(super) arguments: Map<String, Value>,
    /// Where the words begin that went into a slot.
    pub(super) used_words: HashSet<usize>,
}

/// Fills the slots of an example, or returns the first that stays empty, with the arguments before it. `fields` are the
/// arguments in the data parts of the same message; `verb` is where the request for an operation that writes has its verb.
pub(super) fn fill(
    parsed: &ParsedText,
    fields: &Map<String, Value>,
    operation: &OperationExamples,
    example: &Example,
    verb: Option<usize>,
) -> Result<Filling, (Slot, Map<String, Value>)> {
    let mut filling = Filling { arguments: Map::new(), used_words: HashSet::new() };
    let verb = verb.unwrap_or(0);
    let needed = example.slots.iter().filter(|slot| **slot == Slot::Id).count();
    let of_listing = operation.arguments.knows("from") && parsed.ids.len() > needed;
    let sending = of_listing.then(|| parsed.sending_listing()).flatten();
    let ids = target_ids(parsed, sending.as_ref().map(|(sender, _)| *sender), needed, verb);
    let (from, sender) = sender(parsed, operation, sending).unzip();
    if let Some(from) = from {
        filling.arguments.insert("from".to_owned(), Value::from(from));
    }
    let mut filled = [0_usize; 4];
    for slot in &example.slots {
        let nth = filled[*slot as usize];
        filled[*slot as usize] += 1;
        let Some(argument) = operation.arguments.argument(*slot, nth) else {
            return Err((*slot, filling.arguments));
        };
        if fields.contains_key(argument) {
            continue;
        }
        let (argument, value) = match slot {
            Slot::Url => {
                let is_mcp = operation.arguments.knows("mcp_url") && parsed.says_mcp_server();
                (if is_mcp { "mcp_url" } else { argument }, parsed.urls.first().cloned())
            }
            Slot::Token => (argument, parsed.tokens.first().cloned()),
            Slot::Id => match ids.get(nth) {
                Some(id) => (argument, Some((*id).clone())),
                None => listing(parsed, operation, nth, argument, &mut filling),
            },
            Slot::Text => {
                let before = ids.iter().take(filled[Slot::Id as usize]);
                let positions =
                    before.filter_map(|id| parsed.position_after(id, verb).or_else(|| parsed.position(id)));
                let after_ids = positions.map(|position| position.end).max().unwrap_or(0);
                let text = text(parsed, example, after_ids, sender.clone(), &mut filling.used_words);
                (argument, text_argument(parsed, operation, text))
            }
        };
        let Some(value) = value else { return Err((*slot, filling.arguments)) };
        filling.arguments.insert(argument.to_owned(), Value::String(value));
    }
    Ok(filling)
}

/// The listings that a request is about. In "plan {id} with {id}, and leave a trace on {id}", the last is meant: if enough listings
/// follow the verb, only these.
fn target_ids<'a>(
    parsed: &'a ParsedText,
    sender: Option<&str>,
    needed: usize,
    verb: usize,
) -> Vec<&'a String> {
    let is_later = |id: &&String| parsed.position(id).is_none() || parsed.position_after(id, verb).is_some();
    let others: Vec<&String> = parsed.ids.iter().filter(|id| sender != Some(id.as_str())).collect();
    let later: Vec<&String> = others.iter().copied().filter(is_later).collect();
    if later.len() < needed { others } else { later }
}

/// Who sends the message, and where it says so: a listing, or any name if the operation takes one.
fn sender<'a>(
    parsed: &'a ParsedText,
    operation: &OperationExamples,
    sending: Option<(&'a str, Range<usize>)>,
) -> Option<(&'a str, Range<usize>)> {
    let takes_name = operation.arguments.takes_sender;
    let Some((id, range)) = sending else { return parsed.signature().filter(|_| takes_name) };
    let written = parsed.position(id).filter(|_| takes_name).map(|position| &parsed.text[position]);
    Some((written.unwrap_or(id), range))
}

/// What a text slot is filled with; `None` if the text says nothing.
fn text_argument(parsed: &ParsedText, operation: &OperationExamples, text: Option<String>) -> Option<String> {
    // A text to store is passed on in full, or refused.
    if !operation.entry.effect.read_only {
        // An example that was sent unchanged has a placeholder.
        let is_placeholder = |text: &String| text.starts_with('<') && text.ends_with('>');
        return text.filter(|text| !is_placeholder(text) && has_content(parsed, operation, text));
    }
    if operation.is_search && parsed.quoted == 0 {
        return (text.is_some() || has_topic(parsed, &HashSet::new())).then(|| query(parsed));
    }
    // A query may be cut.
    text.filter(|text| !lists("it him her them", &text.to_lowercase()))
        .map(|text| text.trim_end_matches('?').chars().take(MAX_QUERY_CHARS).collect())
}

/// Whether a text to store says something, as a quotation does and what follows a colon. "Warn the others" does not.
fn has_content(parsed: &ParsedText, operation: &OperationExamples, text: &str) -> bool {
    let known = |word: &Word| operation.examples.iter().any(|example| example.stems.contains(&word.stem));
    let (all, is_marked) = (words(text), parsed.quoted > 0 || parsed.colon().is_some());
    // "Mark the messages of {id} as read" contains no message.
    let is_role = text.starts_with("as ");
    is_marked || all.is_empty() || !is_role && all.iter().any(|word| word.is_significant() && !known(word))
}

/// The listing that a text names without an id: by URL, from which the id is derived; by name, if the operation has such an
/// argument.
fn listing<'a>(
    parsed: &ParsedText,
    operation: &'a OperationExamples,
    nth: usize,
    argument: &'a str,
    filling: &mut Filling,
) -> (&'a str, Option<String>) {
    // What is written must not depend on a guess.
    if !operation.entry.effect.read_only {
        return (argument, None);
    }
    if let Some(url) = parsed.urls.get(nth).and_then(|url| Url::parse(url).ok()) {
        // These two find it by its URL, and name the URL if there is none.
        let takes_url =
            [&CHECK_STATUS, &CHECK_LIVENESS].iter().any(|read| std::ptr::eq(*read, operation.entry));
        let id = if takes_url { parsed.urls[nth].clone() } else { ListingId::of_url(&url).to_string() };
        return (argument, Some(id));
    }
    let (Some(argument), Some(name)) = (operation.arguments.name.as_deref(), parsed.names.first()) else {
        return (argument, None);
    };
    if let Some(start) = parsed.text.find(name) {
        filling.used_words.extend(parsed.words_in(start..start + name.len()));
    }
    (argument, Some(name.clone()))
}

/// Whether a message says more than that it looks for an agent, or requests what these verbs request.
pub(super) fn has_topic(parsed: &ParsedText, verbs: &HashSet<String>) -> bool {
    let is_kind =
        |word: &Word| matches!(word.stem.as_str(), "agent" | "server" | "mcp" | "tool" | "list" | "task");
    let points = |word: &Word| lists("one first second third next last", &word.low);
    let is_request = |word: &Word| is_kind(word) || points(word) || verbs.contains(&word.low);
    parsed.words.iter().any(|word| !parsed.is_polite(word) && !asks(word) && !is_request(word))
}

fn asks(word: &Word) -> bool {
    !word.is_significant() || lists(ASKING, &word.low)
}

/// The query of a search: the message from the first word that does more than ask, without thanks.
pub(super) fn query(parsed: &ParsedText) -> String {
    let mut words = parsed.words.iter().filter(|word| !parsed.is_polite(word)).skip_while(|word| asks(word));
    match (words.next(), parsed.quoted) {
        (Some(first), 0) => parsed.text[first.at.start..words.last().unwrap_or(first).at.end].to_owned(),
        _ => parsed.text.clone(),
    }
}

/// What a message says where a phrase has its text slot.
pub(super) fn text_of_phrase(parsed: &ParsedText, phrase: &str) -> Option<String> {
    let (_, example) = examples::parse(phrase);
    let ids = example.slots.iter().take_while(|slot| **slot == Slot::Id).count();
    text(parsed, &example, parsed.end_of_ids(ids), None, &mut HashSet::new())
        .filter(|text| words(text).iter().any(Word::is_significant))
}

/// The text for a text slot: a quotation, else the part of the text at the slot's position in the example, without the
/// ids that went into the slots before it, which end at `after_ids`, and without its sender at its beginning or end.
fn text(
    parsed: &ParsedText,
    example: &Example,
    after_ids: usize,
    sender: Option<Range<usize>>,
    used_words: &mut HashSet<usize>,
) -> Option<String> {
    if parsed.quoted > 0 {
        // In 'rename "A" to "B"', the first is the listing.
        let quotations = &parsed.names[..parsed.quoted];
        let later = quotations.iter().find(|name| parsed.text.rfind(*name).is_some_and(|at| at >= after_ids));
        return later.or(quotations.first()).cloned();
    }
    let (before, after) = &example.around_text;
    let is_blank =
        |range: Range<usize>| parsed.text.get(range).is_some_and(|gap| !gap.contains(char::is_alphanumeric));
    let after_colon = || parsed.colon().map(|colon| colon + 1);
    let mut start = end_of(&parsed.words, before).or_else(after_colon)?.max(after_ids);
    if let Some(sender) = sender.as_ref().filter(|sender| is_blank(start..sender.start)) {
        start = sender.end;
    }
    let signed = sender.filter(|sender| sender.start > start && is_blank(sender.end..parsed.text.len()));
    let end = after.iter().position(Word::is_significant).and_then(|nth| {
        let is_it = |word: &Word| word.at.start >= start && word.stem == after[nth].stem;
        let at = parsed.words.iter().position(is_it)?;
        // Of "to a call", the first two words stand directly before it.
        let stops = parsed.words[..at].iter().rev().zip(after[..nth].iter().rev());
        let stops = stops.take_while(|(word, stop)| word.at.start > start && word.low == stop.low).count();
        Some(&parsed.words[at - stops])
    });
    let last = signed.map_or(parsed.text.len(), |sender| sender.start);
    let range: Range<usize> = start..end.map_or(last, |word| word.at.start);
    let found = parsed.text.get(range.clone())?;
    let outer = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '-' | '.' | ';');
    let found = found.trim_start_matches(|c| outer(c) || matches!(c, '?' | '!')).trim_end_matches(outer);
    // Of "rename {id} to it": the id was between.
    let last = before.last().map_or(String::new(), |word| format!("{} ", word.low));
    let found = found.strip_prefix(&last).unwrap_or(found);
    if found.is_empty() {
        return None;
    }
    used_words.extend(parsed.words_in(range));
    Some(found.to_owned())
}

/// Whether a word before a slot must be in the text.
fn is_anchor(word: &Word) -> bool {
    word.is_significant() || command::is_general(&word.low)
}

/// Where the words before a slot end in a text, found in order; a stop word may be missing, and is found only directly after
/// the one before it.
fn end_of(words: &[Word], before: &[Word]) -> Option<usize> {
    let (mut next, mut found) = (0, None);
    for sought in before {
        let limit = if is_anchor(sought) { words.len() } else { (next + 2).min(words.len()) };
        match (next..limit).find(|at| words[*at].stem == sought.stem) {
            Some(at) => {
                next = at + 1;
                if is_anchor(sought) || found.is_some() {
                    found = Some(words[at].at.end);
                }
            }
            None if is_anchor(sought) => return None,
            None => {}
        }
    }
    found
}
