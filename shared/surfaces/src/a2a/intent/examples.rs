//! The sentences of all operations, parsed once per process.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::a2a::intent::argument_slots::{ArgumentSlots, Slot};
use crate::a2a::intent::command;
use crate::a2a::intent::sentences;
use crate::a2a::intent::words::{Word, words};
use registry_features::listing::operations::{ARD_SEARCH, MATCH_CAPABILITY};
use registry_features::{AnyOperation, CATALOGUE};

#[derive(Clone, Debug)]
pub(super) struct Example {
    pub(super) stems: HashSet<String>,
    pub(super) slots: Vec<Slot>,
    /// The words before and after its text slot.
    pub(super) around_text: (Vec<Word>, Vec<Word>),
    pub(super) implied: Map<String, Value>,
    /// Whether it begins with a negation, such as "do not write to {id}".
    pub(super) negation: bool,
}

#[derive(Debug)]
pub(super) struct OperationExamples {
    pub(super) entry: &'static AnyOperation,
    pub(super) examples: Vec<Example>,
    pub(super) arguments: ArgumentSlots,
    pub(super) is_search: bool,
    /// The verbs with which its examples begin, except those of a negation.
    pub(super) verbs: HashSet<String>,
    /// The verbs of its negations: `write` in "do not write to {id}".
    pub(super) negated_verbs: HashSet<String>,
}

/// The examples of all operations, in the order of the catalog.
pub(super) static EXAMPLES: LazyLock<Vec<OperationExamples>> = LazyLock::new(|| {
    let operations = CATALOGUE.iter().copied().map(|entry| {
        let parsed: Vec<_> = sentences::all(entry.described).map(parse).collect();
        let verbs = |negation: bool| -> HashSet<String> {
            let examples = parsed.iter().filter(|(_, example)| example.negation == negation);
            examples.flat_map(|(words, _)| command::verbs(words)).collect()
        };
        let (verbs, negated_verbs) = (verbs(false), verbs(true));
        let examples = parsed.into_iter().map(|(_, example)| example).collect();
        let is_search = [&MATCH_CAPABILITY, &ARD_SEARCH].iter().any(|search| std::ptr::eq(*search, entry));
        let arguments = ArgumentSlots::of(entry);
        OperationExamples { entry, examples, arguments, is_search, verbs, negated_verbs }
    });
    operations.collect()
});

impl OperationExamples {
    pub(super) fn of(entry: &AnyOperation) -> Option<&'static Self> {
        EXAMPLES.iter().find(|operation| std::ptr::eq(operation.entry, entry))
    }
}

pub(super) fn parse(text: &str) -> (Vec<Word>, Example) {
    let (mut rest, implied) = text.split_once(" => ").unwrap_or((text, ""));
    let implied = implied.split(' ').filter_map(|pair| pair.split_once('=')).map(|(name, value)| {
        (name.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned())))
    });
    let (mut slots, mut all, mut text_at) = (Vec::new(), Vec::new(), None);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        all.extend(part(before, all.len()));
        slots.push(Slot::named(name));
        if slots.last() == Some(&Slot::Text) {
            text_at.get_or_insert(all.len());
        }
        rest = after;
    }
    all.extend(part(rest, all.len()));
    let around_text = text_at.map(|at: usize| (all[..at].to_vec(), all[at..].to_vec())).unwrap_or_default();
    let negation = all.iter().take(2).any(|word| command::is_negation(&word.low));
    let stems = all.iter().filter(|word| word.is_significant()).map(|word| word.stem.clone()).collect();
    (all, Example { stems, slots, around_text, implied: implied.collect(), negation })
}

/// The words between two slots. Only a mark starts a new clause after a slot.
fn part(text: &str, earlier: usize) -> Vec<Word> {
    let mut words = words(text);
    if let Some(first) = words.first_mut().filter(|_| earlier > 0) {
        first.starts_clause = text.trim_start().starts_with([',', ':', ';']);
    }
    words
}
