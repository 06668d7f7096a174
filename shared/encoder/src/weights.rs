//! The packed weights in `assets/weights.bin`, which `assets/pack.py` makes. All numbers are little endian. Most of them are
//! used where they are, so that almost nothing is unpacked at the start.

use std::sync::LazyLock;

use super::WIDTH;

static BYTES: &[u8] = include_bytes!("../assets/weights.bin");

const PIECES: usize = 30_522;
/// The pieces of the longest text, with the marks of its beginning and end.
pub(super) const POSITIONS: usize = 128;
const LAYERS: usize = 6;
/// The width between the two last matrices of a layer.
const INNER: usize = 4 * WIDTH;

pub(super) static MODEL: LazyLock<Model> = LazyLock::new(Model::read);

#[derive(Debug)]
pub(super) struct Model {
    piece_steps: &'static [u8],
    piece_parts: &'static [u8],
    pub(super) positions: Vec<f32>,
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
}

#[derive(Debug)]
pub(super) struct Layer {
    /// Queries, keys and values of the attention, one after the other.
    pub(super) attention: Matrix,
    pub(super) attended: Matrix,
    pub(super) attended_norm: Norm,
    pub(super) inner: Matrix,
    pub(super) outer: Matrix,
    pub(super) outer_norm: Norm,
}

/// A matrix of numbers from -31 to 31, as signed bytes.
#[derive(Debug)]
pub(super) struct Matrix {
    pub(super) columns: usize,
    pub(super) numbers: &'static [u8],
    /// For each row, the value of a number of 1.
    pub(super) steps: Vec<f32>,
    /// For each row, the sum of its numbers.
    pub(super) sums: Vec<f32>,
    pub(super) biases: Vec<f32>,
}

/// What a layer norm multiplies and adds.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) factors: Vec<f32>,
    pub(super) terms: Vec<f32>,
}

impl Model {
    fn read() -> Self {
        let mut rest = Rest(BYTES);
        let piece_steps = rest.take(PIECES * size_of::<f32>());
        let piece_parts = rest.take(PIECES * WIDTH / 2);
        let positions = rest.floats(POSITIONS * WIDTH);
        let norm = rest.norm();
        let layer = |_| Layer {
            attention: rest.matrix(3 * WIDTH, WIDTH),
            attended: rest.matrix(WIDTH, WIDTH),
            attended_norm: rest.norm(),
            inner: rest.matrix(INNER, WIDTH),
            outer: rest.matrix(WIDTH, INNER),
            outer_norm: rest.norm(),
        };
        let layers = (0..LAYERS).map(layer).collect();
        Self { piece_steps, piece_parts, positions, norm, layers }
    }

    /// The embedding of a piece: four bits for each component, which stand for the odd numbers from -15 to 15.
    pub(super) fn embedding(&self, piece: u32) -> impl Iterator<Item = f32> {
        let place = (piece as usize).min(PIECES - 1);
        let step = floats(&self.piece_steps[place * size_of::<f32>()..]).next().unwrap_or_default();
        let parts = &self.piece_parts[place * WIDTH / 2..][..WIDTH / 2];
        let odd = move |half: u8| step * (2.0 * f32::from(half) - 15.0);
        parts.iter().flat_map(move |pair| [odd(pair & 15), odd(pair >> 4)])
    }
}

/// The part of the file that is not read yet.
struct Rest(&'static [u8]);

impl Rest {
    fn take(&mut self, bytes: usize) -> &'static [u8] {
        let (part, rest) = self.0.split_at(bytes);
        self.0 = rest;
        part
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        floats(self.take(count * size_of::<f32>())).collect()
    }

    fn norm(&mut self) -> Norm {
        Norm { factors: self.floats(WIDTH), terms: self.floats(WIDTH) }
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Matrix {
        let [steps, sums, biases] = [0; 3].map(|_| self.floats(rows));
        Matrix { columns, numbers: self.take(rows * columns), steps, sums, biases }
    }
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_row_are_small_and_have_the_stored_sum() {
        let layers = MODEL.layers.iter();
        for matrix in layers.flat_map(|layer| [&layer.attention, &layer.attended, &layer.inner, &layer.outer])
        {
            for (numbers, sum) in matrix.numbers.chunks_exact(matrix.columns).zip(&matrix.sums) {
                let numbers = numbers.iter().map(|number| i32::from(number.cast_signed()));
                assert!(numbers.clone().all(|number| number.abs() <= 31));
                assert_eq!(numbers.sum::<i32>() as f32, *sum);
            }
        }
    }

    #[test]
    fn the_whole_file_is_read() {
        let last = MODEL.layers.last().unwrap();
        let end = last.outer.numbers.as_ptr_range().end as usize + 2 * WIDTH * size_of::<f32>();
        assert_eq!(end, BYTES.as_ptr_range().end as usize);
    }
}
