//! Operations on federation: other registries, and referrals to their entries.

pub mod federation_pull;
pub mod federation_push;
pub mod overview;
