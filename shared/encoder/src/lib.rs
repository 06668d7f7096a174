//! The language model all-MiniLM-L6-v2. Texts with the same meaning get similar vectors, even if they have no word in common.
//! The weights are part of the binary. This crate depends on no other crate of the project.
//!
//! `pieces` splits a text into pieces of words, `weights` gives access to the packed weights, `model` computes the
//! vector, and `product` is the arithmetic that takes nearly all of the time. `rows` compares a vector with
//! many: it is here, because this crate is optimised in every build.

mod model;
pub mod pieces;
mod product;
pub mod rows;
mod weights;

pub const WIDTH: usize = 384;

/// The model reads no more pieces of a text, which are about 45 words.
pub const MAX_PIECES: usize = 62;

/// The vector of a text, with length 1; `None` where no piece of the text is known. A question takes a few milliseconds
/// of processor time, and a text of [`MAX_PIECES`] some ten.
pub fn vector(text: &str) -> Option<Vec<f32>> {
    let pieces = pieces::split(text, MAX_PIECES);
    (!pieces.is_empty()).then(|| model::vector(&pieces))
}

/// The similarity of two vectors of length 1, from -1 to 1.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds a multiple of a vector to another.
pub fn add(sum: &mut [f32], vector: &[f32], factor: f32) {
    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += factor * x);
}

#[cfg(test)]
mod tests;
