//! Publishing: what a publisher hands in, parsed, and how it becomes a listing. The registry itself is published the
//! same way.

pub mod listing;
pub mod self_listing;
pub mod submission;
