//! Parses a query into terms, one for each significant word. Each term contains all stems that match its word: those of
//! the word, of its corrected spelling, of synonyms, and of related terms. A word may also be joined with its neighbor
//! or split in two. All of this needs the index, because it depends on the words of listings.

use std::collections::{BTreeSet, HashSet};

use super::embedding;
use super::index::IndexView;
use super::word_lists::{self, PhraseMatch};
use super::words::{WordShape, is_generic, is_plain, is_stop_word, stem, words};
use registry_model::Kind;

/// The weight of an expansion by its origin; the word itself has 1.
const CORRECTED: f32 = 0.85;
const JOINED: f32 = 0.9;
const SPLIT: f32 = 0.6;
const SYNONYM: f32 = 0.5;
/// For a stem of a matched phrase: the minimum weight, and the increase of the weight for a likelihood of 1.
const PHRASE: f32 = 0.25;
const CERTAIN_PHRASE: f32 = 0.25;
/// The weight of a matched phrase of likelihood 1 in the query's vector.
const TOWARDS_PHRASE: f32 = 1.0;
/// The weight of a related term; it is multiplied by the term's similarity.
const RELATED: f32 = 0.8;

/// Fewer words do not show their language.
const MIN_FOREIGN_WORDS: usize = 4;
/// The weight of a corrected word shrinks by this factor with every edit.
const EDIT_FACTOR: f32 = 0.8;
/// Stems in this many documents or more are not expanded by related terms.
const MAX_EXPANDED_DOCS: u32 = 50;

/// Two neighbors are also searched as one word if at least this many documents contain it.
const MIN_JOINED_DOCS: u32 = 3;
/// A stem in fewer documents may be two words written as one.
const MAX_COMPOUND_DOCS: u32 = 3;
/// Each half must be a word in at least this many documents.
const MIN_HALF_DOCS: u32 = 5;
/// The shortest word that is split and its shortest half, in letters.
const MIN_COMPOUND_LEN: usize = 6;
const MAX_COMPOUND_LEN: usize = 64;
const MIN_HALF_LEN: usize = 3;
/// Bounds the work for a very long query; further words are ignored.
const MAX_TERMS: usize = 48;
/// Words of a query that are embedded. The model takes about half a millisecond for each; further words count as terms.
const MAX_EMBEDDED_WORDS: usize = 24;
/// Words whose spelling is checked and whose related terms are searched: each is compared with all words of the index.
pub(super) const MAX_EXPANDED_TERMS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct QueryTerm {
    pub(super) word: String,
    /// How informative the word is; 1 is average.
    pub(super) weight: f32,
    /// The stems that match it, each once, with a weight from 0 to 1.
    pub(super) stems: Vec<(String, f32)>,
    /// The word with its spelling corrected, or unchanged.
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
    /// Of the words, the first `expanded` are corrected and expanded.
    pub(super) fn of<'a>(text: &str, index: impl Into<IndexView<'a>>, expanded: usize) -> Self {
        let index = index.into();
        let kind = requested_kind(text);
        let query_words = words(text);
        let translated = word_lists::in_english(&query_words);
        let is_translated = translated.is_some();
        let query_words = translated.unwrap_or(query_words);
        let mut significant: Vec<&String> = query_words.iter().filter(|word| is_informative(word)).collect();
        if significant.iter().any(|word| !is_generic(word)) {
            significant.retain(|word| !is_generic(word));
        }
        significant.truncate(MAX_TERMS);
        let mut terms: Vec<QueryTerm> = significant.into_iter().map(|word| QueryTerm::plain(word)).collect();
        // In another language, most words look misspelled.
        let is_known = |word: &String| is_stop_word(word) || embedding::is_ordinary(word);
        let known = query_words.iter().filter(|word| is_known(word)).count();
        if query_words.len() < MIN_FOREIGN_WORDS || 2 * known >= query_words.len() {
            terms.iter_mut().take(expanded).for_each(|term| term.correct(index));
        }
        join_adjacent(&mut terms, index);
        for term in &mut terms {
            term.split_compound(index);
        }
        let spelling: Vec<String> = query_words
            .iter()
            .map(|word| {
                let corrected = terms.iter().find(|term| term.corrected && term.word == *word);
                corrected.map_or_else(|| word.clone(), |term| term.spelling.clone())
            })
            .collect();
        add_synonyms(&mut terms, &spelling);
        terms.iter_mut().take(expanded).for_each(|term| term.add_related_terms(index));
        let corrected = is_translated || terms.iter().any(|term| term.corrected);
        let text = spelling.join(" ");
        // Pieces of random letters have vectors, too, and these are close to something.
        let has_meaning = terms.is_empty() || terms.iter().any(|term| term.is_understood(index));
        let embedded = &spelling[..spelling.len().min(MAX_EMBEDDED_WORDS)];
        let about = if has_meaning { embedding::vector(&embedded.join(" ")) } else { None };
        let phrase_matches = about.as_deref().map(word_lists::phrase_matches).unwrap_or_default();
        let vector = about.map(|mut vector| {
            for PhraseMatch { terms, likelihood } in &phrase_matches {
                embedding::add(&mut vector, &terms.vector, TOWARDS_PHRASE * likelihood);
            }
            embedding::normalized(vector)
        });
        Self { kind, text, vector, phrase_matches, corrected, terms: without_repeats(terms) }
    }

    /// The stems to look up for a term, each once and with its weight: those of the term and of the matched phrases.
    pub(super) fn expansions<'a>(&'a self, term: &'a QueryTerm) -> Vec<(&'a str, f32)> {
        let mut expansions: Vec<(&str, f32)> =
            term.stems.iter().map(|(stem, weight)| (&**stem, *weight)).collect();
        for PhraseMatch { terms, likelihood } in &self.phrase_matches {
            for stem in &terms.stems {
                let phrase_weight = PHRASE + CERTAIN_PHRASE * likelihood;
                accept(&mut expansions, stem.as_str(), phrase_weight);
            }
        }
        expansions
    }
}

