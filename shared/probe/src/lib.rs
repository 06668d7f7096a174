//! Probes: how the registry calls an unknown server and assesses its answer.
//!
//! A handshake collects findings, and its result is a verdict. The checks and the score turn the verdict into
//! an assessment. The module `transition` turns the assessment into a state change of the listing.
//! Conditional writes store this state change.
//!
//! This crate may use the application crate (`registry-app`) and the crates that `registry-app` uses. Only
//! the fetcher opens connections to peers.
//!
//! Start reading at [`run`] for the scheduled probes (tick, first probe, weekly recheck). The module [`handshake`] has
//! the protocols (A2A and MCP), [`reasons`] has every way to fail, and [`transition`] has the lanes.

pub mod assess;
pub mod checks;
mod due_queue;
pub mod explain;
pub mod handshake;
mod inbox_messages;
mod overdue;
mod packages;
pub mod reasons;
mod record;
pub mod run;
pub mod score;
mod sweep;
pub mod transition;
pub mod withdrawal;

pub use sweep::{LEASE, SweepReport, place};
