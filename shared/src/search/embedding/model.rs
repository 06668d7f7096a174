//! The table of word pieces: for each a vector in signed bytes and the value of one step. It is part of the binary, so
//! that nothing is fetched or parsed at the start; `assets/meaning/distil.py` makes it.

pub(super) const WIDTH: usize = 256;

/// The step of each piece (f32, little endian), then the components of each.
static TABLE: &[u8] = include_bytes!("../../../assets/meaning/table.bin");

/// The usual length of a word's vector: the median over the words of the listings it was made for.
pub(super) const USUAL: f32 = 2.2206;

const ROW: usize = WIDTH + size_of::<f32>();
const PIECES: usize = TABLE.len() / ROW;
const _: () = assert!(PIECES * ROW == TABLE.len(), "the table has whole rows only");

/// Adds the vector of a piece to a sum. A piece that the table does not have adds nothing.
pub(super) fn add(piece: u32, sum: &mut [f32]) {
    let piece = piece as usize;
    if piece >= PIECES {
        return;
    }
    let (weights, parts) = TABLE.split_at(PIECES * size_of::<f32>());
    let weight = weights[piece * 4..].first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes));
    for (sum, part) in sum.iter_mut().zip(&parts[piece * WIDTH..][..WIDTH]) {
        *sum += weight * f32::from(part.cast_signed());
    }
}
