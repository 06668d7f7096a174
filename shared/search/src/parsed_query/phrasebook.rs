//! Maps phrases that people use to words that listings use: "where is my parcel" to "shipment tracking". A query is
//! compared with the phrases by its embedding. So the query need not contain the words of the phrase.

use std::sync::LazyLock;

use crate::embedding::{EmbeddingMatrix, WIDTH};
use crate::words::{stem, words};

/// The minimum similarity of a match. Below it, most matches only share the style of the request.
const MIN_SIMILARITY: f32 = 0.6;
/// The maximum number of matches of one query, and their minimum likelihood as a fraction of the highest likelihood.
const MAX_MATCHES: usize = 2;
const MIN_RATIO: f32 = 0.8;

static BOOK: LazyLock<Phrasebook> = LazyLock::new(|| Phrasebook::read(TEXT, VECTORS));

static TEXT: &str = include_str!("../../assets/phrasebook.txt");
/// A digest of the text, then the embeddings of its phrases and of the words that listings use, in the order of the text: first
/// all scales (f32, little endian), then the components. Computing them at the start would take half a minute.
static VECTORS: &[u8] = include_bytes!("../../assets/phrasebook.vectors");
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

pub(crate) fn matches(query: &[f32]) -> Vec<PhraseMatch> {
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
mod tests;
