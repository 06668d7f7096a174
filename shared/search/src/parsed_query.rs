//! From the text of a query to what is looked up: one term per significant word, each expanded to the stems that match
//! it: the word, its corrected spelling, synonyms, related terms, joined with its neighbour or split. Expansion needs
//! the index, because which spelling or split is right depends on what listings write.

use super::index::Index;
use super::phrasebook::{self, PhraseMatch};
use super::stop_words::{is_generic, is_stop_word};
use super::words::{stem, words};
use super::{embedding, kind_hint, spelling, synonyms};
use registry_model::Kind;

/// The weight of an expansion by its origin, where the word itself has 1.
const CORRECTED: f32 = 0.85;
const JOINED: f32 = 0.9;
const SPLIT: f32 = 0.6;
const SYNONYM: f32 = 0.5;
/// A stem of a matched phrase: its least weight, and what a likelihood of 1 adds.
const PHRASE: f32 = 0.25;
const CERTAIN_PHRASE: f32 = 0.25;
/// How far the query's vector is moved towards a matched phrase of likelihood 1.
const TOWARDS_PHRASE: f32 = 1.0;
/// A related term, times its similarity.
const RELATED: f32 = 0.8;

/// The weight of a corrected word shrinks by this factor with every edit.
const TRUST: f32 = 0.8;
/// A stem of so many documents is not expanded by related terms.
const COMMON: u32 = 50;

/// Two neighbours are also searched as one word where so many documents write them joined.
const WRITTEN_AS_ONE: u32 = 3;
/// A stem of fewer documents may be two words written as one.
const UNCOMMON: u32 = 3;
/// Each half must be a word of so many documents.
const WRITTEN_APART: u32 = 5;
/// The shortest word that is split and its shortest half, in letters.
const LONG: usize = 6;
const HALF: usize = 3;
/// Bounds the work for a very long query: further words are ignored.
const MAX_TERMS: usize = 48;

#[derive(Clone, Debug)]
pub(super) struct QueryTerm {
    pub(super) word: String,
    /// How informative the word is; 1 is usual.
    pub(super) weight: f32,
    /// The stems that match it, each once, with a weight from 0 to 1.
    pub(super) stems: Vec<(String, f32)>,
    /// With its spelling corrected; the same word where nothing was corrected.
    pub(super) spelling: String,
    corrected: bool,
}

#[derive(Clone, Debug)]
pub(super) struct ParsedQuery {
    pub(super) terms: Vec<QueryTerm>,
    pub(super) kind: Option<Kind>,
    pub(super) text: String,
    /// Its embedding; `None` where no word of it is known.
    pub(super) vector: Option<Vec<f32>>,
    pub(super) phrase_matches: Vec<PhraseMatch>,
    pub(super) corrected: bool,
}

impl ParsedQuery {
    pub(super) fn of(text: &str, index: &Index) -> Self {
        let kind = kind_hint::of(text);
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
        let text = spelling.join(" ");
        let about = embedding::vector(&text);
        let phrase_matches = about.as_deref().map(phrasebook::matches).unwrap_or_default();
        let towards = |one: &PhraseMatch| (one.terms.vector.as_slice(), TOWARDS_PHRASE * one.likelihood);
        let vector = about.map(|about| embedding::moved_towards(about, phrase_matches.iter().map(towards)));
        Self { kind, text, vector, phrase_matches, corrected, terms: each_once(terms) }
    }

    /// The stems to look up for one of its terms, each once, with weights: its own and those of the matched phrases.
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
            term.accept(stem(spelling), if known { CORRECTED } else { 1.0 });
            term.corrected = true;
            term.spelling = spelling.to_owned();
            trust = (0..edits).fold(1.0, |trust, _| trust * TRUST);
        }
        term.weight = embedding::weight(&term.spelling).clamp(0.3, 2.0) * trust;
        term
    }

    /// The stems of the word itself in any spelling, without synonyms and related terms.
    pub(super) fn own_stems(&self) -> impl Iterator<Item = &String> {
        self.stems.iter().filter(|(_, weight)| *weight >= CORRECTED).map(|(stem, _)| stem)
    }

    /// Adds an expansion; where the stem is one already, the higher weight counts.
    fn accept(&mut self, stem: String, weight: f32) {
        match self.stems.iter_mut().find(|(known, _)| *known == stem) {
            Some((_, well)) => *well = well.max(weight),
            None => self.stems.push((stem, weight)),
        }
    }

    /// Only rare words without synonyms are expanded so.
    fn add_related_terms(&mut self, index: &Index) {
        let own = stem(&self.spelling);
        if index.doc_freq(&own) >= COMMON || !synonyms::of(std::slice::from_ref(&own)).is_empty() {
            return;
        }
        for (stem, near) in index.related_terms(&self.spelling, &own) {
            self.accept(stem, RELATED * near);
        }
    }

    /// `googledrive` also matches `google` and `drive` where documents write them apart.
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
            self.accept(stem(&word[..cut]), SPLIT);
            self.accept(stem(&word[cut..]), SPLIT);
        }
    }
}

/// `git hub` also matches `github` where documents write it joined.
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

/// Synonyms of a phrase are added to each of its terms. Phrases are found among all words, because they may contain
/// stop words.
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
    use crate::bucket::Bucket;
    use crate::entry::{IndexEntry, IndexedListing, IndexedText};
    use registry_model::HashPrefix;

    /// An index over listings of these descriptions, six of each.
    fn index(descriptions: &[&str]) -> Index {
        let entry = |(n, text): (usize, &&str)| {
            let text = IndexedText { description: (*text).to_owned(), ..IndexedText::default() };
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
            IndexEntry::from_text(listing, &text)
        };
        let all = (0..6).flat_map(|_| descriptions).enumerate().map(entry).collect();
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
    fn typing_errors_are_corrected_to_words_of_listings() {
        let index = index(&["manages kubernetes clusters", "reads weather forecasts"]);
        let asked = ParsedQuery::of("kubernettes wether", &index);
        assert!(answers(&asked, "kubernettes").contains(&stem("kubernetes")));
        assert!(asked.corrected && asked.text.starts_with("kubernetes"), "{asked:?}");
        let right = ParsedQuery::of("weather forecast for clusters", &index);
        assert!(!right.corrected, "an inflected form is no typing error: {right:?}");
    }

    #[test]
    fn words_are_joined_and_split_as_listings_write_them() {
        let index = index(&["github issues", "google drive files"]);
        assert!(answers(&ParsedQuery::of("git hub issues", &index), "git").contains(&stem("github")));
        let apart = ParsedQuery::of("googledrive", &index);
        let stems = answers(&apart, "googledrive");
        assert!(stems.contains(&stem("google")) && stems.contains(&stem("drive")), "{stems:?}");
    }

    #[test]
    fn synonyms_match_and_repeated_words_count_once() {
        let index = index(&["kubernetes"]);
        assert!(answers(&ParsedQuery::of("k8s", &index), "k8s").contains(&stem("kubernetes")));
        assert_eq!(ParsedQuery::of("maps and maps", &index).terms.len(), 1);
    }
}
