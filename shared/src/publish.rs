//! Publishing: parsing what a publisher submits, and turning it into a listing. The registry publishes itself through
//! the same code.

pub mod listing;
mod name_proof;
pub mod self_listing;
pub mod submission;
