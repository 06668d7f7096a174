//! Interop: how a caller can use listings of different protocols together. The submodules return what a listing can do
//! and which listings fit together. They also build requests that a caller can send as they are, in the protocol in
//! which the listing answered. All values come from stored evidence. No listing is called.

pub mod attractor_targets;
mod call;
pub mod compose_peers;
pub mod deposit_outcome;
pub mod execute_compose;
pub mod get_incentives;
pub mod interop_resolve;
pub mod interop_session;
mod invocation;
pub mod join_and_contribute;
mod node;
pub mod overview;
mod partners;
mod resolve;
pub mod seed_compositions;

pub use call::Call;
pub use invocation::{Adapter, CapabilityRequest, Invocation, adapters};
pub use node::{CapabilityNode, Endpoints};
pub use partners::{Pair, pairs, suggestions};
pub use resolve::{CapabilityQuery, live_in_order, resolve, trail_scores};

use registry_model::{Access, Listed};

crate::operation::operations! {
    INTEROP in "interop" = overview::Interop,
    INTEROP_RESOLVE in "interop" = interop_resolve::InteropResolve,
    COMPOSE_PEERS in "interop" = compose_peers::ComposePeers,
    INTEROP_SESSION in "interop" = interop_session::InteropSession,
    EXECUTE_COMPOSE in "interop" = execute_compose::ExecuteCompose,
    DEPOSIT_OUTCOME in "interop" = deposit_outcome::DepositOutcome,
    SEED_COMPOSITIONS in "interop" = seed_compositions::SeedCompositions,
    JOIN_AND_CONTRIBUTE in "interop" = join_and_contribute::JoinAndContribute,
    ATTRACTOR_TARGETS in "interop" = attractor_targets::AttractorTargets,
    GET_INCENTIVES in "interop" = get_incentives::GetIncentives,
}

/// The listings that a caller can use without a sign-in.
const CALLABLE: Listed = Listed::With(Access::Open);

/// Version of this family (`specification.md#versioning`).
pub const VERSION: &str = "2.7.0";
