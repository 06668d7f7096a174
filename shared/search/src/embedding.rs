//! Embeddings: texts about the same subject get similar vectors, even without a common word. The language model in
//! `registry-encoder` computes those of texts. Single words have shorter vectors from a fixed table (`table`).

mod matrix;
mod table;

use std::sync::LazyLock;

use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub(super) use matrix::EmbeddingMatrix;
pub use registry_encoder::{add, dot};
pub use table::{WORD_WIDTH, is_ordinary, is_understood, weight, word_vector};

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
    let embedding = of(text);
    embedding.is_known().then(|| embedding.components())
}

/// The embedding of a text. Takes some ten milliseconds of processor time for a text that is not cached.
pub fn of(text: &str) -> Embedding {
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
    let computed = tokio::task::spawn_blocking(move || texts.iter().for_each(|text| drop(of(text)))).await;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantized_vector_has_length_one() {
        let vector = vector("query a postgres database").unwrap();
        assert!((length(&vector) - 1.0).abs() < 0.01);
        assert_eq!(of("\u{1F980}"), Embedding::default());
    }

    #[test]
    fn embedding_of_another_width_counts_as_unknown() {
        let old = Embedding { scale: 0.1, parts: vec![1; WORD_WIDTH] };
        assert!(old.is_outdated() && !of("weather").is_outdated() && !Embedding::elsewhere().is_outdated());
        assert_eq!(old.components(), [0.0; WIDTH]);
    }
}
