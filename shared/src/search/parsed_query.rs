//! What a question comes to: terms, one for each word that matters, each with the stems that may answer it and how well
//! they do: the word itself, what it was meant to be, its synonyms, it joined with its neighbour or taken apart.

use super::index::Index;
use super::phrasebook::{self, PhraseMatch};
use super::stop_words::{is_generic, is_stop_word};
use super::words::{stem, words};
use super::{embedding, kind_intent, spelling, synonyms};
use crate::model::Kind;

/// How well a stem answers a term, beside 1 for the word itself.
const MEANT: f32 = 0.85;
const JOINED: f32 = 0.9;
const TAKEN_APART: f32 = 0.6;
const SYNONYM: f32 = 0.5;
/// So much where a need that it belongs to may be behind the question, and so much more where that is certain.
const PHRASE: f32 = 0.25;
const CERTAIN_PHRASE: f32 = 0.25;
/// So much of how likely a need is the question turns towards what the need is about.
const TOWARDS_PHRASE: f32 = 1.0;
/// So much of how near its meaning is.
const RELATED: f32 = 0.8;

/// With every slip a corrected word says so much less.
const TRUST: f32 = 0.8;
/// A word that so many listings bear needs no companions.
const COMMON: u32 = 50;

/// Two neighbours are one word where so many listings write them so.
const WRITTEN_AS_ONE: u32 = 3;
/// A word that fewer listings bear may be two.
const UNCOMMON: u32 = 3;
/// Its halves must each be written by so many.
const WRITTEN_APART: u32 = 5;
/// The shortest word that is taken apart, and its shortest half, in letters.
const LONG: usize = 6;
const HALF: usize = 3;
/// At most so many words of a question matter: later ones are left out.
const MAX_TERMS: usize = 48;

/// A word of a question, and what answers it.
#[derive(Clone, Debug)]
pub(super) struct QueryTerm {
    /// The word as it was asked.
    pub(super) word: String,
    /// How much it says, 1 being usual.
    pub(super) weight: f32,
    /// The stems that answer it, each once, and how well from 0 to 1.
    pub(super) stems: Vec<(String, f32)>,
    /// The word, spelt right.
    pub(super) spelling: String,
    corrected: bool,
}

/// A question, understood.
#[derive(Clone, Debug)]
pub(super) struct ParsedQuery {
    /// Its words that matter.
    pub(super) terms: Vec<QueryTerm>,
    /// The kind that it asks for.
    pub(super) kind: Option<Kind>,
    /// All its words, spelt right.
    pub(super) text: String,
    /// What it is about; nothing where no word of it is known.
    pub(super) vector: Option<Vec<f32>>,
    /// What may be behind it.
    pub(super) phrase_matches: Vec<PhraseMatch>,
    /// Whether any was not.
    pub(super) corrected: bool,
}

impl ParsedQuery {
    /// Understands a question by what there is to find.
    pub(super) fn of(text: &str, index: &Index) -> Self {
        let asked = words(text);
        let mut matter: Vec<&String> = asked.iter().filter(|word| says_something(word)).collect();
        if matter.iter().any(|word| !is_generic(word)) {
            matter.retain(|word| !is_generic(word));
        }
        matter.truncate(MAX_TERMS);
        let mut terms: Vec<QueryTerm> = matter.into_iter().map(|word| QueryTerm::of(word, index)).collect();
        join_adjacent(&mut terms, index);
        for term in &mut terms {
            term.split_compound(index);
        }
        let spelling: Vec<String> = asked
            .iter()
            .map(|word| {
                let corrected = terms.iter().find(|term| term.corrected && term.word == *word);
                corrected.map_or_else(|| word.clone(), |term| term.spelling.clone())
            })
            .collect();
        add_synonyms(&mut terms, &spelling);
        terms.iter_mut().for_each(|term| term.add_related_terms(index));
        let corrected = terms.iter().any(|term| term.corrected);
        let said = spelling.join(" ");
        let about = embedding::vector(&said);
        let phrase_matches = about.as_deref().map(phrasebook::matches).unwrap_or_default();
        let towards = |one: &PhraseMatch| (one.terms.vector.as_slice(), TOWARDS_PHRASE * one.likelihood);
        let vector = about.map(|about| embedding::moved_towards(about, phrase_matches.iter().map(towards)));
        Self {
            kind: kind_intent::of(text),
            text: said,
            vector,
            phrase_matches,
            corrected,
            terms: each_once(terms),
        }
    }

