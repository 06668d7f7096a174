//! Finds the operation whose examples mean the same as a message. The vectors of both are compared, without what goes into
//! the slots of the example. To run an operation that writes, the message must also contain its verb where a request has it.

use std::collections::HashSet;
use std::ops::Range;

use registry_search::embedding::{dot, normalized};
use serde_json::{Map, Value, json};
use url::Url;

use super::Intent;
use super::argument_slots::Slot;
use super::command;
use super::examples::{EXAMPLE_BOOK, Example, OperationExamples, sum};
use super::parsed_text::ParsedText;
use super::words::Word;
use crate::{CHECK_STATUS, MATCH_CAPABILITY};
use registry_model::ListingId;

/// The similarity from which a message means the same as an example. It is lower the more of the words the examples contain,
/// because other words say what is searched for. It is also lower for a message with an id or a URL.
const MIN_SIMILARITY: f32 = 0.65;
const LESS_IF_KNOWN: f32 = 0.15;
const MIN_WITH_PICK: f32 = 0.45;
/// The similarity of a clear match: needed for a question, for a listing that is named by its name, and for a request that
/// begins with a negation.
const MIN_CLEAR: f32 = 0.7;
/// Added for the verb of an operation that writes, and subtracted for a worse match of the slots.
const STEP: f32 = 0.1;

/// Significant words of a long message.
const LONG_WORDS: usize = 8;

/// The longest text in a slot of a read-only operation.
const MAX_QUERY_CHARS: usize = 300;
/// Words of a message that are compared.
const MAX_WORDS: usize = 256;

pub(super) const RETRACTED: &str = "The message cancels this request or adds a condition to it.";
const NOT_REQUESTED: &str = "The message mentions this, but does not request it.";
const SEVERAL_URLS: &str = "The message contains several URLs, but only one is accepted at a time.";

struct Message<'a> {
    parsed: &'a ParsedText,
    fields: &'a Map<String, Value>,
    stems: HashSet<&'a str>,
    vectors: Vec<(usize, Vec<f32>)>,
    sum: Vec<f32>,
    has_picks: bool,
    /// Whether it has many words.
    is_long: bool,
    /// The least similarity.
    least: f32,
    /// Where it may have the verb of a request.
    openings: Vec<usize>,
    /// Whether it contains a question.
    asks: bool,
    /// Whether a question asks the registry to do something: "can you ...?"
    asks_us: bool,
}

impl<'a> Message<'a> {
    fn of(parsed: &'a ParsedText, fields: &'a Map<String, Value>) -> Self {
        let all = &parsed.words;
        let words = all.iter().filter(|word| !command::is_thanks(all, word.sentence)).take(MAX_WORDS);
        let vectors: Vec<_> = words.map(|word| (word.at.start, EXAMPLE_BOOK.vector(word))).collect();
        let significant = all.iter().filter(|word| word.is_significant());
        let has_picks = !parsed.ids.is_empty() || !parsed.urls.is_empty();
        let known = EXAMPLE_BOOK.known(all.iter());
        Self {
            least: if has_picks { MIN_WITH_PICK } else { MIN_SIMILARITY - LESS_IF_KNOWN * known },
            has_picks,
            is_long: all.iter().filter(|word| word.is_significant()).count() >= LONG_WORDS,
            parsed,
            fields,
            stems: significant.map(|word| word.stem.as_str()).collect(),
            sum: normalized(sum(vectors.iter().map(|(_, vector)| vector))),
            vectors,
            openings: command::openings(all).collect(),
            asks: command::asks(&parsed.text, all),
            asks_us: command::asks_us(all),
        }
    }

    /// Without the words that are in slots.
    fn similarity(&self, example: &Example, used_words: &HashSet<usize>) -> f32 {
        if used_words.is_empty() {
            return dot(&self.sum, &example.vector);
        }
        let others = self.vectors.iter().filter(|(start, _)| !used_words.contains(start));
        dot(&normalized(sum(others.map(|(_, vector)| vector))), &example.vector)
    }

    /// The similarity of the clause that contains the word at `at`.
    fn clause(&self, example: &Example, at: usize) -> f32 {
        let words = &self.parsed.words;
        let start = (0..=at).rev().find(|at| words[*at].starts_clause).unwrap_or(at);
        let end = (at + 1..words.len()).find(|at| words[*at].starts_clause).unwrap_or(words.len());
        let clause = words[start].at.start..words[end - 1].at.end;
        let inside = self.vectors.iter().filter(|(start, _)| clause.contains(start));
        dot(&normalized(sum(inside.map(|(_, vector)| vector))), &example.vector)
    }

