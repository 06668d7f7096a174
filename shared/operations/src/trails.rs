//! Operations of the family "trails".

pub mod endorse;
pub mod follow_trail;
pub mod leave_trace;
pub mod sense_traces;
pub mod stigmergy;
pub(crate) mod trace;
pub mod used_with;
