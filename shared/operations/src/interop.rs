//! Operations on interop. They return requests that a caller can send as they are, and pairs of listings that
//! fit together. They also store sessions and reported outcomes.

pub mod attractor_targets;
pub mod compose_peers;
pub mod deposit_outcome;
pub mod execute_compose;
pub mod get_incentives;
pub mod interop_resolve;
pub mod interop_session;
pub mod join_and_contribute;
pub mod overview;
pub mod seed_compositions;
