//! Embeddings of texts. Texts about the same subject get similar vectors, even if they have no word in
//! common. An embedding is the sum of vectors from a fixed table of word pieces. The table was distilled from
//! a language model, so no model runs here.

mod matrix;
mod model;
mod pieces;

use serde::{Deserialize, Serialize};

pub(super) use matrix::EmbeddingMatrix;

/// The length of a piece of a longer word that says what the word means.
const MIN_PIECE: usize = 4;

/// The dimension of every vector.
pub const WIDTH: usize = model::WIDTH;

/// A vector of length 1. It is quantised to a quarter of its size, both in the table and in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// The value of one step; 0 for a text without any known word.
    pub scale: f32,
    /// The components in steps, as signed bytes.
    #[serde(with = "serde_bytes")]
    pub parts: Vec<u8>,
}

/// The vector of a text in full precision; `None` where no piece of it is known.
pub fn vector(text: &str) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f32; WIDTH];
    for piece in pieces::of(text) {
        model::add(piece, &mut sum);
    }
    unit(sum)
}

pub fn of(texts: &[String]) -> Embedding {
    let mut sum = vec![0.0_f32; WIDTH];
    for vector in texts.iter().filter_map(|text| vector(text)) {
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
    }
    unit(sum).map(|vector| Embedding::quantised(&vector)).unwrap_or_default()
}

/// A vector moved towards others by their weights, again of length 1.
pub(super) fn moved_towards<'a>(
    mut vector: Vec<f32>,
    towards: impl Iterator<Item = (&'a [f32], f32)>,
) -> Vec<f32> {
    for (other, weight) in towards {
        vector.iter_mut().zip(other).for_each(|(sum, x)| *sum += weight * x);
    }
    let length = length(&vector).max(f32::EPSILON);
    vector.into_iter().map(|x| x / length).collect()
}

/// The sum of the vectors of a word's pieces. Frequent words have short vectors.
pub fn of_word(word: &str) -> Vec<f32> {
    let mut sum = vec![0.0_f32; WIDTH];
    for piece in pieces::of(word) {
        model::add(piece, &mut sum);
    }
    sum
}

/// The vector with length 1; zero stays zero.
pub fn normalized(vector: Vec<f32>) -> Vec<f32> {
    let length = length(&vector).max(f32::EPSILON);
    vector.into_iter().map(|x| x / length).collect()
}

/// The similarity of two vectors of length 1, from -1 to 1.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// How informative a word is, where 1 is average. The table was made so that frequent words have short vectors.
pub fn weight(word: &str) -> f32 {
    if pieces::of(word).is_empty() { 1.0 } else { length(&of_word(word)) / model::MEDIAN_LENGTH }
}

/// Whether a word is a whole piece of the table, and so an ordinary word rather than a typing error.
pub fn is_ordinary(word: &str) -> bool {
    word.len() > 3 && word.bytes().all(|b| b.is_ascii_alphabetic()) && pieces::is_known(word)
}

/// Whether at least half of the word is one piece of the table, such as `wedding` in `weddings`. Random letters are split
/// into short pieces. Only words of ASCII letters are judged.
pub fn is_understood(word: &str) -> bool {
    let longest = pieces::longest(word);
    !word.is_ascii() || longest == word.len() || longest >= MIN_PIECE.max(word.len().div_ceil(2))
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

fn unit(vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = length(&vector);
    (length > f32::EPSILON).then(|| vector.into_iter().map(|x| x / length).collect())
}

impl Embedding {
    /// Stands for an embedding that only a search backend contains.
    pub(super) const fn elsewhere() -> Self {
        Self { scale: -1.0, parts: Vec::new() }
    }

    pub(super) const fn is_elsewhere(&self) -> bool {
        self.scale < 0.0
    }

    /// The components; zeros for a text without any known word.
    pub(super) fn components(&self) -> Vec<f32> {
        let parts = self.parts.iter().map(|part| self.scale * f32::from(part.cast_signed()));
        parts.chain(std::iter::repeat(0.0)).take(WIDTH).collect()
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

    fn alike(a: &str, b: &str) -> f32 {
        dot(&vector(a).unwrap(), &vector(b).unwrap())
    }

    #[test]
    fn texts_about_the_same_subject_are_similar() {
        let request = "send a message to my colleagues";
        assert!(
            alike(request, "Slack: post to channels and chat") > alike(request, "Weather forecast by city")
        );
    }

    #[test]
    fn random_letters_are_not_understood() {
        for word in ["wedding", "weddings", "ci", "天気"] {
            assert!(is_understood(word), "{word}");
        }
        for word in ["asdfqwerzxcv", "qwertzuiop", "xkcdzzqj", "blrgh"] {
            assert!(!is_understood(word), "{word}");
        }
    }

    #[test]
    fn a_quantized_vector_has_length_one() {
        let kept = of(&["query a postgres database".to_owned()]);
        let length: f32 =
            kept.parts.iter().map(|part| (kept.scale * f32::from(part.cast_signed())).powi(2)).sum();
        assert!((length.sqrt() - 1.0).abs() < 0.01);
        assert_eq!(of(&["\u{1F980}".to_owned()]), Embedding::default());
    }
}