    /// What answers one of its terms, each stem once, and how well: its own stems, and those of the needs behind all.
    pub(super) fn expansions<'a>(&'a self, term: &'a QueryTerm) -> Vec<(&'a str, f32)> {
        let mut answers: Vec<(&str, f32)> = term.stems.iter().map(|(stem, well)| (&**stem, *well)).collect();
        for PhraseMatch { terms, likelihood } in &self.phrase_matches {
            for stem in &terms.stems {
                let here = PHRASE + CERTAIN_PHRASE * likelihood;
                match answers.iter_mut().find(|(known, _)| known == stem) {
                    Some((_, well)) => *well = well.max(here),
                    None => answers.push((stem, here)),
                }
            }
        }
        answers
    }
}

impl QueryTerm {
    fn of(word: &str, index: &Index) -> Self {
        let mut term = Self {
            word: word.to_owned(),
            weight: 1.0,
            stems: vec![(stem(word), 1.0)],
            spelling: word.to_owned(),
            corrected: false,
        };
        let mut trust = 1.0;
        if let Some((spelling, edits)) = spelling::corrected(index, word) {
            let known = index.doc_freq(&stem(word)) > 0;
            term.accept(stem(spelling), if known { MEANT } else { 1.0 });
            term.corrected = true;
            term.spelling = spelling.to_owned();
            trust = (0..edits).fold(1.0, |trust, _| trust * TRUST);
        }
        term.weight = embedding::weight(&term.spelling).clamp(0.3, 2.0) * trust;
        term
    }

    /// The stems of the word itself, however it is spelt or joined.
    pub(super) fn own_stems(&self) -> impl Iterator<Item = &String> {
        self.stems.iter().filter(|(_, how_well)| *how_well >= MEANT).map(|(stem, _)| stem)
    }

    /// Lets a stem answer this term, at least this well.
    fn accept(&mut self, stem: String, how_well: f32) {
        match self.stems.iter_mut().find(|(known, _)| *known == stem) {
            Some((_, well)) => *well = well.max(how_well),
            None => self.stems.push((stem, how_well)),
        }
    }

    /// A rare word that has no synonyms is also answered by the words of the catalogue that are nearest in embedding.
    fn add_related_terms(&mut self, index: &Index) {
        let own = stem(&self.spelling);
        if index.doc_freq(&own) >= COMMON || !synonyms::of(std::slice::from_ref(&own)).is_empty() {
            return;
        }
        for (stem, near) in index.related_terms(&self.spelling, &own) {
            self.accept(stem, RELATED * near);
        }
    }

    /// `googledrive` is `google drive`, where listings write those and not this.
    fn split_compound(&mut self, index: &Index) {
        let word = self.word.clone();
        let long = word.len() >= LONG && word.is_ascii();
        if self.corrected || !long || index.doc_freq(&stem(&word)) >= UNCOMMON {
            return;
        }
        let cuts = HALF..=word.len() - HALF;
        let written = |cut: &usize| index.word_freq(&word[..*cut]).min(index.word_freq(&word[*cut..]));
        let Some(cut) = cuts.max_by_key(|cut| (written(cut), *cut)) else { return };
        if written(&cut) >= WRITTEN_APART {
            self.accept(stem(&word[..cut]), TAKEN_APART);
            self.accept(stem(&word[cut..]), TAKEN_APART);
        }
    }
}

/// `git hub` is `github`, where listings write it so.
fn join_adjacent(terms: &mut [QueryTerm], index: &Index) {
    for first in 1..terms.len() {
        let pair = first - 1..=first;
        let joined: String = terms[pair.clone()].iter().map(|term| term.spelling.as_str()).collect();
        if index.word_freq(&joined) >= WRITTEN_AS_ONE {
            for term in &mut terms[pair] {
                term.accept(stem(&joined), JOINED);
            }
        }
    }
}

/// Adds what may stand for each word, and for each phrase to all its words. Phrases are looked for among all words.
fn add_synonyms(terms: &mut [QueryTerm], spelling: &[String]) {
    let stems: Vec<String> = spelling.iter().map(|word| stem(word)).collect();
    let own: Vec<String> = terms.iter().map(|term| stem(&term.spelling)).collect();
    for length in 1..=synonyms::LONGEST {
        for phrase in stems.windows(length) {
            let others = synonyms::of(phrase);
            for (term, _) in terms.iter_mut().zip(&own).filter(|(_, own)| phrase.contains(own)) {
                for other in others {
                    term.accept(other.clone(), SYNONYM);
                }
            }
        }
    }
}

