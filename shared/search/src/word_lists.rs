//! Lists of words and phrases in `assets/` that lead a query to the words of listings.
//!
//! - The phrasebook maps phrases that people use to words that listings use: "where is my parcel" to "shipment tracking". A
//!   query is compared with the phrases by its embedding. So the query need not contain the words of the phrase.
//! - Synonyms such as `k8s` and `kubernetes`, or `db` and `database`. The list was written by hand, because there are too few
//!   listings to learn it from. The file `assets/synonyms.txt` describes the format of the list.
//! - Translations: in queries in German, French, Spanish, Italian and Portuguese, words that are common in searches are replaced
//!   by the English words that listings use, because the language model is English. `assets/translations.txt` describes
//!   the format of the list.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::embedding::{self, EmbeddingMatrix, WIDTH};
use super::words::{is_stop_word, stem, words};

/// The minimum similarity of a match. Below it, most matches only share the style of the request.
const MIN_SIMILARITY: f32 = 0.6;
/// The maximum number of matches of one query, and their minimum likelihood as a fraction of the highest likelihood.
const MAX_MATCHES: usize = 2;
const MIN_RATIO: f32 = 0.8;

static BOOK: LazyLock<Phrasebook> = LazyLock::new(|| Phrasebook::read(TEXT, VECTORS));

static TEXT: &str = include_str!("../assets/phrasebook.txt");
/// A digest of the text, then the embeddings of its phrases and of the words that listings use, in the order of the text: first
/// all scales (f32, little endian), then the components. Computing them at the start would take half a minute.
static VECTORS: &[u8] = include_bytes!("../assets/phrasebook.vectors");
const DIGEST: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct CatalogueTerms {
    /// The most specific word first.
    pub(crate) words: Vec<String>,
    pub(crate) stems: Vec<String>,
    pub(crate) vector: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PhraseMatch {
    pub(crate) terms: &'static CatalogueTerms,
    /// From 0 at the minimum similarity to 1 for an identical phrase.
    pub(crate) likelihood: f32,
}

/// Parses the phrasebook before the first query needs it.
pub(crate) fn preload() {
    LazyLock::force(&BOOK);
}

pub(crate) fn phrase_matches(query: &[f32]) -> Vec<PhraseMatch> {
    let mut nearest = vec![0.0_f32; BOOK.targets.len()];
    for (near, target) in BOOK.phrases.similarities(query).into_iter().zip(&BOOK.target_of_phrase) {
        nearest[*target] = nearest[*target].max(near);
    }
    let likelihood = |near: f32| ((near - MIN_SIMILARITY) / (1.0 - MIN_SIMILARITY)).min(1.0);
    let mut matches: Vec<PhraseMatch> = BOOK
        .targets
        .iter()
        .zip(nearest)
        .filter(|(_, near)| *near > MIN_SIMILARITY)
        .map(|(terms, near)| PhraseMatch { terms, likelihood: likelihood(near) })
        .collect();
    matches.sort_by(|a, b| b.likelihood.total_cmp(&a.likelihood));
    matches.truncate(MAX_MATCHES);
    if let Some(likeliest) = matches.first().map(|first| first.likelihood) {
        matches.retain(|one| one.likelihood >= MIN_RATIO * likeliest);
    }
    matches
}

#[derive(Debug, Default)]
struct Phrasebook {
    targets: Vec<CatalogueTerms>,
    phrases: EmbeddingMatrix<WIDTH>,
    target_of_phrase: Vec<usize>,
}

impl Phrasebook {
    fn read(text: &str, vectors: &'static [u8]) -> Self {
        let mut book = Self::default();
        for (phrases, catalogue) in text.lines().filter_map(entry) {
            let target = book.targets.len();
            book.target_of_phrase.extend(phrases.split('|').map(|_| target));
            let words = words(catalogue);
            let stems = words.iter().map(|word| stem(word)).collect();
            book.targets.push(CatalogueTerms { words, stems, vector: vec![0.0; WIDTH] });
        }
        let phrases = book.target_of_phrase.len();
        let rows = phrases + book.targets.len();
        let (scales, parts) = vectors.get(DIGEST..).unwrap_or_default().split_at(rows * size_of::<f32>());
        let mut scales: Vec<f32> =
            scales.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let (parts, catalogue) = parts.split_at(phrases * WIDTH);
        let targets =
            book.targets.iter_mut().zip(catalogue.chunks_exact(WIDTH)).zip(scales.split_off(phrases));
        for ((target, parts), scale) in targets {
            target.vector = parts.iter().map(|part| scale * f32::from(part.cast_signed())).collect();
        }
        book.phrases = EmbeddingMatrix::fixed(scales, parts);
        book
    }
}

/// `a phrase | another = the words of catalogues`; `#` starts a comment.
fn entry(line: &str) -> Option<(&str, &str)> {
    line.split('#').next().and_then(|line| line.split_once('='))
}

static SYNONYM_LIST: &str = include_str!("../assets/synonyms.txt");

/// Words of the longest phrase on the left of a line.
pub(super) const MAX_PHRASE_WORDS: usize = 3;

/// From the stems of a word or phrase to the stems of its synonyms.
static SYNONYMS: LazyLock<HashMap<Vec<String>, Vec<String>>> = LazyLock::new(|| {
    let mut all: HashMap<Vec<String>, Vec<String>> = HashMap::new();
    for line in SYNONYM_LIST.lines() {
        let line = line.split('#').next().unwrap_or_default();
        // `a b > c`: a query with a or b also matches c, but not the reverse. Without an arrow, every word matches
        // every other.
        let (left, right) = line.split_once('>').unwrap_or((line, line));
        for phrase in left.split_whitespace() {
            let key: Vec<String> = phrase.split('_').map(stem).collect();
            let known = all.entry(key.clone()).or_default();
            for word in right.split_whitespace().filter(|word| !word.contains('_')) {
                let stem = stem(word);
                if !key.contains(&stem) && !known.contains(&stem) {
                    known.push(stem);
                }
            }
        }
    }
    all
});

pub(super) fn synonyms(stems: &[String]) -> &'static [String] {
    SYNONYMS.get(stems).map_or(&[], Vec::as_slice)
}

