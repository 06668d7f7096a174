//! Operations on trails: values and marks at listings that decay with time (stigmergy).

pub mod endorse;
pub mod follow_trail;
pub mod leave_trace;
pub mod sense_traces;
pub mod stigmergy;
pub(crate) mod trace;
pub mod used_with;