    fn words_at(&self, starts: &HashSet<usize>) -> impl Iterator<Item = &Word> {
        self.parsed.words.iter().filter(|word| starts.contains(&word.at.start))
    }
}

/// Interprets a text; `fields` are the arguments in the data parts of the same message.
pub(super) fn interpret(parsed: &ParsedText, fields: &Map<String, Value>) -> Intent {
    if let Some(intent) = by_name(parsed, fields) {
        return intent;
    }
    let message = Message::of(parsed, fields);
    let candidates = EXAMPLE_BOOK.operations.iter().flat_map(|operation| {
        let verb = if operation.entry.effect.read_only { None } else { verb(&message, operation) };
        let message = &message;
        operation.examples.iter().filter_map(move |example| candidate(message, operation, example, verb))
    });
    let greets = EXAMPLE_BOOK.help.iter().map(|help| (dot(&message.sum, help), Intent::Greeting));
    let greets = greets.filter(|(score, _)| *score >= message.least && !message.has_picks);
    // The first of the best: the order of the catalog decides between equals.
    let best = candidates.chain(greets).reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map_or(Intent::Unclear, |(_, intent)| intent)
}

/// What a message without a known request means: a question about a listing if it contains an id, else a search.
pub(super) fn fallback(parsed: &ParsedText) -> Intent {
    if let Some(id) = parsed.ids.first() {
        return Intent::Run(&CHECK_STATUS, json!({ "id": id }));
    }
    if parsed.urls.is_empty() && !parsed.text.is_empty() {
        return Intent::Run(&MATCH_CAPABILITY, json!({ "q": parsed.text }));
    }
    Intent::Unclear
}

/// An operation that the text calls by its name.
fn by_name(parsed: &ParsedText, fields: &Map<String, Value>) -> Option<Intent> {
    let (entry, at) = parsed.operation_names.first()?;
    let operation = EXAMPLE_BOOK.operations.iter().find(|operation| std::ptr::eq(operation.entry, *entry))?;
    if !entry.effect.read_only {
        let asks = command::asks(&parsed.text, &parsed.words) && !command::asks_us(&parsed.words);
        if asks || !parsed.words.get(*at).is_some_and(|_| command::opens_a_request(&parsed.words, *at)) {
            return None;
        }
        if command::is_retracted(&parsed.words, *at, &HashSet::new()) {
            return Some(Intent::Refused(entry, RETRACTED));
        }
    }
    let message = Message::of(parsed, fields);
    let filled = operation.examples.iter().filter(|example| example.implied.is_empty());
    let filled = filled.filter_map(|example| fill(&message, operation, example).ok());
    if let Some(filling) = filled.max_by_key(|filling| filling.arguments.len()) {
        return Some(run(&message, operation, filling.arguments));
    }
    let slot = operation.examples.first().and_then(|example| example.slots.first());
    Some(slot.map_or_else(|| run(&message, operation, Map::new()), |slot| Intent::Missing(entry, *slot)))
}

