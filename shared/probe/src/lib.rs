//! Probing: asking an unknown server a real question, and assessing its answer. The handshake gathers findings and
//! ends in a verdict; checks and score make it an assessment; the transition makes that a state change, which is written.

pub mod assess;
pub mod checks;
mod due_queue;
pub mod explain;
pub mod handshake;
mod host_slots;
pub mod not_probed;
mod overdue;
pub mod reasons;
mod record;
pub mod run;
pub mod score;
mod sweep;
pub mod transition;

pub use sweep::SweepReport;
