//! Compares a vector with many rows of signed bytes, because a processor can multiply many integers at once.

use fearless_simd::{Level, dispatch};

/// A vector in integer steps of -127 to 127.
#[derive(Clone, Debug)]
pub struct Quantised {
    parts: Vec<i16>,
    step: f32,
}

impl Quantised {
    pub fn of(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(f32::EPSILON, |largest, x| largest.max(x.abs()));
        let step = largest / 127.0;
        let part = |x: &f32| {
            #[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
            let part = (x / step).round() as i16;
            part
        };
        Self { parts: vector.iter().map(part).collect(), step }
    }

    /// The product with a row of the same width. Not inlined: callers may be built without optimisation.
    pub fn dot(&self, row: &[u8]) -> f32 {
        self.product(row)
    }

    /// Multiplies the scale of each row by the product of the row and this vector.
    pub fn multiply(&self, scales: &mut [f32], rows: &[u8]) {
        // Compiled for the widest registers of this processor, too.
        dispatch!(Level::new(), _simd => self.multiply_each(scales, rows));
    }

    #[inline(always)]
    fn multiply_each(&self, scales: &mut [f32], rows: &[u8]) {
        for (scale, row) in scales.iter_mut().zip(rows.chunks_exact(self.parts.len().max(1))) {
            *scale *= self.product(row);
        }
    }

    #[inline(always)]
    fn product(&self, row: &[u8]) -> f32 {
        let products = row.iter().zip(&self.parts);
        let sum: i32 = products.map(|(row, part)| i32::from(row.cast_signed()) * i32::from(*part)).sum();
        sum as f32 * self.step
    }
}

/// Adds a multiple of a row to a vector.
pub fn add_row(sum: &mut [f32], row: &[u8], factor: f32) {
    sum.iter_mut().zip(row).for_each(|(sum, part)| *sum += factor * f32::from(part.cast_signed()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WIDTH;

    #[test]
    fn largest_components_do_not_overflow() {
        let most = Quantised::of(&[-1.0; WIDTH]);
        assert!((most.dot(&[128; WIDTH]) - 128.0 * WIDTH as f32).abs() < 0.01, "no row contains -128");
    }

    #[test]
    fn rows_of_any_width_are_multiplied() {
        for width in [WIDTH, 50, 1] {
            let (vector, mut scales) = (Quantised::of(&vec![1.0; width]), [2.0, 3.0]);
            vector.multiply(&mut scales, &[vec![1; width], vec![255; width]].concat());
            let expected = [2.0 * width as f32, -3.0 * width as f32];
            assert!(
                scales.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01 * width as f32),
                "{scales:?}"
            );
        }
    }
}
