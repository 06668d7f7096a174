//! The evidence log contains every decision on whether a listing is Live. Each decision is a leaf of one
//! append-only Merkle tree (C2SP `tlog-tiles`). With the log, anyone can prove what the registry stated on a
//! certain day, and that the statement was not changed afterwards.

mod inclusion;
mod sequencer;
mod tree;

pub use inclusion::{Inclusion, entries, of_index, of_listing};
pub use sequencer::{SequencerReport, sequence, sequence_if_due, sequence_or_warn};
