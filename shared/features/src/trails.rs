//! Trails (`specification.md#trails`): numbers about a listing that events increase and that fall with time.
//! The amount that an event adds is called a deposit. This module has the rules for deposits. If a read
//! causes a deposit, the deposit is first kept in memory, so that the read does not wait for a write.

pub mod endorse;
pub mod evaporate;
pub mod follow_trail;
pub mod leave_trace;
pub mod sense_traces;
mod source;
pub mod stigmergy;
pub(crate) mod trace;
mod trace_amounts;
pub mod trail;
pub mod used_with;

pub use source::{is_itself, source_digest};
pub use trace_amounts::{CONTAGION, DEFAULT_INTENSITY, ENDORSEMENT_INTERVAL, TRACE_INTERVAL, trace_amounts};

crate::operation::operations! {
    STIGMERGY in "trails" = stigmergy::Stigmergy,
    LEAVE_TRACE in "trails" = leave_trace::LeaveTrace,
    SENSE_TRACES in "trails" = sense_traces::SenseTraces,
    FOLLOW_TRAIL in "trails" = follow_trail::FollowTrail,
    ENDORSE in "trails" = endorse::Endorse,
    USED_WITH in "trails" = used_with::UsedWith,
    EVAPORATE in "operator" = evaporate::Evaporate,
}

/// The version of this family (`specification.md#versioning`).
pub const VERSION: &str = "2.9.0";
