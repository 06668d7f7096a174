//! Which operation a text means: the one whose phrase shares most words with it, weighted by how rare each word is in
//! the catalogue. An operation that writes additionally needs an explicit request, and a text that matches nothing
//! well enough is reported as unclear.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use serde_json::{Map, Value};
use url::Url;

use super::argument_slots::Slot;
use super::command;
use super::parsed_text::ParsedText;
use super::phrase::{Known, Phrase, PhraseBook};
use super::words::Word;
use crate::AnyOperation;
use registry_model::ListingId;

/// The least share of a phrase, and the least likeness to it, for an operation that reads.
const PHRASE_SHARE: f64 = 0.45;
const LIKENESS: f64 = 0.55;
/// Both limits for a phrase with an empty slot: higher, because asking back is worse than answering.
const HALF_SAID: f64 = 0.6;
/// The weight of a filled slot.
const SLOT: f64 = 1.0;
/// The longest text that goes into a slot, in characters.
const LONGEST_TEXT: usize = 300;

/// What a text may mean.
#[derive(Clone, Debug)]
pub(super) enum Interpretation {
    /// This operation, with these arguments.
    Run(&'static AnyOperation, Map<String, Value>),
    /// This operation, but a slot is empty.
    Missing(&'static AnyOperation, Slot),
    /// A write that is not carried out in this form.
    Refused(&'static AnyOperation, RefusalReason),
    /// No operation; the most similar ones, the best first.
    Unclear(Vec<&'static AnyOperation>),
}

/// Why something that writes is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefusalReason {
    /// The text retracts it, or makes it conditional.
    Retracted,
    /// It names several URLs where one is expected.
    SeveralUrls,
}

struct Candidate {
    likeness: f64,
    interpretation: Interpretation,
    reads: bool,
    /// Asks back although the text does not refer to its sender: only where nothing else matches.
    last_resort: bool,
}

/// Interprets a text; `beside` are the members of data parts that came with it.
pub(super) fn interpret(
    book: &PhraseBook,
    parsed: &ParsedText,
    beside: &Map<String, Value>,
) -> Interpretation {
    if let Some(interpretation) = by_name(book, parsed, beside) {
        return interpretation;
    }
    let mut found: Vec<Candidate> = Vec::new();
    for known in &book.known {
        found
            .extend(known.phrases.iter().filter_map(|phrase| candidate(book, parsed, beside, known, phrase)));
    }
    // The first of the best, reading before writing: the catalogue's order decides between equals.
    let best = found.iter().enumerate().max_by(|(a_at, a), (b_at, b)| {
        let resort = b.last_resort.cmp(&a.last_resort);
        resort.then(a.likeness.total_cmp(&b.likeness)).then(a.reads.cmp(&b.reads)).then(b_at.cmp(a_at))
    });
    match best {
        Some((_, best)) => best.interpretation.clone(),
        None => Interpretation::Unclear(nearest(book, parsed)),
    }
}

/// An operation that is called by its own name in the text.
fn by_name(book: &PhraseBook, parsed: &ParsedText, beside: &Map<String, Value>) -> Option<Interpretation> {
    let (entry, at) = parsed.operation_names.first()?;
    let known = book.known.iter().find(|known| std::ptr::eq(known.entry, *entry))?;
    if !entry.effect.read_only {
        if !parsed.words.get(*at).is_some_and(|_| command::opens_a_request(&parsed.words, *at)) {
            return None;
        }
        if command::is_retracted(&parsed.words, *at, &[]) {
            return Some(Interpretation::Refused(entry, RefusalReason::Retracted));
        }
    }
    let filled = known.phrases.iter().filter_map(|phrase| fill(parsed, known, phrase, beside).ok());
    if let Some(filling) = filled.max_by_key(|filling| filling.arguments.len()) {
        return Some(finish(parsed, known, beside, filling.arguments));
    }
    let slot = known.phrases.first().and_then(|phrase| phrase.slots.first());
    Some(slot.map_or_else(
        || finish(parsed, known, beside, Map::new()),
        |slot| Interpretation::Missing(entry, *slot),
    ))
}

fn candidate(
    book: &PhraseBook,
    parsed: &ParsedText,
    beside: &Map<String, Value>,
    known: &Known,
    phrase: &Phrase,
) -> Option<Candidate> {
    // A text with a URL or an id is about it: what has no use for either is not meant.
    let uses_picks = phrase.slots.iter().any(|slot| matches!(slot, Slot::Url | Slot::Id));
    if picks(parsed) > 0.0 && !uses_picks {
        return None;
    }
    let (interpretation, likeness, last_resort) = match fill(parsed, known, phrase, beside) {
        Ok(filling) => {
            let common = common(book, parsed, known, phrase, Some(&filling))?;
            let finish = || finish(parsed, known, beside, filling.arguments.clone());
            let interpretation = if known.entry.effect.read_only {
                (common.of_phrase >= PHRASE_SHARE && common.likeness >= LIKENESS).then(finish)
            } else {
                write_if_requested(parsed, known, phrase, &common, finish)
            };
            (interpretation?, common.likeness, false)
        }
        Err(slot) => {
            let common = common(book, parsed, known, phrase, None)?;
            if !asks(parsed, known, phrase, &common) {
                return None;
            }
            let of_oneself = parsed.words.iter().any(|word| OF_ONESELF.contains(&word.low.as_str()));
            let last_resort = known.entry.effect.read_only || !of_oneself;
            (Interpretation::Missing(known.entry, slot), common.likeness, last_resort)
        }
    };
    Some(Candidate { likeness, interpretation, reads: known.entry.effect.read_only, last_resort })
}

/// What a phrase and a text have in common.
struct Common {
    /// How many words.
    words: usize,
    /// How much of the phrase is in the text.
    of_phrase: f64,
    /// How much of both is in the other: the harmonic mean, where the text may use any phrase's words of the operation.
    likeness: f64,
}

/// None where no word is shared. Slots count where they are filled.
fn common(
    book: &PhraseBook,
    parsed: &ParsedText,
    known: &Known,
    phrase: &Phrase,
    filling: Option<&Filling>,
) -> Option<Common> {
    let in_a_slot = |word: &&Word| filling.is_some_and(|filling| filling.taken.contains(&word.at.start));
    let said = parsed.words.iter().filter(|word| word.counts() && !in_a_slot(word));
    // In order, so that the sums are the same in every process.
    let stems: BTreeSet<&String> = said.map(|word| &word.stem).collect();
    let shared: Vec<&String> = phrase.stems.iter().filter(|stem| stems.contains(stem)).collect();
    if shared.is_empty() {
        return None;
    }
    let (filled, slots) = filling.map_or((0.0, 0.0), |filling| (filling.weight, share(phrase.slots.len())));
    let meant = stems.iter().filter(|stem| known.stems.contains(**stem)).copied();
    let of_phrase = (book.weights(shared.iter().copied()) + filled) / (book.weights(&phrase.stems) + slots);
    let of_text =
        (book.weights(meant) + filled) / (book.weights(stems.iter().copied()) + slots.max(picks(parsed)));
    let likeness = 2.0 * of_phrase * of_text / (of_phrase + of_text);
    Some(Common { words: shared.len(), of_phrase, likeness })
}

/// The interpretation of a filled phrase that writes; `None` where the text does not request it.
fn write_if_requested(
    parsed: &ParsedText,
    known: &Known,
    phrase: &Phrase,
    common: &Common,
    finish: impl FnOnce() -> Interpretation,
) -> Option<Interpretation> {
    let at = command::requested_verb(&parsed.words, &phrase.verb)?;
    let names_its_object = !phrase.slots.is_empty() || common.words == phrase.stems.len();
    if !names_its_verb(phrase, common) || !names_its_object {
        return None;
    }
    Some(if command::is_retracted(&parsed.words, at, &phrase.stems) {
        Interpretation::Refused(known.entry, RefusalReason::Retracted)
    } else if phrase.slots.contains(&Slot::Url) && parsed.urls.len() > 1 {
        Interpretation::Refused(known.entry, RefusalReason::SeveralUrls)
    } else {
        finish()
    })
}

/// Whether a text matches a phrase well enough, except for its slot, to ask for the missing argument.
fn asks(parsed: &ParsedText, known: &Known, phrase: &Phrase, common: &Common) -> bool {
    if known.entry.effect.read_only {
        return common.of_phrase >= HALF_SAID && common.likeness >= HALF_SAID;
    }
    names_its_verb(phrase, common)
        && common.likeness >= LIKENESS
        && command::requested_verb(&parsed.words, &phrase.verb)
            .is_some_and(|at| !command::is_retracted(&parsed.words, at, &phrase.stems))
}

/// A verb that could mean anything needs another word of its phrase.
fn names_its_verb(phrase: &Phrase, common: &Common) -> bool {
    !command::is_general(&phrase.verb) || common.words > 1
}

/// Words by which a sender refers to itself.
const OF_ONESELF: [&str; 7] = ["me", "my", "mine", "our", "us", "myself", "this"];

/// A phrase's slots, filled.
struct Filling {
    arguments: Map<String, Value>,
    /// Where the words begin that went into a text slot.
    taken: HashSet<usize>,
    /// What the slots weigh.
    weight: f64,
}

/// Fills the slots of a phrase from the text, or returns the first that stays empty.
fn fill(
    parsed: &ParsedText,
    known: &Known,
    phrase: &Phrase,
    beside: &Map<String, Value>,
) -> Result<Filling, Slot> {
    let mut filling = Filling { arguments: Map::new(), taken: HashSet::new(), weight: 0.0 };
    let mut filled = [0_usize; 3];
    for slot in &phrase.slots {
        let nth = filled[*slot as usize];
        filled[*slot as usize] += 1;
        let Some(argument) = known.arguments.argument(*slot, nth) else { return Err(*slot) };
        if beside.contains_key(argument) {
            filling.weight += SLOT;
            continue;
        }
        let found = match slot {
            Slot::Url => parsed.urls.first().cloned().map(|url| (argument, url, SLOT)),
            Slot::Id => listing(parsed, known, nth, argument),
            Slot::Text => {
                let ids_before = filled[Slot::Id as usize];
                // A question may be cut; what is left somewhere is left as it was said, or refused.
                let longest = if known.entry.effect.read_only { LONGEST_TEXT } else { usize::MAX };
                let text = text(parsed, phrase, ids_before, &mut filling.taken);
                text.map(|text| (argument, text.chars().take(longest).collect(), SLOT))
            }
        };
        let Some((argument, value, weight)) = found else { return Err(*slot) };
        filling.arguments.insert(argument.to_owned(), Value::String(value));
        filling.weight += weight;
    }
    Ok(filling)
}

fn finish(
    parsed: &ParsedText,
    known: &Known,
    beside: &Map<String, Value>,
    arguments: Map<String, Value>,
) -> Interpretation {
    let mut arguments = arguments;
    known.arguments.add_incidental(&mut arguments, parsed, beside, known.entry.effect.read_only);
    Interpretation::Run(known.entry, arguments)
}

/// The listing that a text names: by id; by URL, from which the id is derived; by name, where the operation has such
/// an argument. An id weighs more than either substitute.
fn listing<'a>(
    parsed: &ParsedText,
    known: &'a Known,
    nth: usize,
    argument: &'a str,
) -> Option<(&'a str, String, f64)> {
    if let Some(id) = parsed.ids.get(nth) {
        return Some((argument, id.clone(), SLOT));
    }
    if let Some(url) = parsed.urls.get(nth).and_then(|url| Url::parse(url).ok()) {
        return Some((argument, ListingId::of_url(&url).to_string(), SLOT / 2.0));
    }
    Some((known.arguments.name.as_deref()?, parsed.names.first()?.clone(), SLOT / 2.0))
}

/// The text for a text slot: a quotation, else the part of the text where the phrase has its slot; without the ids that
/// went into the slots before it.
fn text(
    parsed: &ParsedText,
    phrase: &Phrase,
    ids_before: usize,
    taken: &mut HashSet<usize>,
) -> Option<String> {
    if parsed.quoted > 0 {
        return parsed.names.first().cloned();
    }
    let (before, after) = &phrase.around_text;
    let start = end_of(&parsed.words, before)?;
    let end = after.iter().find(|word| word.counts()).and_then(|word| {
        parsed.words.iter().filter(|said| said.at.start >= start).find(|said| said.stem == word.stem)
    });
    let place: Range<usize> = start..end.map_or(parsed.text.len(), |word| word.at.start);
    let found = parsed.text.get(place.clone())?;
    let outer = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '-' | '.' | '?' | '!' | ';');
    let ids = parsed.ids.iter().take(ids_before);
    let found = ids.fold(found.trim_matches(outer), |found, id| {
        found.strip_prefix(id.as_str()).map_or(found, |behind| behind.trim_matches(outer))
    });
    if found.is_empty() {
        return None;
    }
    taken.extend(parsed.words.iter().filter(|word| place.contains(&word.at.start)).map(|word| word.at.start));
    Some(found.to_owned())
}

/// Where the words before a slot end in a text, found in order; a stop word only directly after the one before it.
fn end_of(words: &[Word], before: &[Word]) -> Option<usize> {
    let (mut next, mut found) = (0, None);
    for sought in before {
        let within = if sought.counts() { words.len() } else { (next + 2).min(words.len()) };
        let at = (next..within).find(|at| words[*at].stem == sought.stem);
        if let Some(at) = at {
            next = at + 1;
            if sought.counts() || found.is_some() {
                found = Some(words[at].at.end);
            }
        }
    }
    found
}

/// For an id and nothing else: the first operation that only reads and takes an id.
pub(super) fn alone(
    book: &PhraseBook,
    parsed: &ParsedText,
    beside: &Map<String, Value>,
) -> Option<Interpretation> {
    let [_] = parsed.ids.as_slice() else { return None };
    if parsed.words.iter().filter(|word| word.counts()).count() > 2 || !parsed.urls.is_empty() {
        return None;
    }
    let reads = |known: &&Known| known.entry.effect.read_only && !known.entry.effect.open_world;
    book.known.iter().filter(reads).find_map(|known| {
        let phrase = known.phrases.iter().find(|phrase| phrase.slots == [Slot::Id])?;
        let filling = fill(parsed, known, phrase, beside).ok()?;
        Some(finish(parsed, known, beside, filling.arguments))
    })
}

/// The operations that share most with the text, at most three.
fn nearest(book: &PhraseBook, parsed: &ParsedText) -> Vec<&'static AnyOperation> {
    let stems: BTreeSet<&String> =
        parsed.words.iter().filter(|word| word.counts()).map(|word| &word.stem).collect();
    let mut near: Vec<(f64, &'static AnyOperation)> = book
        .known
        .iter()
        .map(|known| {
            let shared = stems.iter().filter(|stem| known.stems.contains(**stem)).copied();
            let takes = |slot: Slot| known.phrases.iter().any(|phrase| phrase.slots.contains(&slot));
            let fits =
                (!parsed.urls.is_empty() && takes(Slot::Url)) || (!parsed.ids.is_empty() && takes(Slot::Id));
            (book.weights(shared) + if fits { SLOT } else { 0.0 }, known.entry)
        })
        .filter(|(weight, _)| *weight > 0.0)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, entry)| entry).collect()
}

/// The weight of the URLs and ids of a text.
fn picks(parsed: &ParsedText) -> f64 {
    share(parsed.urls.len().min(1) + parsed.ids.len().min(2))
}

fn share(slots: usize) -> f64 {
    SLOT * f64::from(u32::try_from(slots).unwrap_or(u32::MAX))
}
