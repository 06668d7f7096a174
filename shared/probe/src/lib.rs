//! Probes: how the registry calls an unknown server and assesses its answer.
//!
//! A handshake gathers findings and ends in a verdict. The checks and the score turn the verdict into an
//! assessment, and the transition turns the assessment into a state change of the listing. Conditional writes
//! store this state change.
//!
//! This crate may use the application crate (`registry-app`) and every crate below it. Only the fetcher opens
//! connections to peers.
//!
//! Start reading at [`run`] for what is scheduled (tick, first probe, weekly recheck), at [`handshake`] for
//! the protocols (A2A and MCP), at [`reasons`] for every way to fail, and at [`transition`] for the lanes.

pub mod assess;
pub mod checks;
mod due_queue;
pub mod explain;
pub mod handshake;
mod host_slots;
mod overdue;
pub mod reasons;
mod record;
pub mod run;
pub mod score;
mod sweep;
pub mod transition;

pub use sweep::SweepReport;
