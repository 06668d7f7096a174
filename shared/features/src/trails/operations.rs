//! The operations of trails.

pub mod endorse;
pub mod evaporate;
pub mod follow_trail;
pub mod leave_trace;
pub mod sense_traces;
pub mod stigmergy;
pub mod used_with;

crate::operation::operations! {
    STIGMERGY in "trails" = stigmergy::Stigmergy,
    LEAVE_TRACE in "trails" = leave_trace::LeaveTrace,
    SENSE_TRACES in "trails" = sense_traces::SenseTraces,
    FOLLOW_TRAIL in "trails" = follow_trail::FollowTrail,
    ENDORSE in "trails" = endorse::Endorse,
    USED_WITH in "trails" = used_with::UsedWith,
    EVAPORATE in "operator" = evaporate::Evaporate,
}