impl QueryTerm {
    fn plain(word: &str) -> Self {
        Self {
            word: word.to_owned(),
            weight: embedding::weight(word).clamp(0.3, 2.0),
            stems: vec![(stem(word), 1.0)],
            spelling: word.to_owned(),
            corrected: false,
        }
    }

    fn correct(&mut self, index: IndexView<'_>) {
        let Some((spelling, edits)) = corrected_spelling(index, &self.word) else { return };
        let known = index.doc_freq(&stem(&self.word)) > 0;
        accept(&mut self.stems, stem(spelling), if known { CORRECTED } else { 1.0 });
        self.corrected = true;
        self.spelling = spelling.to_owned();
        let factor = (0..edits).fold(1.0, |factor, _| factor * EDIT_FACTOR);
        self.weight = embedding::weight(&self.spelling).clamp(0.3, 2.0) * factor;
    }

    /// The stems of the word itself in any spelling, without synonyms and related terms.
    pub(super) fn own_stems(&self) -> impl Iterator<Item = &String> {
        self.stems.iter().filter(|(_, weight)| *weight >= CORRECTED).map(|(stem, _)| stem)
    }

    /// Whether a listing contains the word, or its vector says what it means.
    fn is_understood(&self, index: IndexView<'_>) -> bool {
        index.doc_freq(&stem(&self.spelling)) > 0 || embedding::is_understood(&self.spelling)
    }

    /// Only for rare words without synonyms.
    fn add_related_terms(&mut self, index: IndexView<'_>) {
        let own = stem(&self.spelling);
        if !self.is_understood(index) {
            return;
        }
        if index.doc_freq(&own) >= MAX_EXPANDED_DOCS
            || !word_lists::synonyms(std::slice::from_ref(&own)).is_empty()
        {
            return;
        }
        for (stem, near) in index.whole.related_terms(&self.spelling, &own) {
            accept(&mut self.stems, stem, RELATED * near);
        }
    }

