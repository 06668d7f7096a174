//! Operations of the family "trust".

pub mod attest;
pub mod attestations;
pub mod bind_identity;
pub mod capability_hash;
pub mod first_principles;
pub mod get_reciprocity;
pub mod manage_listing;
mod owner;
pub mod verify_attestation;
