//! Operations on trust: signed statements (attestations), capability hashes, proven domains, and actions that
//! only the owner of a listing can take.

pub mod attest;
pub mod attestations;
pub mod bind_identity;
pub mod capability_hash;
pub mod check_pins;
pub mod collections;
pub mod first_principles;
pub mod get_reciprocity;
pub mod manage_listing;
mod owner;
pub mod publish_collection;
pub mod verify_attestation;
