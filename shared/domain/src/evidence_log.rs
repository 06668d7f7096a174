//! The log of evidence: every decision on what is Live as a leaf of one append-only Merkle tree (C2SP `tlog-tiles`), so
//! that anybody can prove what the registry said on a day, and that it never said anything else afterwards.

mod inclusion;
mod sequencer;
mod tree;

pub use inclusion::{Inclusion, entries, of_index, of_listing};
pub use sequencer::{SequencerReport, sequence, sequence_in_turn, sequence_or_warn};