static TRANSLATION_LIST: &str = include_str!("../assets/translations.txt");

/// A word of the list also stands for words with so many letters more; one with fewer letters than [`MIN_STEM`] for less of them.
const MAX_ENDING: usize = 5;
const MAX_SHORT_ENDING: usize = 2;
const MIN_STEM: usize = 5;
const MIN_LETTERS: usize = 3;
const MAX_LETTERS: usize = 40;
/// One of these words may be part of a query in English, such as `la`.
const MIN_FILLERS: usize = 2;

#[derive(Debug, Default)]
struct Translations {
    /// Words that only ask or connect.
    fillers: HashSet<&'static str>,
    english: HashMap<&'static str, Vec<&'static str>>,
}

static TRANSLATIONS: LazyLock<Translations> = LazyLock::new(|| {
    let mut all = Translations::default();
    let lines = TRANSLATION_LIST.lines().filter(|line| !line.starts_with('#'));
    for (english, foreign) in lines.filter_map(|line| line.split_once(':')) {
        match english {
            "-" => all.fillers.extend(foreign.split_whitespace()),
            english => {
                let english: Vec<&str> = english.split(' ').collect();
                foreign.split_whitespace().for_each(|word| {
                    all.english.entry(word).or_insert_with(|| english.clone());
                });
            }
        }
    }
    all
});

/// The words of a query in English, as far as they are known; `None` if the query is in English, or if nothing of it is known.
pub(super) fn in_english(words: &[String]) -> Option<Vec<String>> {
    let plain: Vec<String> = words.iter().map(|word| without_accents(word)).collect();
    let is_filler = |word: &str| TRANSLATIONS.fillers.contains(word) && !is_stop_word(word);
    let fillers = plain.iter().filter(|word| is_filler(word)).count();
    if fillers < words.iter().filter(|word| is_stop_word(word)).count() {
        return None;
    }
    // Of words alone, such as "Wetter Berlin", those are translated that are no English words.
    let is_foreign = fillers >= MIN_FILLERS;
    let mut translated: Vec<String> = Vec::new();
    for (word, plain) in words.iter().zip(&plain) {
        let is_kept = !is_foreign && embedding::is_ordinary(word);
        match english_of(plain).filter(|_| !is_kept) {
            Some(english) => translated.extend(english.into_iter().map(str::to_owned)),
            None if is_foreign && TRANSLATIONS.fillers.contains(plain.as_str()) => {}
            None => translated.push(word.clone()),
        }
    }
    (!translated.is_empty() && translated != *words).then_some(translated)
}

/// By the longest word of the list with which it begins, and for a compound such as `Wettervorhersage` by that of its rest. A
/// French or Italian article may be joined to the word, as in `l'avion`.
fn english_of(word: &str) -> Option<Vec<&'static str>> {
    if word.len() > MAX_LETTERS {
        return None;
    }
    let mut ends = (MIN_LETTERS..=word.len()).rev().filter(|end| word.is_char_boundary(*end));
    let known = ends.find_map(|end| {
        let (mut english, rest) = (TRANSLATIONS.english.get(&word[..end])?.clone(), &word[end..]);
        let longest = if end < MIN_STEM { MAX_SHORT_ENDING } else { MAX_ENDING };
        if rest.len() > longest {
            english.extend(english_of(rest.trim_start_matches(['s', 'n']))?);
        }
        Some(english)
    });
    known.or_else(|| english_of(word.strip_prefix(['l', 'd']).filter(|rest| rest.len() >= MIN_STEM)?))
}

fn without_accents(word: &str) -> String {
    let plain = |c: char| match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' => 'a',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    };
    word.chars().map(plain).collect()
}

#[cfg(test)]
mod tests;
