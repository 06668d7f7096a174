//! The evidence log contains every decision on whether a listing is Live. Each decision is a leaf of one
//! append-only Merkle tree (C2SP `tlog-tiles`). With the log, anyone can prove what the registry stated on a
//! certain day, and that the statement was not changed afterwards.

mod attestation_batches;
mod inclusion;
mod log_place;
pub mod operations;
mod published;
mod sequencer;
mod tree;
mod witnesses;

pub use attestation_batches::{
    AttestationProof, attestation_proof, attested_digest, log_attestations, logged_after,
};
pub use inclusion::{Inclusion, check_proof, entry};
pub use log_place::{LogPlace, entry_url};
pub use published::{Published, published};
pub use sequencer::{SequencerReport, sequence, sequence_if_due, sequence_or_warn};
