//! Trails (`specification.md#trails`): numbers about a listing that events increase and that fall with time.
//! The amount that an event adds is called a deposit. Deposits that reads cause
//! wait in memory (`registry_app`), so that a read does not wait for a write.

pub mod operations;
mod source;
pub(crate) mod trace;
pub mod trail;

pub use source::{is_itself, source_digest};

/// The version of this family (`specification.md#versioning`).
pub const VERSION: &str = "2.9.0";
