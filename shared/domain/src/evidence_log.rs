//! The evidence log: every decision on what is Live is a leaf of one append-only Merkle tree (C2SP
//! `tlog-tiles`), so that anyone can prove what the registry stated on a day and that it was not changed
//! afterwards.

mod inclusion;
mod sequencer;
mod tree;

pub use inclusion::{Inclusion, entries, of_index, of_listing};
pub use sequencer::{SequencerReport, sequence, sequence_if_due, sequence_or_warn};