    /// `googledrive` also matches `google` and `drive` where documents write them apart.
    fn split_compound(&mut self, index: IndexView<'_>) {
        let word = self.word.clone();
        let long = (MIN_COMPOUND_LEN..=MAX_COMPOUND_LEN).contains(&word.len()) && word.is_ascii();
        if self.corrected || !long || index.doc_freq(&stem(&word)) >= MAX_COMPOUND_DOCS {
            return;
        }
        let cuts = MIN_HALF_LEN..=word.len() - MIN_HALF_LEN;
        let written = |cut: &usize| index.word_freq(&word[..*cut]).min(index.word_freq(&word[*cut..]));
        let Some(cut) = cuts.max_by_key(|cut| (written(cut), *cut)) else { return };
        if written(&cut) >= MIN_HALF_DOCS {
            accept(&mut self.stems, stem(&word[..cut]), SPLIT);
            accept(&mut self.stems, stem(&word[cut..]), SPLIT);
        }
    }
}

/// Adds an expansion, or raises its weight if it exists.
fn accept<S: PartialEq>(expansions: &mut Vec<(S, f32)>, stem: S, weight: f32) {
    match expansions.iter_mut().find(|(known, _)| *known == stem) {
        Some((_, known)) => *known = known.max(weight),
        None => expansions.push((stem, weight)),
    }
}

/// `git hub` also matches `github` where documents write it joined.
fn join_adjacent(terms: &mut [QueryTerm], index: IndexView<'_>) {
    for first in 1..terms.len() {
        let pair = first - 1..=first;
        let joined: String = terms[pair.clone()].iter().map(|term| term.spelling.as_str()).collect();
        if index.word_freq(&joined) >= MIN_JOINED_DOCS {
            for term in &mut terms[pair] {
                accept(&mut term.stems, stem(&joined), JOINED);
            }
        }
    }
}

/// Adds synonyms of a phrase to each of its terms. All words are searched for phrases: they may contain stop words.
fn add_synonyms(terms: &mut [QueryTerm], spelling: &[String]) {
    let stems: Vec<String> = spelling.iter().map(|word| stem(word)).collect();
    let own: Vec<String> = terms.iter().map(|term| stem(&term.spelling)).collect();
    for length in 1..=word_lists::MAX_PHRASE_WORDS {
        for phrase in stems.windows(length) {
            let others = word_lists::synonyms(phrase);
            for (term, _) in terms.iter_mut().zip(&own).filter(|(_, own)| phrase.contains(own)) {
                for other in others {
                    accept(&mut term.stems, other.clone(), SYNONYM);
                }
            }
        }
    }
}

fn without_repeats(mut terms: Vec<QueryTerm>) -> Vec<QueryTerm> {
    let mut known = HashSet::new();
    terms.retain(|term| {
        let stems: BTreeSet<String> = term.stems.iter().map(|(stem, _)| stem.clone()).collect();
        known.insert(stems)
    });
    terms
}

fn is_informative(word: &str) -> bool {
    let symbol = word.chars().count() == 1 && !word.chars().all(char::is_alphabetic);
    !is_stop_word(word) && !symbol
}

/// Before a word for a kind, or before one other word: what is sought is not of this kind.
const BEFORE_OTHERS: &str = "for to of with by from between across among in on and or hire build deploy monitor another other \
    multi multiple my our your their his her user";

/// Whether a query asks for an agent or for an MCP server, as in "an agent that plans trips" or "postgres mcp". In "memory for
/// AI agents" and "my agent needs it", the word belongs to something else.
fn requested_kind(query: &str) -> Option<Kind> {
    let words = words(query);
    let is_other = |at: &usize| {
        let before = &words[at.saturating_sub(2)..*at];
        before.iter().any(|word| BEFORE_OTHERS.split(' ').any(|other| other == word))
    };
    let kinds = words.iter().enumerate().filter_map(|(at, word)| match word.as_str() {
        "agent" | "agents" | "assistant" | "assistants" => Some((at, Kind::Agent)),
        "mcp" | "mcps" | "server" | "servers" => Some((at, Kind::Mcp)),
        _ => None,
    });
    kinds.filter(|(at, _)| !is_other(at)).map(|(_, kind)| kind).next()
}

