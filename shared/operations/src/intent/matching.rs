//! Finds the operation whose phrases are most similar to a text. Words that both contain increase the
//! similarity. A word that is rare in the catalog counts more than a common word. To run an operation that
//! writes, the text must also request it explicitly.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use serde_json::{Map, Value};
use url::Url;

use super::Intent;
use super::argument_slots::Slot;
use super::command;
use super::parsed_text::ParsedText;
use super::phrase::{OperationPhrases, PHRASE_BOOK, Phrase};
use super::words::Word;
use crate::AnyOperation;
use registry_model::ListingId;

/// For a read-only operation: the share of the phrase that the text must contain, and the similarity.
const MIN_PHRASE_SHARE: f64 = 0.45;
const MIN_LIKENESS: f64 = 0.55;
/// Both limits for a phrase with an empty slot: higher, because a question is worse than an answer.
const MIN_WITH_EMPTY_SLOT: f64 = 0.6;
const SLOT_WEIGHT: f64 = 1.0;
/// The longest text in a slot of a read-only operation.
const MAX_QUERY_CHARS: usize = 300;

/// Words by which a sender refers to itself.
const SELF_REFERENCES: [&str; 7] = ["me", "my", "mine", "our", "us", "myself", "this"];

pub(super) const RETRACTED: &str = "The message cancels this request or adds a condition to it.";
const SEVERAL_URLS: &str = "The message contains several URLs, but only one is accepted at a time.";

struct Candidate {
    likeness: f64,
    intent: Intent,
    read_only: bool,
    /// A question although the text does not refer to its sender: only if nothing else matches.
    last_resort: bool,
}

/// Interprets a text; `fields` are the arguments in the data parts of the same message.
pub(super) fn interpret(parsed: &ParsedText, fields: &Map<String, Value>) -> Intent {
    if let Some(intent) = by_name(parsed, fields) {
        return intent;
    }
    let candidates = PHRASE_BOOK.operations.iter().flat_map(|operation| {
        operation.phrases.iter().filter_map(|phrase| candidate(parsed, fields, operation, phrase))
    });
    // The first of the best, reading before writing: the order of the catalogue decides between equals.
    let best = candidates.enumerate().max_by(|(a_at, a), (b_at, b)| {
        let resort = b.last_resort.cmp(&a.last_resort);
        let likeness = a.likeness.total_cmp(&b.likeness);
        resort.then(likeness).then(a.read_only.cmp(&b.read_only)).then(b_at.cmp(a_at))
    });
    best.map_or_else(|| Intent::Unclear(nearest(parsed)), |(_, best)| best.intent)
}

/// An operation that the text calls by its name.
fn by_name(parsed: &ParsedText, fields: &Map<String, Value>) -> Option<Intent> {
    let (entry, at) = parsed.operation_names.first()?;
    let operation = PHRASE_BOOK.operations.iter().find(|operation| std::ptr::eq(operation.entry, *entry))?;
    if !entry.effect.read_only {
        if !parsed.words.get(*at).is_some_and(|_| command::opens_a_request(&parsed.words, *at)) {
            return None;
        }
        if command::is_retracted(&parsed.words, *at, &[]) {
            return Some(Intent::Refused(entry, RETRACTED));
        }
    }
    let filled = operation.phrases.iter().filter_map(|phrase| fill(parsed, operation, phrase, fields).ok());
    if let Some(filling) = filled.max_by_key(|filling| filling.arguments.len()) {
        return Some(run(parsed, operation, fields, filling.arguments));
    }
    let slot = operation.phrases.first().and_then(|phrase| phrase.slots.first());
    Some(match slot {
        Some(slot) => Intent::Missing(entry, *slot),
        None => run(parsed, operation, fields, Map::new()),
    })
}