/// The intent for one example, with its score; `None` if the message does not mean it.
fn candidate(
    message: &Message<'_>,
    operation: &OperationExamples,
    example: &Example,
    verb: Option<Verb>,
) -> Option<(f32, Intent)> {
    let takes = example.slots.iter().filter(|slot| matches!(slot, Slot::Url | Slot::Id)).count();
    // A text with a URL or an id is about it.
    if message.has_picks && takes == 0 {
        return None;
    }
    let (entry, writes) = (operation.entry, !operation.entry.effect.read_only);
    let verb = if example.negation { negation(message) } else { verb }.filter(|_| writes);
    let (filling, none) = (fill(message, operation, example), HashSet::new());
    let used_words = filling.as_ref().map_or(&none, |filling| &filling.used_words);
    let similarity = message.similarity(example, used_words);
    // The other clauses of a request may be about something else: "We just started, so kindly register it."
    let similarity = verb.map_or(similarity, |verb| similarity.max(message.clause(example, verb.at)));
    let names_object = verb.is_some_and(|verb| names_object(message, example, verb.at, used_words));
    let retracted = verb.is_some_and(|verb| verb.retracted);
    // "When did it last answer? I do not want to call it." is a question, and not a request that is taken back.
    if retracted && message.asks {
        return None;
    }
    // "Should I endorse it?" asks for advice; only "could you endorse it?" is a request.
    if writes && message.asks && (verb.is_none() || !message.asks_us) {
        return None;
    }
    let filling = match filling {
        Ok(filling) => filling,
        Err(slot) => {
            // Only the second id may be missing.
            let lacks_all = !message.has_picks || (takes == 2 && !message.parsed.ids.is_empty());
            let least = if writes { message.least - STEP / 2.0 } else { MIN_CLEAR };
            if !lacks_all || similarity < least || names_object != writes {
                return None;
            }
            let intent =
                if retracted { Intent::Refused(entry, RETRACTED) } else { Intent::Missing(entry, slot) };
            return Some((if writes { similarity + STEP } else { similarity - STEP / 2.0 }, intent));
        }
    };
    // The text of a query is about something else than the registry.
    let query = filling.used_words.iter().filter(|_| !writes && example.slots.contains(&Slot::Text));
    let known = EXAMPLE_BOOK.known(message.words_at(&query.copied().collect()));
    let unused = message.parsed.ids.len().saturating_sub(takes.max(1)).min(1);
    // Of two equals, the one that takes more from the message is better.
    let taken = example.slots.len() as f32 / 10.0;
    let misfit = if filling.guessed { 1.0 } else { 0.0 } + unused as f32 + 2.0 * known - taken;
    let bonus = match (writes, verb) {
        (false, _) => 0.0,
        (true, None) => -2.0,
        (true, Some(_)) => {
            if retracted {
                3.0
            } else {
                1.0
            }
        }
    };
    let score = similarity + STEP * (bonus - misfit);
    let is_close = match (retracted, filling.guessed) {
        (true, _) => score >= MIN_WITH_PICK,
        (false, true) => similarity >= if message.has_picks { MIN_SIMILARITY } else { MIN_CLEAR },
        // A long message is more often a need than a question about the registry.
        (false, false) if !writes && example.slots.is_empty() && message.is_long => {
            similarity >= message.least + STEP
        }
        (false, false) => similarity >= message.least,
    };
    if !is_close {
        return None;
    }
    let is_whole = (takes > 0 && !example.negation)
        || example.stems.iter().all(|stem| message.stems.contains(stem.as_str()));
    let guessed = filling.guessed && operation.arguments.argument(Slot::Url, 0).is_none();
    let unclear = example.negation && similarity < MIN_CLEAR;
    let intent = match verb {
        _ if retracted => Intent::Refused(entry, RETRACTED),
        None if writes && example.slots.contains(&Slot::Text) => return None,
        None if writes => Intent::Refused(entry, NOT_REQUESTED),
        Some(_) if !names_object || !is_whole || guessed || unclear => return None,
        Some(_) if example.slots.contains(&Slot::Url) && message.parsed.urls.len() > 1 => {
            Intent::Refused(entry, SEVERAL_URLS)
        }
        _ => run(message, operation, example.implied.clone().into_iter().chain(filling.arguments).collect()),
    };
    Some((score, intent))
}

#[derive(Clone, Copy)]
struct Verb {
    at: usize,
    retracted: bool,
}

/// The verb with which a message requests an operation; otherwise a verb that it negates or makes conditional.
fn verb(message: &Message<'_>, operation: &OperationExamples) -> Option<Verb> {
    let words = &message.parsed.words;
    let own: HashSet<String> = operation.verbs.iter().map(|verb| registry_search::stem(verb)).collect();
    let found = (0..words.len()).filter(|at| operation.verbs.contains(&words[*at].low));
    let found = found.map(|at| Verb { at, retracted: command::is_retracted(words, at, &own) });
    let is_general = |verb: &Verb| command::is_general(&words[verb.at].low);
    let requests =
        found.filter(|verb| message.openings.contains(&verb.at) || (verb.retracted && !is_general(verb)));
    requests.min_by_key(|verb| (is_general(verb), !message.openings.contains(&verb.at)))
}

/// The negation with which a message begins: "do not write to us again".
fn negation(message: &Message<'_>) -> Option<Verb> {
    let at =
        message.openings.iter().copied().find(|at| command::is_negation(&message.parsed.words[*at].low))?;
    Some(Verb { at, retracted: false })
}

