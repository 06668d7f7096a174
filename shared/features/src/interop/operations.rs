//! The operations of interop.

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
