//! Many embeddings in two contiguous columns, so that one pass over memory compares all of them with a query.

use std::borrow::Cow;

use registry_encoder::rows::{Quantised, add_row};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::{WIDTH, dot, of, vector};

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
        let weather = vector("weather forecast").unwrap();
        assert!((near[0] - dot(&weather, &query)).abs() < 0.01, "{near:?}");
        let left = many.retained(|number| number != 0);
        assert_eq!(left.similarities(&query), near[1..]);
    }
}
