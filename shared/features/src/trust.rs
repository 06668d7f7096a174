//! Trust: the registry's own keys, signed statements about listings, and proofs of who owns the domain of a listing.
//! The statements contain only what the registry observed itself. No other module has access to the private keys.

pub mod attestation;
pub mod capability;
pub mod card_signature;
pub mod collection_rules;
pub mod facts;
pub mod keys;
pub mod log_key;
pub mod operations;
mod owner;
pub mod ownership;
pub mod pins;
pub mod reciprocity;

/// Version of the first principles (`specification.md#versioning`).
pub const VERSION: &str = "2.7.0";
