//! The product of a matrix with some rows of numbers. The numbers are rounded to bytes, because a processor multiplies many
//! bytes at once. The results are the same on every processor.

use fearless_simd::{Level, Simd};

use super::weights::Matrix;

/// Added to a number of at most some million in size, it leaves the nearest whole number in the lowest bits. A compiler can
/// round many numbers at once in this way, unlike with `as`.
pub(super) const WHOLE: f32 = 12_582_912.0;
/// Rounded numbers are from 0 to this.
const MOST: f32 = 127.0;
/// Bytes whose products are added in 16 bits: eight of at most 127 * 31 for each sum.
const STEP: usize = 128;
/// Rows of the input, and of the matrix, that are multiplied at once, so that few numbers are read more than once.
const INPUTS: usize = 2;
const ROWS: usize = 2;

/// Rows of numbers as bytes. A number is `step * (byte - zero)`.
#[derive(Debug, Default)]
pub(super) struct Rounded {
    bytes: Vec<u8>,
    steps: Vec<(f32, f32)>,
}

impl Rounded {
    #[inline(always)]
    pub(super) fn of(rows: &[f32], columns: usize) -> Self {
        let count = rows.len() / columns;
        let mut bytes = vec![0; count.next_multiple_of(INPUTS) * columns];
        let mut steps = Vec::with_capacity(count);
        for (row, bytes) in rows.chunks_exact(columns).zip(bytes.chunks_exact_mut(columns)) {
            let (mut least, mut most) = ([0.0_f32; 8], [0.0_f32; 8]);
            for numbers in row.as_chunks::<8>().0 {
                for lane in 0..8 {
                    least[lane] = if numbers[lane] < least[lane] { numbers[lane] } else { least[lane] };
                    most[lane] = if numbers[lane] > most[lane] { numbers[lane] } else { most[lane] };
                }
            }
            let least = least.into_iter().fold(0.0, f32::min);
            let most = most.into_iter().fold(f32::EPSILON, f32::max);
            let step = (most - least) / MOST;
            let zero = (-least / step).round();
            let factor = 1.0 / step;
            for (byte, number) in bytes.iter_mut().zip(row) {
                *byte = ((number * factor + zero).max(0.0) + WHOLE).to_bits() as u8;
            }
            steps.push((step, zero));
        }
        Self { bytes, steps }
    }

    /// The product with a matrix, and its bias.
    #[inline(always)]
    pub(super) fn times<S: Simd>(&self, simd: S, matrix: &Matrix) -> Vec<f32> {
        let rows = matrix.biases.len();
        let mut sums = vec![0_i32; self.bytes.len() / matrix.columns * rows];
        sums_of(simd, &self.bytes, matrix.numbers, matrix.columns, &mut sums);
        let mut product = vec![0.0; self.steps.len() * rows];
        let inputs = product.chunks_exact_mut(rows).zip(sums.chunks_exact(rows)).zip(&self.steps);
        for ((product, sums), (step, zero)) in inputs {
            let columns = matrix.steps.iter().zip(&matrix.sums).zip(&matrix.biases);
            for ((number, sum), ((row_step, row_sum), bias)) in product.iter_mut().zip(sums).zip(columns) {
                *number = (*sum as f32 - zero * row_sum) * (step * row_step) + bias;
            }
        }
        product
    }
}

/// Writes the sums of the products of each row of bytes with each row of the matrix.
#[inline(always)]
fn sums_of<S: Simd>(simd: S, inputs: &[u8], matrix: &[u8], columns: usize, sums: &mut [i32]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = simd.level().as_avx2() {
        return sums_with_avx2(avx2, inputs, matrix, columns, sums);
    }
    let _: Level = simd.level();
    plain_sums(inputs, matrix, columns, sums);
}

#[inline(always)]
fn plain_sums(inputs: &[u8], matrix: &[u8], columns: usize, sums: &mut [i32]) {
    let rows = matrix.len() / columns;
    for (place, row) in matrix.chunks_exact(columns).enumerate() {
        for (input, sums) in inputs.chunks_exact(columns).zip(sums.chunks_exact_mut(rows)) {
            sums[place] = plain_sum(input, row);
        }
    }
}

#[inline(always)]
fn plain_sum(input: &[u8], row: &[u8]) -> i32 {
    const LANES: usize = STEP / 8;
    let mut sums = [0_i32; LANES];
    for (input, row) in input.as_chunks::<STEP>().0.iter().zip(row.as_chunks::<STEP>().0) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let product = |at: usize| i16::from(input[at]) * i16::from(row[at].cast_signed());
            *sum += i32::from((0..8).map(|part| product(lane + part * LANES)).sum::<i16>());
        }
    }
    sums.iter().sum()
}

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
    _mm256_setzero_si256,
};

/// The steps of one of some rows.
#[cfg(target_arch = "x86_64")]
#[inline]
fn steps_of(rows: &[u8], columns: usize, row: usize) -> impl Iterator<Item = &[u8; STEP]> {
    rows[row * columns..][..columns].as_chunks().0.iter()
}

#[cfg(target_arch = "x86_64")]
fearless_simd::kernel!(
    fn sums_with_avx2(avx2: Avx2, inputs: &[u8], matrix: &[u8], columns: usize, sums: &mut [i32]) {
        use fearless_simd::{SimdBase as _, SimdInto as _, i32x8, u8x32};
        let rows = matrix.len() / columns;
        let ones = _mm256_set1_epi16(1);
        for (block, matrix) in matrix.chunks_exact(ROWS * columns).enumerate() {
            let inputs = inputs.chunks_exact(INPUTS * columns);
            for (inputs, sums) in inputs.zip(sums.chunks_exact_mut(INPUTS * rows)) {
                let mut added = [[_mm256_setzero_si256(); INPUTS]; ROWS];
                let parts_of = |bytes: &[u8; STEP]| -> [__m256i; 4] {
                    std::array::from_fn(|part| u8x32::from_slice(avx2, &bytes[32 * part..][..32]).into())
                };
                let inputs = steps_of(inputs, columns, 0).zip(steps_of(inputs, columns, 1));
                let matrix = steps_of(matrix, columns, 0).zip(steps_of(matrix, columns, 1));
                for ((first_input, second_input), (first_row, second_row)) in inputs.zip(matrix) {
                    let inputs = [parts_of(first_input), parts_of(second_input)];
                    for (row, added) in [first_row, second_row].into_iter().zip(&mut added) {
                        let numbers = parts_of(row);
                        for (input, added) in inputs.into_iter().zip(added) {
                            let product = |part: usize| _mm256_maddubs_epi16(input[part], numbers[part]);
                            let products = _mm256_add_epi16(
                                _mm256_add_epi16(product(0), product(1)),
                                _mm256_add_epi16(product(2), product(3)),
                            );
                            *added = _mm256_add_epi32(*added, _mm256_madd_epi16(products, ones));
                        }
                    }
                }
                for (row, added) in added.iter().enumerate() {
                    for (input, added) in added.iter().enumerate() {
                        let lanes: i32x8<_> = (*added).simd_into(avx2);
                        sums[input * rows + block * ROWS + row] = <[i32; 8]>::from(lanes).iter().sum();
                    }
                }
            }
        }
    }
);

#[cfg(test)]
mod tests;
