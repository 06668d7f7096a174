//! Operations that only the operator of the registry can call. Each of them requires the operator's bearer token.

pub mod bump_acceleration;
pub mod evaporate;
pub mod revoke_attestation;
pub mod rotate_signing_key;
