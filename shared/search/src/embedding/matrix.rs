//! Many embeddings in two contiguous columns, so that one pass over memory compares all of them with a query.
//! The components are integers, because a processor can multiply many integers at once.

use std::borrow::Cow;

use fearless_simd::{Level, dispatch};

use super::Embedding;

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
        let query = Quantised::of(vector);
        let mut similarities = self.scales.clone();
        let rows = self.parts.as_chunks::<WIDTH>().0;
        // Compiled for the widest registers of this processor, too.
        dispatch!(Level::new(), _simd => multiply(&mut similarities, rows, &query));
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
        let scale = self.scales[number] * weight;
        for (sum, part) in vector.iter_mut().zip(self.row(number)) {
            *sum += scale * f32::from(part.cast_signed());
        }
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

/// Multiplies the scale of each row by the product of the row and the query.
#[inline(always)]
fn multiply<const WIDTH: usize>(scales: &mut [f32], rows: &[[u8; WIDTH]], query: &Quantised<WIDTH>) {
    for (scale, row) in scales.iter_mut().zip(rows) {
        *scale *= query.dot(row);
    }
}

/// A query vector in integer steps of -127 to 127.
struct Quantised<const WIDTH: usize> {
    parts: [i16; WIDTH],
    step: f32,
}

impl<const WIDTH: usize> Quantised<WIDTH> {
    fn of(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(f32::EPSILON, |largest, x| largest.max(x.abs()));
        let step = largest / 127.0;
        let part = |x: &f32| {
            #[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
            let part = (x / step).round() as i16;
            part
        };
        Self { parts: std::array::from_fn(|at| vector.get(at).map_or(0, part)), step }
    }

    #[inline(always)]
    fn dot(&self, row: &[u8; WIDTH]) -> f32 {
        let products = row.iter().zip(&self.parts);
        let sum: i32 = products.map(|(row, query)| i32::from(row.cast_signed()) * i32::from(*query)).sum();
        sum as f32 * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::{WIDTH, of, vector};

    #[test]
    fn nearest_row_has_the_same_subject() {
        let mut many = EmbeddingMatrix::<WIDTH>::default();
        for text in ["weather forecast", "\u{1F980}", "invoices and payments"] {
            many.push(&of(text));
        }
        let query = vector("will it rain").unwrap();
        let near = many.similarities(&query);
        assert!(near[0] > near[2] && near[1] == 0.0, "{near:?}");
        assert_eq!(many.similarities_of([2, 0].into_iter(), &query).collect::<Vec<_>>(), [near[2], near[0]]);
        let (weather, exact) = (vector("weather forecast").unwrap(), |a: &[f32], b: &[f32]| -> f32 {
            a.iter().zip(b).map(|(a, b)| a * b).sum()
        });
        assert!((near[0] - exact(&weather, &query)).abs() < 0.01, "{near:?}");
        let left = many.retained(|number| number != 0);
        assert_eq!(left.similarities(&query), near[1..]);
    }

    #[test]
    fn largest_components_do_not_overflow() {
        let most = Quantised::<WIDTH>::of(&[-1.0; WIDTH]);
        assert!((most.dot(&[128; WIDTH]) - 128.0 * WIDTH as f32).abs() < 0.01, "no row contains -128");
    }
}