/// A general verb needs another word of its example, unless both have no other.
fn names_object(message: &Message<'_>, example: &Example, verb: usize, used_words: &HashSet<usize>) -> bool {
    let verb = &message.parsed.words[verb];
    let others = message.parsed.words.iter().filter(|word| word.is_significant() && word.stem != verb.stem);
    let mut others = others.filter(|word| !used_words.contains(&word.at.start)).peekable();
    !command::is_general(&verb.low)
        || (others.peek().is_none() && example.stems.len() <= 1)
        || others.any(|word| example.stems.contains(&word.stem))
}

struct Filling {
    arguments: Map<String, Value>,
    /// Where the words begin that went into a slot.
    used_words: HashSet<usize>,
    /// Whether a listing is named by its URL or its name.
    guessed: bool,
}

/// Fills the slots of an example from the text, or returns the first that stays empty.
fn fill(message: &Message<'_>, operation: &OperationExamples, example: &Example) -> Result<Filling, Slot> {
    let parsed = message.parsed;
    let mut filling = Filling { arguments: Map::new(), used_words: HashSet::new(), guessed: false };
    let mut filled = [0_usize; 4];
    for slot in &example.slots {
        let nth = filled[*slot as usize];
        filled[*slot as usize] += 1;
        let argument = operation.arguments.argument(*slot, nth).ok_or(*slot)?;
        if message.fields.contains_key(argument) {
            continue;
        }
        let (argument, value) = match slot {
            Slot::Url => (argument, parsed.urls.first().cloned()),
            Slot::Token => (argument, parsed.tokens.first().cloned()),
            Slot::Id => match parsed.ids.get(nth) {
                Some(id) => (argument, Some(id.clone())),
                None => listing(parsed, operation, nth, argument, &mut filling),
            },
            Slot::Text => {
                let ids_before = filled[Slot::Id as usize];
                // A query may be cut; a text to store is passed on in full, or refused.
                let limit = if operation.entry.effect.read_only { MAX_QUERY_CHARS } else { usize::MAX };
                let text = text(parsed, example, ids_before, &mut filling.used_words);
                (argument, text.map(|text| text.chars().take(limit).collect()))
            }
        };
        filling.arguments.insert(argument.to_owned(), Value::String(value.ok_or(*slot)?));
    }
    Ok(filling)
}

fn run(message: &Message<'_>, operation: &OperationExamples, mut arguments: Map<String, Value>) -> Intent {
    let read_only = operation.entry.effect.read_only;
    // A question such as "which agent does this?" has no slot: all of it is the query.
    if operation.entry.name == MATCH_CAPABILITY.name && arguments.is_empty() {
        return fallback(message.parsed);
    }
    operation.arguments.add_incidental(&mut arguments, message.parsed, message.fields, read_only);
    Intent::Run(operation.entry, Value::Object(arguments))
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
    filling.guessed = true;
    if let Some(url) = parsed.urls.get(nth).and_then(|url| Url::parse(url).ok()) {
        return (argument, Some(ListingId::of_url(&url).to_string()));
    }
    let (Some(argument), Some(name)) = (operation.arguments.name.as_deref(), parsed.names.first()) else {
        return (argument, None);
    };
    if let Some(start) = parsed.text.find(name) {
        filling.used_words.extend(parsed.words_in(start..start + name.len()));
    }
    (argument, Some(name.clone()))
}

/// The text for a text slot: a quotation, else the part of the text at the slot's position in the example, without the
/// ids that went into the slots before it.
fn text(
    parsed: &ParsedText,
    example: &Example,
    ids_before: usize,
    used_words: &mut HashSet<usize>,
) -> Option<String> {
    if parsed.quoted > 0 {
        return parsed.names.first().cloned();
    }
    let (before, after) = &example.around_text;
    let ids = parsed.ids.iter().take(ids_before);
    let ids_end = ids.clone().filter_map(|id| Some(parsed.text.find(id.as_str())? + id.len())).max();
    let start = end_of(&parsed.words, before)?.max(ids_end.unwrap_or(0));
    let end = after.iter().find(|word| word.is_significant()).and_then(|word| {
        parsed.words.iter().filter(|other| other.at.start >= start).find(|other| other.stem == word.stem)
    });
    let range: Range<usize> = start..end.map_or(parsed.text.len(), |word| word.at.start);
    let found = parsed.text.get(range.clone())?;
    let outer = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '-' | '.' | '?' | '!' | ';');
    let found = found.trim_matches(outer);
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