fn candidate(
    parsed: &ParsedText,
    fields: &Map<String, Value>,
    operation: &OperationPhrases,
    phrase: &Phrase,
) -> Option<Candidate> {
    // A text with a URL or an id is about it: a phrase without a slot for either does not match.
    let has_slot = phrase.slots.iter().any(|slot| matches!(slot, Slot::Url | Slot::Id));
    if weight_of_picks(parsed) > 0.0 && !has_slot {
        return None;
    }
    let read_only = operation.entry.effect.read_only;
    let (intent, likeness, last_resort) = match fill(parsed, operation, phrase, fields) {
        Ok(filling) => {
            let similarity = similarity(parsed, operation, phrase, Some(&filling))?;
            let run = || run(parsed, operation, fields, filling.arguments.clone());
            let intent = if read_only {
                let is_close =
                    similarity.of_phrase >= MIN_PHRASE_SHARE && similarity.likeness >= MIN_LIKENESS;
                is_close.then(run)
            } else {
                write_if_requested(parsed, operation, phrase, &similarity, run)
            };
            (intent?, similarity.likeness, false)
        }
        Err(slot) => {
            let similarity = similarity(parsed, operation, phrase, None)?;
            if !is_worth_a_question(parsed, operation, phrase, &similarity) {
                return None;
            }
            let is_about_sender =
                parsed.words.iter().any(|word| SELF_REFERENCES.contains(&word.low.as_str()));
            (Intent::Missing(operation.entry, slot), similarity.likeness, read_only || !is_about_sender)
        }
    };
    Some(Candidate { likeness, intent, read_only, last_resort })
}

/// What a phrase and a text have in common.
struct Similarity {
    shared_words: usize,
    /// How much of the phrase is in the text.
    of_phrase: f64,
    /// How much of both is in the other: the harmonic mean. The text may use words of any phrase of the operation.
    likeness: f64,
}

/// `None` if no word is shared. Slots count if they are filled.
fn similarity(
    parsed: &ParsedText,
    operation: &OperationPhrases,
    phrase: &Phrase,
    filling: Option<&Filling>,
) -> Option<Similarity> {
    let in_slot = |word: &&Word| filling.is_some_and(|filling| filling.used_words.contains(&word.at.start));
    let words = parsed.words.iter().filter(|word| word.is_significant() && !in_slot(word));
    // Sorted, so that the sums are the same in every process.
    let stems: BTreeSet<&String> = words.map(|word| &word.stem).collect();
    let shared: Vec<&String> = phrase.stems.iter().filter(|stem| stems.contains(stem)).collect();
    if shared.is_empty() {
        return None;
    }
    let (filled, slots) =
        filling.map_or((0.0, 0.0), |filling| (filling.weight, weight_of_slots(phrase.slots.len())));
    let of_operation = stems.iter().filter(|stem| operation.stems.contains(**stem)).copied();
    let of_phrase =
        (PHRASE_BOOK.weights(shared.iter().copied()) + filled) / (PHRASE_BOOK.weights(&phrase.stems) + slots);
    let of_text = (PHRASE_BOOK.weights(of_operation) + filled)
        / (PHRASE_BOOK.weights(stems.iter().copied()) + slots.max(weight_of_picks(parsed)));
    let likeness = 2.0 * of_phrase * of_text / (of_phrase + of_text);
    Some(Similarity { shared_words: shared.len(), of_phrase, likeness })
}

/// The intent of a filled phrase that writes; `None` if the text does not request it.
fn write_if_requested(
    parsed: &ParsedText,
    operation: &OperationPhrases,
    phrase: &Phrase,
    similarity: &Similarity,
    run: impl FnOnce() -> Intent,
) -> Option<Intent> {
    let at = command::requested_verb(&parsed.words, &phrase.verb)?;
    let names_its_object = !phrase.slots.is_empty() || similarity.shared_words == phrase.stems.len();
    if !names_its_verb(phrase, similarity) || !names_its_object {
        return None;
    }
    Some(if command::is_retracted(&parsed.words, at, &phrase.stems) {
        Intent::Refused(operation.entry, RETRACTED)
    } else if phrase.slots.contains(&Slot::Url) && parsed.urls.len() > 1 {
        Intent::Refused(operation.entry, SEVERAL_URLS)
    } else {
        run()
    })
}

