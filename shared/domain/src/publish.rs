//! Publishing: parsing what a publisher submits, and turning it into a listing. The registry publishes itself through
//! the same code.

pub mod listing;
pub mod name_proof;
mod repository_proof;
pub mod self_listing;
pub mod signature_proof;
pub mod submission;
