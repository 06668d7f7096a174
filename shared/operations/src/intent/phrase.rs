//! The phrases of the catalog, parsed once per process. A parsed phrase contains the significant words and
//! the slots for arguments. The module also counts how many operations use each word. A word that only one
//! operation uses is stronger evidence than a word that many operations use.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::argument_slots::{ArgumentSlots, Slot};
use super::words::{Word, words};
use crate::{AnyOperation, CATALOGUE};

#[derive(Clone, Debug)]
pub(super) struct Phrase {
    /// The stems of its significant words, each once.
    pub(super) stems: Vec<String>,
    pub(super) slots: Vec<Slot>,
    /// The words before and after its text slot.
    pub(super) around_text: (Vec<Word>, Vec<Word>),
    /// Its first significant word: the verb of a request.
    pub(super) verb: String,
}

#[derive(Debug)]
pub(super) struct OperationPhrases {
    pub(super) entry: &'static AnyOperation,
    pub(super) phrases: Vec<Phrase>,
    pub(super) arguments: ArgumentSlots,
    pub(super) stems: HashSet<String>,
}

#[derive(Debug)]
pub(super) struct PhraseBook {
    pub(super) operations: Vec<OperationPhrases>,
    /// How many operations use each stem.
    users: HashMap<String, usize>,
}

/// The weight of an unknown word: low, but enough that a text full of them matches nothing.
const UNKNOWN_WEIGHT: f64 = 0.35;

pub(super) static PHRASE_BOOK: LazyLock<PhraseBook> = LazyLock::new(|| {
    let parsed = |entry: &&'static AnyOperation| {
        let phrases: Vec<Phrase> = entry.phrases.iter().map(|text| parse(text)).collect();
        let stems = phrases.iter().flat_map(|phrase| phrase.stems.clone()).collect();
        OperationPhrases { entry, phrases, arguments: ArgumentSlots::of(entry), stems }
    };
    let operations: Vec<OperationPhrases> = CATALOGUE.iter().map(parsed).collect();
    let mut users = HashMap::new();
    for stem in operations.iter().flat_map(|operation| &operation.stems) {
        *users.entry(stem.clone()).or_default() += 1;
    }
    PhraseBook { operations, users }
});

impl PhraseBook {
    /// The weight of a word: the rarer, the heavier.
    fn weight(&self, stem: &str) -> f64 {
        let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        self.users
            .get(stem)
            .map_or(UNKNOWN_WEIGHT, |users| (1.0 + count(self.operations.len()) / count(*users)).ln())
    }

    pub(super) fn weights<'a>(&self, stems: impl IntoIterator<Item = &'a String>) -> f64 {
        stems.into_iter().map(|stem| self.weight(stem)).sum()
    }
}

fn parse(text: &'static str) -> Phrase {
    let mut slots = Vec::new();
    let mut all: Vec<Word> = Vec::new();
    let mut text_at = None;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        all.extend(words(before));
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let slot = match name {
            "url" => Slot::Url,
            "id" => Slot::Id,
            _ => Slot::Text,
        };
        if slot == Slot::Text {
            text_at.get_or_insert(all.len());
        }
        slots.push(slot);
        rest = after;
    }
    all.extend(words(rest));
    let around_text = text_at.map(|at: usize| (all[..at].to_vec(), all[at..].to_vec())).unwrap_or_default();
    let mut stems: Vec<String> = Vec::new();
    for word in all.iter().filter(|word| word.is_significant()) {
        if !stems.contains(&word.stem) {
            stems.push(word.stem.clone());
        }
    }
    let verb = all.iter().find(|word| word.is_significant()).map(|word| word.low.clone()).unwrap_or_default();
    Phrase { stems, slots, around_text, verb }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrase_consists_of_words_and_placeholders() {
        let ready = parse("please leave a trace on {id}: {text}, thanks");
        assert_eq!(ready.stems, ["leav", "trac"]);
        assert_eq!((ready.slots.as_slice(), ready.verb.as_str()), (&[Slot::Id, Slot::Text][..], "leave"));
        assert_eq!((ready.around_text.0.len(), ready.around_text.1.len()), (5, 1));
    }

    #[test]
    fn rare_word_has_more_weight_than_a_frequent_word() {
        let book = &PHRASE_BOOK;
        assert!(book.weight("registry") < book.weight("register"));
        assert!(book.weight("scor") > book.weight("list"));
        assert!(book.weight("list") > book.weight("no-such-word"));
    }
}
