//! Computes the vector of a text: six layers of attention over the pieces of the text, then the mean of the pieces.

use fearless_simd::{Level, Simd, dispatch};

use super::WIDTH;
use super::product::{Rounded, WHOLE};
use super::weights::{Layer, MODEL, Norm, POSITIONS};

const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;
/// The marks of the beginning and the end of a text.
const BEGIN: u32 = 101;
const END: u32 = 102;
/// Numbers that are computed at once.
const LANES: usize = 8;

pub(super) fn vector(pieces: &[u32]) -> Vec<f32> {
    dispatch!(Level::new(), simd => vector_with(simd, pieces))
}

#[inline(always)]
fn vector_with<S: Simd>(simd: S, pieces: &[u32]) -> Vec<f32> {
    let pieces = &pieces[..pieces.len().min(POSITIONS - 2)];
    let marked = [BEGIN].into_iter().chain(pieces.iter().copied()).chain([END]);
    let mut rows: Vec<f32> = marked.flat_map(|piece| MODEL.embedding(piece)).collect();
    add(&mut rows, &MODEL.positions);
    normalize(&mut rows, &MODEL.norm);
    for layer in &MODEL.layers {
        rows = through(simd, layer, rows);
    }
    let mut mean = vec![0.0; WIDTH];
    rows.chunks_exact(WIDTH).for_each(|row| add(&mut mean, row));
    let length = dot(&mean, &mean).sqrt().max(f32::EPSILON);
    mean.iter_mut().for_each(|number| *number /= length);
    mean
}

#[inline(always)]
fn through<S: Simd>(simd: S, layer: &Layer, mut rows: Vec<f32>) -> Vec<f32> {
    let parts = Rounded::of(&rows, WIDTH).times(simd, &layer.attention);
    let attended = attention(&parts);
    add(&mut rows, &Rounded::of(&attended, WIDTH).times(simd, &layer.attended));
    normalize(&mut rows, &layer.attended_norm);
    let mut inner = Rounded::of(&rows, WIDTH).times(simd, &layer.inner);
    inner.iter_mut().for_each(|number| *number = gelu(*number));
    add(&mut rows, &Rounded::of(&inner, 4 * WIDTH).times(simd, &layer.outer));
    normalize(&mut rows, &layer.outer_norm);
    rows
}

/// For each piece, the values of all pieces by how well their keys match its query. `parts` has queries, keys and values of
/// each piece.
#[inline(always)]
fn attention(parts: &[f32]) -> Vec<f32> {
    let pieces = parts.len() / (3 * WIDTH);
    let mut attended = vec![0.0; pieces * WIDTH];
    let mut weights = vec![0.0; pieces];
    let scale = 1.0 / (HEAD as f32).sqrt();
    for head in 0..HEADS {
        let part = |piece: usize, kind: usize| &parts[(3 * piece + kind) * WIDTH + head * HEAD..][..HEAD];
        for piece in 0..pieces {
            let mut most = f32::MIN;
            for (other, weight) in weights.iter_mut().enumerate() {
                *weight = scale * dot(part(piece, 0), part(other, 1));
                most = most.max(*weight);
            }
            weights.iter_mut().for_each(|weight| *weight = exp(*weight - most));
            let all: f32 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= all);
            let mut sum = [0.0_f32; HEAD];
            for (other, weight) in weights.iter().enumerate() {
                sum.iter_mut().zip(part(other, 2)).for_each(|(sum, value)| *sum += weight * value);
            }
            attended[piece * WIDTH + head * HEAD..][..HEAD].copy_from_slice(&sum);
        }
    }
    attended
}

#[inline(always)]
fn normalize(rows: &mut [f32], norm: &Norm) {
    for row in rows.chunks_exact_mut(WIDTH) {
        let mean = sum(row) / WIDTH as f32;
        row.iter_mut().for_each(|number| *number -= mean);
        let deviation = (dot(row, row) / WIDTH as f32 + 1e-12).sqrt();
        let factor = 1.0 / deviation;
        for ((number, factors), terms) in row.iter_mut().zip(&norm.factors).zip(&norm.terms) {
            *number = *number * factor * factors + terms;
        }
    }
}

#[inline(always)]
fn add(numbers: &mut [f32], more: &[f32]) {
    numbers.iter_mut().zip(more).for_each(|(sum, number)| *sum += number);
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

#[inline(always)]
fn sum(numbers: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    for numbers in numbers.as_chunks::<LANES>().0 {
        add(&mut sums, numbers);
    }
    sums.iter().sum()
}

/// The activation of the model, in the approximation by the hyperbolic tangent.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    // Twice the square root of 2/pi.
    const SLOPE: f32 = 1.595_769;
    x / (1.0 + exp(-SLOPE * (x + 0.044_715 * x * x * x)))
}

/// The exponential function, within a millionth of its value. A compiler can compute many at once, unlike with `f32::exp`.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    let whole = x + WHOLE;
    let part = (x - (whole - WHOLE)) * std::f32::consts::LN_2;
    let series = 1.0 + part * (1.0 + part * (0.5 + part * (1.0 / 6.0 + part * (1.0 / 24.0 + part / 120.0))));
    f32::from_bits(whole.to_bits().wrapping_add(127) << 23) * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_function_is_exact_enough() {
        for n in -790..=790 {
            let x = n as f32 / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-5, "{x}: {} {}", exp(x), x.exp());
        }
        assert!(exp(-1000.0) < 1e-30 && exp(1000.0).is_finite());
    }
}