/// Whether a text matches a phrase with an empty slot well enough to ask for the missing argument.
fn is_worth_a_question(
    parsed: &ParsedText,
    operation: &OperationPhrases,
    phrase: &Phrase,
    similarity: &Similarity,
) -> bool {
    if operation.entry.effect.read_only {
        return similarity.of_phrase >= MIN_WITH_EMPTY_SLOT && similarity.likeness >= MIN_WITH_EMPTY_SLOT;
    }
    names_its_verb(phrase, similarity)
        && similarity.likeness >= MIN_LIKENESS
        && command::requested_verb(&parsed.words, &phrase.verb)
            .is_some_and(|at| !command::is_retracted(&parsed.words, at, &phrase.stems))
}

/// A general verb needs another word of its phrase.
fn names_its_verb(phrase: &Phrase, similarity: &Similarity) -> bool {
    !command::is_general(&phrase.verb) || similarity.shared_words > 1
}

struct Filling {
    arguments: Map<String, Value>,
    /// Where the words begin that went into a text slot.
    used_words: HashSet<usize>,
    weight: f64,
}

/// Fills the slots of a phrase from the text, or returns the first that stays empty.
fn fill(
    parsed: &ParsedText,
    operation: &OperationPhrases,
    phrase: &Phrase,
    fields: &Map<String, Value>,
) -> Result<Filling, Slot> {
    let mut filling = Filling { arguments: Map::new(), used_words: HashSet::new(), weight: 0.0 };
    let mut filled = [0_usize; 3];
    for slot in &phrase.slots {
        let nth = filled[*slot as usize];
        filled[*slot as usize] += 1;
        let argument = operation.arguments.argument(*slot, nth).ok_or(*slot)?;
        if fields.contains_key(argument) {
            filling.weight += SLOT_WEIGHT;
            continue;
        }
        let found = match slot {
            Slot::Url => parsed.urls.first().cloned().map(|url| (argument, url, SLOT_WEIGHT)),
            Slot::Id => listing(parsed, operation, nth, argument),
            Slot::Text => {
                let ids_before = filled[Slot::Id as usize];
                // A query may be cut; a text to store is passed on in full, or refused.
                let limit = if operation.entry.effect.read_only { MAX_QUERY_CHARS } else { usize::MAX };
                let text = text(parsed, phrase, ids_before, &mut filling.used_words);
                text.map(|text| (argument, text.chars().take(limit).collect(), SLOT_WEIGHT))
            }
        };
        let (argument, value, weight) = found.ok_or(*slot)?;
        filling.arguments.insert(argument.to_owned(), Value::String(value));
        filling.weight += weight;
    }
    Ok(filling)
}

fn run(
    parsed: &ParsedText,
    operation: &OperationPhrases,
    fields: &Map<String, Value>,
    mut arguments: Map<String, Value>,
) -> Intent {
    let read_only = operation.entry.effect.read_only;
    operation.arguments.add_incidental(&mut arguments, parsed, fields, read_only);
    Intent::Run(operation.entry, Value::Object(arguments))
}

/// The listing that a text names: by id; by URL, from which the id is derived; by name, if the operation has such an
/// argument. An id weighs more than the other two.
fn listing<'a>(
    parsed: &ParsedText,
    operation: &'a OperationPhrases,
    nth: usize,
    argument: &'a str,
) -> Option<(&'a str, String, f64)> {
    if let Some(id) = parsed.ids.get(nth) {
        return Some((argument, id.clone(), SLOT_WEIGHT));
    }
    if let Some(url) = parsed.urls.get(nth).and_then(|url| Url::parse(url).ok()) {
        return Some((argument, ListingId::of_url(&url).to_string(), SLOT_WEIGHT / 2.0));
    }
    Some((operation.arguments.name.as_deref()?, parsed.names.first()?.clone(), SLOT_WEIGHT / 2.0))
}