/// A word said twice matters once.
fn each_once(terms: Vec<QueryTerm>) -> Vec<QueryTerm> {
    let mut once: Vec<QueryTerm> = Vec::with_capacity(terms.len());
    for term in terms {
        let set = |term: &QueryTerm| {
            let mut stems: Vec<String> = term.stems.iter().map(|(stem, _)| stem.clone()).collect();
            stems.sort();
            stems
        };
        if !once.iter().any(|known| set(known) == set(&term)) {
            once.push(term);
        }
    }
    once
}

fn says_something(word: &str) -> bool {
    let sign = word.chars().count() == 1 && !word.chars().all(char::is_alphabetic);
    !is_stop_word(word) && !sign
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::HashPrefix;
    use crate::search::bucket::Bucket;
    use crate::search::entry::{IndexEntry, IndexedListing, IndexedText};

    /// An index over listings that say these things, six of each.
    fn index(said: &[&str]) -> Index {
        let entry = |(n, text): (usize, &&str)| {
            let said = IndexedText { description: (*text).to_owned(), ..IndexedText::default() };
            let listing = IndexedListing {
                id: format!("mcp-{n}").parse().unwrap(),
                kind: Kind::Mcp,
                category: "other".to_owned(),
                name: String::new(),
                registry_name: String::new(),
                tags: Vec::new(),
                abilities: Vec::new(),
                short_names: Vec::new(),
                publisher: String::new(),
                changed_at: 0,
            };
            IndexEntry::from_text(listing, &said)
        };
        let all = (0..6).flat_map(|_| said).enumerate().map(entry).collect();
        let mut index = Index::default();
        for (prefix, bytes) in Bucket::default().changed(HashPrefix::default(), all, &[]).unwrap() {
            index.put(prefix, 1, Bucket::read(&bytes).unwrap());
        }
        index
    }

    fn answers(query: &ParsedQuery, word: &str) -> Vec<String> {
        let term = query.terms.iter().find(|term| term.word == word);
        term.unwrap_or_else(|| panic!("{word} is no term of {query:?}"))
            .stems
            .iter()
            .map(|s| s.0.clone())
            .collect()
    }

    #[test]
    fn words_that_only_ask_do_not_count_unless_they_are_all() {
        let index = index(&["weather"]);
        let asked = ParsedQuery::of("Please find me a good tool for the weather", &index);
        assert_eq!(asked.terms.iter().map(|term| term.word.as_str()).collect::<Vec<_>>(), ["weather"]);
        assert_eq!(ParsedQuery::of("the best tools", &index).terms.len(), 2);
        assert!(ParsedQuery::of("of the and", &index).terms.is_empty());
    }

    #[test]
    fn slips_are_mended_by_what_listings_say() {
        let index = index(&["manages kubernetes clusters", "reads weather forecasts"]);
        let asked = ParsedQuery::of("kubernettes wether", &index);
        assert!(answers(&asked, "kubernettes").contains(&stem("kubernetes")));
        assert!(asked.corrected && asked.text.starts_with("kubernetes"), "{asked:?}");
        let right = ParsedQuery::of("weather forecast for clusters", &index);
        assert!(!right.corrected, "another form of a word is no slip: {right:?}");
    }

    #[test]
    fn words_are_joined_and_taken_apart_as_listings_write_them() {
        let index = index(&["github issues", "google drive files"]);
        assert!(answers(&ParsedQuery::of("git hub issues", &index), "git").contains(&stem("github")));
        let apart = ParsedQuery::of("googledrive", &index);
        let stems = answers(&apart, "googledrive");
        assert!(stems.contains(&stem("google")) && stems.contains(&stem("drive")), "{stems:?}");
    }

    #[test]
    fn a_word_is_answered_by_its_synonyms_and_said_twice_counts_once() {
        let index = index(&["kubernetes"]);
        assert!(answers(&ParsedQuery::of("k8s", &index), "k8s").contains(&stem("kubernetes")));
        assert_eq!(ParsedQuery::of("maps and maps", &index).terms.len(), 1);
    }
}