/// A word that is in more documents than this is never corrected.
const MAX_FREQ: u32 = 5;
/// A word that some documents contain is corrected only to a word that is this many times as frequent.
const MIN_FREQ_RATIO: u32 = 15;
/// Words of up to this many letters are corrected by one edit, longer ones by more.
const MAX_ONE_EDIT_LEN: usize = 5;

/// The word of listings that the caller probably meant by the misspelled `word`, and the number of edits between the two. A word
/// is corrected only if it is in no dictionary and in few listings. So the name of a product is not replaced by a more
/// frequent word.
fn corrected_spelling<'a>(index: IndexView<'a>, word: &str) -> Option<(&'a str, usize)> {
    if word.len() < 4 || !is_plain(word) || is_stop_word(word) || embedding::is_ordinary(word) {
        return None;
    }
    let word_freq = index.word_freq(word);
    if word_freq > MAX_FREQ {
        return None;
    }
    let best = nearest(index, word)?;
    // An inflected form needs no correction: its stem is the same.
    if stem(best.word) == stem(word) {
        return None;
    }
    let is_unknown = word_freq == 0;
    let likely =
        best.edits == 1 && best.word_freq >= MIN_FREQ_RATIO * word_freq && !best.word.starts_with(word);
    (is_unknown || likely).then_some((best.word, best.edits))
}

#[derive(Clone, Copy)]
struct Candidate<'a> {
    word: &'a str,
    word_freq: u32,
    edits: usize,
    rank: f32,
}

fn nearest<'a>(index: IndexView<'a>, word: &str) -> Option<Candidate<'a>> {
    let (shape, first) = (WordShape::of(word), word.as_bytes().first());
    let max = if word.len() <= MAX_ONE_EDIT_LEN { 1 } else { 3 };
    let mut best: Option<Candidate<'a>> = None;
    // The expensive checks come last, for the few words that are near.
    for (other, other_shape, term) in index.whole.written_words(|other| shape.may_be_within(other, max)) {
        let other_first = other.as_bytes().first() != first;
        let one_edit = other_first || word.len() <= MAX_ONE_EDIT_LEN;
        if (one_edit && !shape.may_be_within(other_shape, 1)) || other.len() < 4 || other == word {
            continue;
        }
        let same_skeleton = skeleton(word).eq(skeleton(other));
        let max = match (one_edit, same_skeleton) {
            (true, _) => 1,
            (_, true) => 3,
            _ => 2,
        };
        if !shape.may_be_within(other_shape, max) {
            continue;
        }
        // The edit distance with transpositions (optimal string alignment).
        let edits = strsim::osa_distance(word, other);
        if edits > max || is_stop_word(other) || (term.word_freq < 2 && !embedding::is_ordinary(other)) {
            continue;
        }
        let mut rank = (1.0 + term.word_freq as f32).ln() - 4.0 * edits as f32;
        rank += f32::from(u8::from(same_skeleton)) - 1.5 * f32::from(u8::from(other_first));
        let candidate = Candidate { word: other, word_freq: term.word_freq, edits, rank };
        if best.is_none_or(|best| (best.rank, best.word) < (rank, other)) {
            best = Some(candidate);
        }
    }
    best
}

/// A phonetic key: the first letter and the consonants, those that sound alike folded into one.
fn skeleton(word: &str) -> impl Iterator<Item = u8> {
    let mut last = None;
    word.bytes().filter_map(move |letter| {
        if b"aeiouy".contains(&letter) && last.is_some() {
            return None;
        }
        let sound = match letter {
            b'z' => b's',
            b'k' | b'q' => b'c',
            b'v' => b'f',
            other => other,
        };
        let repeated = last.replace(sound) == Some(sound);
        (!repeated).then_some(sound)
    })
}

#[cfg(test)]
mod tests;
