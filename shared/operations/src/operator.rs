//! Operations for the operator of the registry only; each requires the operator's bearer token.

pub mod bump_acceleration;
pub mod evaporate;
pub mod revoke_attestation;
pub mod rotate_signing_key;
