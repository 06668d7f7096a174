//! Operations on trails (stigmergy): numbers and marks that the registry stores for a listing, and that
//! decrease with time.

pub mod endorse;
pub mod follow_trail;
pub mod leave_trace;
pub mod sense_traces;
pub mod stigmergy;
pub(crate) mod trace;
pub mod used_with;
