//! Stigmergy: traces that listings and searches leave at listings (`specification.md#trails`). The rules for deposits,
//! and the deposits of reads, which wait in memory so that a read needs no write.

mod pending;
mod source;
mod trace;

pub use pending::PendingDeposits;
pub use source::{is_itself, source_digest};
pub use trace::{CONTAGION, ENDORSEMENT_INTERVAL, TRACE_INTERVAL, trace_amounts};

/// The version of this family (`specification.md#versioning`).
pub const VERSION: &str = "2.9.0";
