//! Trust: the registry's own keys and what it signs with them, what it can state about a listing from its own
//! observations, and who owns the domain of a listing. Only this module sees a private key.

pub mod attestation;
pub mod capability;
pub mod card_signature;
pub mod facts;
pub mod keys;
pub mod log_key;
pub mod message_key;
pub mod ownership;
pub mod reciprocity;
pub mod verification;

/// Version of the first principles (`specification.md#versioning`).
pub const VERSION: &str = "2.7.0";
