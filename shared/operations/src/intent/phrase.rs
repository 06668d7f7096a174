//! The phrases of the catalogue, prepared once per process: the words that count, the slots, and how rare each word is
//! among all operations. A word that only one operation uses is stronger evidence than one that many share.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::argument_slots::{ArgumentSlots, Slot};
use super::words::{Word, words};
use crate::{AnyOperation, CATALOGUE};

/// A phrase, prepared for matching.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    /// The stems that count, each once.
    pub(super) stems: Vec<String>,
    /// Its slots in order.
    pub(super) slots: Vec<Slot>,
    /// The words before and after its text slot.
    pub(super) around_text: (Vec<Word>, Vec<Word>),
    /// Its first word that counts, as it is written: the verb of a request.
    pub(super) verb: String,
}

/// An operation with its phrases.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) entry: &'static AnyOperation,
    pub(super) phrases: Vec<Phrase>,
    pub(super) arguments: ArgumentSlots,
    /// All stems of its phrases.
    pub(super) stems: HashSet<String>,
}

/// All operations, and how many use each word.
#[derive(Debug)]
pub(super) struct PhraseBook {
    pub(super) known: Vec<Known>,
    users: HashMap<String, usize>,
}

/// The weight of an unknown word: low, but enough that a text full of them matches nothing.
const UNKNOWN: f64 = 0.35;

static CATALOGUES: LazyLock<PhraseBook> = LazyLock::new(|| PhraseBook::of(CATALOGUE));

impl PhraseBook {
    /// The book of the catalogue.
    pub(super) fn own() -> &'static Self {
        &CATALOGUES
    }

    pub(super) fn of(entries: &'static [&'static AnyOperation]) -> Self {
        let known: Vec<Known> = entries
            .iter()
            .map(|entry| {
                let phrases: Vec<Phrase> = entry.phrases.iter().map(|said| phrase(said)).collect();
                let stems = phrases.iter().flat_map(|phrase| phrase.stems.clone()).collect();
                Known { entry, phrases, arguments: ArgumentSlots::of(entry), stems }
            })
            .collect();
        let mut users = HashMap::new();
        for stem in known.iter().flat_map(|known| &known.stems) {
            *users.entry(stem.clone()).or_default() += 1;
        }
        Self { known, users }
    }

    /// The weight of a word: the rarer, the heavier.
    pub(super) fn weight(&self, stem: &str) -> f64 {
        let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        self.users.get(stem).map_or(UNKNOWN, |users| (1.0 + count(self.known.len()) / count(*users)).ln())
    }

    /// The sum of the weights of several words.
    pub(super) fn weights<'a>(&self, stems: impl IntoIterator<Item = &'a String>) -> f64 {
        stems.into_iter().map(|stem| self.weight(stem)).sum()
    }
}

fn phrase(said: &'static str) -> Phrase {
    let mut slots = Vec::new();
    let mut all: Vec<Word> = Vec::new();
    let mut text_at = None;
    let mut rest = said;
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
    let around_text = match text_at {
        Some(at) => (all[..at].to_vec(), all[at..].to_vec()),
        None => (Vec::new(), Vec::new()),
    };
    let mut stems: Vec<String> = Vec::new();
    for word in all.iter().filter(|word| word.counts()) {
        if !stems.contains(&word.stem) {
            stems.push(word.stem.clone());
        }
    }
    let verb = all.iter().find(|word| word.counts()).map(|word| word.low.clone()).unwrap_or_default();
    Phrase { stems, slots, around_text, verb }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_its_words_and_slots() {
        let ready = phrase("please leave a trace on {id}: {text}, thanks");
        assert_eq!(ready.stems, ["leav", "trac"]);
        assert_eq!((ready.slots.as_slice(), ready.verb.as_str()), (&[Slot::Id, Slot::Text][..], "leave"));
        assert_eq!((ready.around_text.0.len(), ready.around_text.1.len()), (5, 1));
    }

    #[test]
    fn a_rare_word_says_more() {
        let book = PhraseBook::own();
        assert!(book.weight("registry") < book.weight("register"));
        assert!(book.weight("scor") > book.weight("list"));
        assert!(book.weight("list") > book.weight("no-such-word"));
    }
}