/// The text for a text slot: a quotation, else the part of the text at the slot's position in the phrase, without the
/// ids that went into the slots before it.
fn text(
    parsed: &ParsedText,
    phrase: &Phrase,
    ids_before: usize,
    used_words: &mut HashSet<usize>,
) -> Option<String> {
    if parsed.quoted > 0 {
        return parsed.names.first().cloned();
    }
    let (before, after) = &phrase.around_text;
    let start = end_of(&parsed.words, before)?;
    let end = after.iter().find(|word| word.is_significant()).and_then(|word| {
        parsed.words.iter().filter(|other| other.at.start >= start).find(|other| other.stem == word.stem)
    });
    let range: Range<usize> = start..end.map_or(parsed.text.len(), |word| word.at.start);
    let found = parsed.text.get(range.clone())?;
    let outer = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '-' | '.' | '?' | '!' | ';');
    let ids = parsed.ids.iter().take(ids_before);
    let found = ids.fold(found.trim_matches(outer), |found, id| {
        found.strip_prefix(id.as_str()).map_or(found, |rest| rest.trim_matches(outer))
    });
    if found.is_empty() {
        return None;
    }
    used_words.extend(parsed.words.iter().map(|word| word.at.start).filter(|start| range.contains(start)));
    Some(found.to_owned())
}

/// Where the words before a slot end in a text, found in order; a stop word only directly after the one before it.
fn end_of(words: &[Word], before: &[Word]) -> Option<usize> {
    let (mut next, mut found) = (0, None);
    for sought in before {
        let limit = if sought.is_significant() { words.len() } else { (next + 2).min(words.len()) };
        if let Some(at) = (next..limit).find(|at| words[*at].stem == sought.stem) {
            next = at + 1;
            if sought.is_significant() || found.is_some() {
                found = Some(words[at].at.end);
            }
        }
    }
    found
}

/// For a text that is only an id: the first read-only operation that takes an id.
pub(super) fn id_only(parsed: &ParsedText, fields: &Map<String, Value>) -> Option<Intent> {
    let [_] = parsed.ids.as_slice() else { return None };
    if parsed.words.iter().filter(|word| word.is_significant()).count() > 2 || !parsed.urls.is_empty() {
        return None;
    }
    let reads = |operation: &&OperationPhrases| {
        operation.entry.effect.read_only && !operation.entry.effect.open_world
    };
    PHRASE_BOOK.operations.iter().filter(reads).find_map(|operation| {
        let phrase = operation.phrases.iter().find(|phrase| phrase.slots == [Slot::Id])?;
        let filling = fill(parsed, operation, phrase, fields).ok()?;
        Some(run(parsed, operation, fields, filling.arguments))
    })
}

/// The operations that share most with the text, at most three.
fn nearest(parsed: &ParsedText) -> Vec<&'static AnyOperation> {
    let words = parsed.words.iter().filter(|word| word.is_significant());
    let stems: BTreeSet<&String> = words.map(|word| &word.stem).collect();
    let weighted = PHRASE_BOOK.operations.iter().map(|operation| {
        let shared = stems.iter().filter(|stem| operation.stems.contains(**stem)).copied();
        let takes = |slot: Slot| operation.phrases.iter().any(|phrase| phrase.slots.contains(&slot));
        let fits =
            (!parsed.urls.is_empty() && takes(Slot::Url)) || (!parsed.ids.is_empty() && takes(Slot::Id));
        (PHRASE_BOOK.weights(shared) + if fits { SLOT_WEIGHT } else { 0.0 }, operation.entry)
    });
    let mut near: Vec<(f64, &'static AnyOperation)> = weighted.filter(|(weight, _)| *weight > 0.0).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, entry)| entry).collect()
}

/// The weight of the URLs and ids of a text.
fn weight_of_picks(parsed: &ParsedText) -> f64 {
    weight_of_slots(parsed.urls.len().min(1) + parsed.ids.len().min(2))
}

fn weight_of_slots(count: usize) -> f64 {
    SLOT_WEIGHT * f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
