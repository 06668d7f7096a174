//! Operations on federation: they read other registries, and show the entries of other registries as referrals.

pub mod federation_pull;
pub mod federation_push;
pub mod overview;
