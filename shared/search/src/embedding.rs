//! Embeddings: texts about the same subject get similar vectors, even without a common word. The language model in
//! `registry-encoder` computes those of texts. Single words have shorter vectors, from a table of word pieces.

use std::borrow::Cow;
use std::sync::LazyLock;

use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use registry_encoder::pieces;
use registry_encoder::rows::{Quantised, add_row};
pub use registry_encoder::{add, dot};

pub const WIDTH: usize = registry_encoder::WIDTH;

/// By the digest of the text; the model needs some milliseconds for each. They take about 1 MB. Questions are asked again, and
/// a build that loses to another one repeats its work.
static EMBEDDINGS: LazyLock<Cache<[u8; 16], Embedding>> = LazyLock::new(|| Cache::new(2000));

/// A vector of length 1, quantised to a quarter of its size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// The value of one step; 0 for a text without any known word.
    pub scale: f32,
    /// The components in steps, as signed bytes. An entry that an older version wrote may have fewer.
    #[serde(with = "serde_bytes")]
    pub parts: Vec<u8>,
}

/// The vector of a text; `None` where no piece of it is known.
pub fn vector(text: &str) -> Option<Vec<f32>> {
    let embedding = embed(text);
    embedding.is_known().then(|| embedding.components())
}

/// The embedding of a text. Takes some ten milliseconds of processor time for a text that is not cached.
pub fn embed(text: &str) -> Embedding {
    let digest: [u8; 32] = Sha256::digest(text).into();
    let key: [u8; 16] = std::array::from_fn(|at| digest[at]);
    if let Some(known) = EMBEDDINGS.get(&key) {
        return known;
    }
    let embedding = registry_encoder::vector(text).map(|vector| Embedding::quantised(&vector));
    let embedding = embedding.unwrap_or_default();
    EMBEDDINGS.insert(key, embedding.clone());
    embedding
}

/// Computes embeddings of texts, so that they are cached. It does not block the thread of the caller.
pub async fn prepare(texts: Vec<String>) {
    let computed = tokio::task::spawn_blocking(move || texts.iter().for_each(|text| drop(embed(text)))).await;
    if let Err(error) = computed {
        tracing::error!(%error, "could not compute embeddings");
    }
}

pub(super) fn quantised_word(word: &str) -> Embedding {
    let vector = word_vector(word);
    if length(&vector) > f32::EPSILON {
        Embedding::quantised(&normalized(vector))
    } else {
        Embedding::default()
    }
}

/// The vector with length 1; zero stays zero.
pub fn normalized(vector: Vec<f32>) -> Vec<f32> {
    let length = length(&vector).max(f32::EPSILON);
    vector.into_iter().map(|x| x / length).collect()
}

fn length(vector: &[f32]) -> f32 {
    dot(vector, vector).sqrt()
}

impl Embedding {
    /// Stands for an embedding that only a search backend contains.
    pub(super) const fn elsewhere() -> Self {
        Self { scale: -1.0, parts: Vec::new() }
    }

    pub(super) const fn is_elsewhere(&self) -> bool {
        self.scale < 0.0
    }

    /// Whether an older version computed it, with another model. It then counts as unknown.
    pub(super) fn is_outdated(&self) -> bool {
        !self.parts.is_empty() && self.parts.len() != WIDTH
    }

    fn is_known(&self) -> bool {
        self.parts.len() == WIDTH
    }

    /// The components; zeros for a text without any known word.
    pub fn components(&self) -> Vec<f32> {
        if !self.is_known() {
            return vec![0.0; WIDTH];
        }
        self.parts.iter().map(|part| self.scale * f32::from(part.cast_signed())).collect()
    }

    fn quantised(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let scale = largest / 127.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "-127 to 127, as a byte")]
        let parts = vector.iter().map(|x| (x / scale).round() as i8 as u8).collect();
        Self { scale, parts }
    }
}

/// Many embeddings in two contiguous columns, so that one pass over memory compares all of them with a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct EmbeddingMatrix<const WIDTH: usize> {
    scales: Vec<f32>,
    parts: Cow<'static, [u8]>,
}

impl<const WIDTH: usize> EmbeddingMatrix<WIDTH> {
    /// Rows that are part of the binary.
    pub(crate) fn fixed(scales: Vec<f32>, parts: &'static [u8]) -> Self {
        Self { scales, parts: Cow::Borrowed(parts) }
    }

    /// Appends a row. The embedding of an unknown text becomes zero, which has no similarity to any text.
    pub(crate) fn push(&mut self, embedding: &Embedding) {
        let known = embedding.parts.len() == WIDTH;
        self.scales.push(if known { embedding.scale } else { 0.0 });
        self.parts.to_mut().extend_from_slice(if known { &embedding.parts } else { &[0; WIDTH] });
    }

    pub(crate) fn shrink(&mut self) {
        self.scales.shrink_to_fit();
        if let Cow::Owned(parts) = &mut self.parts {
            parts.shrink_to_fit();
        }
    }

