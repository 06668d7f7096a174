//! Operations of the family "operator".

pub mod bump_acceleration;
pub mod evaporate;
pub mod revoke_attestation;
pub mod rotate_signing_key;
