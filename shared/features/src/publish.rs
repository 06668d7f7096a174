//! Publishing: parses a submission and turns it into a listing. The registry also uses this code to publish itself.

pub mod canary;
pub mod listing;
pub mod name_proof;
pub mod operations;
mod rights;
pub mod self_listing;
pub mod submission;