    pub(crate) fn similarities(&self, vector: &[f32]) -> Vec<f32> {
        let mut similarities = self.scales.clone();
        Quantised::of(vector).multiply(&mut similarities, &self.parts);
        similarities
    }

    pub(crate) fn similarities_of(
        &self,
        numbers: impl Iterator<Item = usize>,
        vector: &[f32],
    ) -> impl Iterator<Item = f32> {
        let query = Quantised::of(vector);
        numbers.map(move |number| query.dot(self.row(number)) * self.scales[number])
    }

    pub(crate) fn add(&self, number: usize, weight: f32, vector: &mut [f32]) {
        add_row(vector, self.row(number), self.scales[number] * weight);
    }

    /// Keeps the rows whose number passes the test, and numbers them again.
    pub(crate) fn retained(&self, keep: impl Fn(usize) -> bool) -> Self {
        let living = (0..self.scales.len()).filter(|number| keep(*number));
        Self {
            scales: living.clone().map(|number| self.scales[number]).collect(),
            parts: living.flat_map(|number| self.row(number)).copied().collect(),
        }
    }

    fn row(&self, number: usize) -> &[u8; WIDTH] {
        &self.parts.as_chunks().0[number]
    }
}

pub const WORD_WIDTH: usize = 256;

/// The table of word pieces, for the meaning of single words. For each piece it contains a vector with four bits per
/// component, and the scale of these values. It is part of the binary, so that nothing is loaded at the start. The script
/// `assets/meaning/distil.py` generates it.
///
/// First the step of each piece (f32, little endian), then the components of each piece. A byte contains two
/// components; the first is in the lower half.
static TABLE: &[u8] = include_bytes!("../assets/meaning/table.bin");

/// The median length of a word's vector, over the words of the listings for which the table was made.
const MEDIAN_LENGTH: f32 = 2.2206;

/// Bytes of the components of a piece.
const PARTS: usize = WORD_WIDTH / 2;
const ROW: usize = PARTS + size_of::<f32>();
const PIECES: usize = TABLE.len() / ROW;
const _: () = assert!(PIECES * ROW == TABLE.len(), "the table has whole rows only");

/// The length of a piece of a longer word that says what the word means.
const MIN_PIECE: usize = 4;
/// No word has more pieces.
const MAX_PIECES: usize = 256;

/// The sum of the vectors of a word's pieces. Frequent words have short vectors.
pub fn word_vector(word: &str) -> Vec<f32> {
    let mut sum = vec![0.0_f32; WORD_WIDTH];
    for piece in pieces::split(word, MAX_PIECES) {
        add_piece(piece, &mut sum);
    }
    sum
}

/// How informative a word is, where 1 is average. The table was made so that frequent words have short vectors.
pub fn weight(word: &str) -> f32 {
    if pieces::split(word, MAX_PIECES).is_empty() { 1.0 } else { length(&word_vector(word)) / MEDIAN_LENGTH }
}

/// The ends of inflected words, each with the end of the uninflected word.
const ENDS: [(&str, &str); 7] =
    [("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e")];

/// Whether a word is a whole piece of the table or an inflected form of one, such as `puppies`, and so an ordinary word rather
/// than a typing error.
pub fn is_ordinary(word: &str) -> bool {
    let is_piece = |word: &str| word.len() > 3 && pieces::is_known(word);
    let is_inflected = |(end, other): &(&str, &str)| {
        word.strip_suffix(end).is_some_and(|start| is_piece(&format!("{start}{other}")))
    };
    word.bytes().all(|b| b.is_ascii_alphabetic()) && (is_piece(word) || ENDS.iter().any(is_inflected))
}

/// Whether at least half of the word is one piece of the table, such as `wedding` in `weddings`. Random letters are split
/// into short pieces. Only words of ASCII letters are judged.
pub fn is_understood(word: &str) -> bool {
    let longest = pieces::longest(word);
    !word.is_ascii() || longest == word.len() || longest >= MIN_PIECE.max(word.len().div_ceil(2))
}

/// Adds the vector of a piece to a sum. A piece that the table does not have adds nothing.
fn add_piece(piece: u32, sum: &mut [f32]) {
    let piece = piece as usize;
    if piece >= PIECES {
        return;
    }
    let (weights, parts) = TABLE.split_at(PIECES * size_of::<f32>());
    let weight = weights[piece * 4..].first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
    for (sums, pair) in sum.chunks_exact_mut(2).zip(&parts[piece * PARTS..][..PARTS]) {
        sums[0] += weight * odd(pair & 15);
        sums[1] += weight * odd(pair >> 4);
    }
}

/// The component that four bits encode: an odd number from -15 to 15.
fn odd(half: u8) -> f32 {
    2.0 * f32::from(half) - 15.0
}

#[cfg(test)]
mod tests;
