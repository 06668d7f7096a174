//! Many embeddings in two contiguous columns, so that one pass over memory compares all of them with a query.

use super::{Embedding, WIDTH};

/// Embeddings by document number.
#[derive(Clone, Debug, Default)]
pub(crate) struct EmbeddingMatrix {
    scales: Vec<f32>,
    parts: Vec<u8>,
}

impl EmbeddingMatrix {
    /// Appends a row. An embedding of an unknown text becomes zero, similar to nothing.
    pub(crate) fn push(&mut self, embedding: &Embedding) {
        let known = embedding.parts.len() == WIDTH;
        self.scales.push(if known { embedding.scale } else { 0.0 });
        self.parts.extend_from_slice(if known { &embedding.parts } else { &[0; WIDTH] });
    }

    /// Gives back the room that was kept for growing.
    pub(crate) fn shrink(&mut self) {
        self.scales.shrink_to_fit();
        self.parts.shrink_to_fit();
    }

    /// The cosine similarity of each row.
    pub(crate) fn similarities(&self, vector: &[f32]) -> impl Iterator<Item = f32> {
        let largest = vector.iter().fold(f32::EPSILON, |largest, x| largest.max(x.abs()));
        let one = largest / 127.0;
        // In whole parts, so that each row is a sum of small whole numbers.
        #[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
        let whole: Vec<i16> = vector.iter().map(|x| (x / one).round() as i16).collect();
        self.parts.chunks_exact(WIDTH).zip(&self.scales).map(move |(row, scale)| {
            let products = row.iter().zip(&whole).map(|(a, b)| i32::from(a.cast_signed()) * i32::from(*b));
            products.sum::<i32>() as f32 * scale * one
        })
    }

    /// The cosine similarity of one row.
    pub(crate) fn similarity(&self, number: usize, vector: &[f32]) -> f32 {
        let products = self.row(number).iter().zip(vector).map(|(part, x)| f32::from(part.cast_signed()) * x);
        products.sum::<f32>() * self.scales[number]
    }

    /// Adds a row to a vector, with a weight.
    pub(crate) fn add(&self, number: usize, weight: f32, vector: &mut [f32]) {
        let scale = self.scales[number] * weight;
        for (sum, part) in vector.iter_mut().zip(self.row(number)) {
            *sum += scale * f32::from(part.cast_signed());
        }
    }

    /// The rows whose number passes, renumbered.
    pub(crate) fn retained(&self, keep: impl Fn(usize) -> bool) -> Self {
        let living = (0..self.scales.len()).filter(|number| keep(*number));
        Self {
            scales: living.clone().map(|number| self.scales[number]).collect(),
            parts: living.flat_map(|number| self.row(number)).copied().collect(),
        }
    }

    fn row(&self, number: usize) -> &[u8] {
        &self.parts[number * WIDTH..][..WIDTH]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::embedding::{of, vector};

    #[test]
    fn the_nearest_is_that_which_is_about_the_same() {
        let mut many = EmbeddingMatrix::default();
        for text in ["weather forecast", "\u{1F980}", "invoices and payments"] {
            many.push(&of(&[text.to_owned()]));
        }
        let asked = vector("will it rain").unwrap();
        let near: Vec<f32> = many.similarities(&asked).collect();
        assert!(near[0] > near[2] && near[1] == 0.0, "{near:?}");
        assert!((near[0] - many.similarity(0, &asked)).abs() < 0.01);
        let left = many.retained(|number| number != 0);
        assert_eq!(left.similarities(&asked).collect::<Vec<_>>(), near[1..]);
    }
}
