//! Maps phrases that people use to words that listings use: "where is my parcel" to "shipment tracking". A query is
//! compared with the phrases by its embedding. So the query need not contain the words of the phrase.

use std::sync::LazyLock;

use super::embedding::{EmbeddingMatrix, WIDTH};
use super::words::{stem, words};

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
pub(super) struct CatalogueTerms {
    /// The most specific word first.
    pub(super) words: Vec<String>,
    pub(super) stems: Vec<String>,
    pub(super) vector: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PhraseMatch {
    pub(super) terms: &'static CatalogueTerms,
    /// From 0 at the minimum similarity to 1 for an identical phrase.
    pub(super) likelihood: f32,
}

/// Parses the phrasebook before the first query needs it.
pub(super) fn preload() {
    LazyLock::force(&BOOK);
}

pub(super) fn matches(query: &[f32]) -> Vec<PhraseMatch> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::{self, dot};
    use sha2::{Digest as _, Sha256};

    /// One of so many embeddings is computed again by a test; all of them with `UPDATE=1`.
    const CHECKED: usize = 100;

    /// The phrases, then the words that listings use.
    fn texts() -> Vec<&'static str> {
        let entries = || TEXT.lines().filter_map(entry);
        entries()
            .flat_map(|(phrases, _)| phrases.split('|'))
            .chain(entries().map(|entry| entry.1))
            .map(str::trim)
            .collect()
    }

    /// `UPDATE=1` writes the file.
    #[test]
    fn stored_vectors_are_those_of_the_phrases() {
        let digest: [u8; DIGEST] = Sha256::digest(TEXT).into();
        if std::env::var_os("UPDATE").is_some() {
            let embeddings: Vec<_> = texts().into_iter().map(embedding::of).collect();
            let scales = embeddings.iter().flat_map(|one| one.scale.to_le_bytes());
            let parts = embeddings.iter().flat_map(|one| one.parts.iter().copied());
            let bytes: Vec<u8> = digest.into_iter().chain(scales).chain(parts).collect();
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/phrasebook.vectors");
            return std::fs::write(path, bytes).unwrap();
        }
        assert_eq!(VECTORS[..DIGEST], digest, "UPDATE=1 computes the vectors of a changed phrasebook");
        assert_eq!(VECTORS.len(), DIGEST + texts().len() * (size_of::<f32>() + WIDTH));
        for (number, text) in texts().into_iter().enumerate().step_by(CHECKED) {
            let scale = VECTORS[DIGEST + number * size_of::<f32>()..].first_chunk().unwrap();
            let parts =
                VECTORS[DIGEST + texts().len() * size_of::<f32>() + number * WIDTH..][..WIDTH].to_vec();
            let stored = embedding::Embedding { scale: f32::from_le_bytes(*scale), parts };
            // The model rounds often, so another order of its sums moves a vector a little.
            assert!(dot(&stored.components(), &embedding::vector(text).unwrap()) > 0.99, "{text}");
        }
    }

    fn first_words(query: &str) -> Vec<&'static str> {
        let matches = matches(&embedding::vector(query).unwrap());
        matches.iter().map(|one| one.terms.words[0].as_str()).collect()
    }

    #[test]
    fn every_line_is_a_valid_entry() {
        let text = include_str!("../assets/phrasebook.txt");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((phrases, catalogue)) = entry(line) else { panic!("no `=` in {line}") };
            assert!((2..=8).contains(&words(catalogue).len()), "2 to 8 words: {line}");
            assert!(phrases.split('|').all(|phrase| (1..=14).contains(&words(phrase).len())), "{line}");
        }
        assert_eq!(BOOK.targets.len(), text.lines().filter(|line| !line.starts_with('#')).count());
    }

    #[test]
    fn paraphrases_match() {
        assert!(first_words("my order from china is late").contains(&"shipment"));
        assert!(first_words("kubernetes").is_empty(), "a catalogue's own word needs no book");
    }
}
