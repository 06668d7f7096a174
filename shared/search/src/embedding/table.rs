//! The table of word pieces, for the meaning of single words. For each piece it contains a vector with four bits per
//! component, and the scale of these values. The table is part of the binary, so that nothing is loaded at the start. The
//! script `assets/meaning/distil.py` generates it.

use registry_encoder::pieces;

pub const WORD_WIDTH: usize = 256;

/// First the step of each piece (f32, little endian), then the components of each piece. A byte contains two
/// components; the first is in the lower half.
static TABLE: &[u8] = include_bytes!("../../assets/meaning/table.bin");

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
        add(piece, &mut sum);
    }
    sum
}

/// How informative a word is, where 1 is average. The table was made so that frequent words have short vectors.
pub fn weight(word: &str) -> f32 {
    if pieces::split(word, MAX_PIECES).is_empty() {
        1.0
    } else {
        super::length(&word_vector(word)) / MEDIAN_LENGTH
    }
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
fn add(piece: u32, sum: &mut [f32]) {
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
