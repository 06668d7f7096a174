//! Serves the funnel: demo, feedback, products, payment and outreach. It also serves the operations for
//! trails, attestations, federation, interop and economy.

use axum::Router;
use registry::app::App;
use registry::http::{rest, with_middleware};
use registry::operations::{self, AnyOperation};

pub const OPERATIONS: &[&AnyOperation] = &[
    &operations::TAKE_DEMO,
    &operations::LEAVE_FEEDBACK,
    &operations::DEMO_CONFIRM,
    &operations::GET_ACCESS,
    &operations::DAILY_CONNECTOR,
    &operations::LIST_CONNECTORS,
    &operations::DEMO_NUDGE,
    &operations::OUTREACH_OPT_OUT,
    &operations::CONVERSION_PRESSURE,
    &operations::REPLY_CAPTURE,
    &operations::AGENTFINDER,
    &operations::EXPORT_PRODUCT,
    &operations::PRODUCT_AGENT,
    &operations::PREVIEW_PRODUCT,
    &operations::VERIFY_PRODUCT,
    &operations::RUN_PRODUCT,
    &operations::GET_LEARNING,
    &operations::IMPROVEMENT_LOG,
    &operations::CHECKOUT,
    &operations::FEDERATION,
    &operations::FEDERATION_PULL,
    &operations::FEDERATION_PUSH,
    &operations::STIGMERGY,
    &operations::LEAVE_TRACE,
    &operations::SENSE_TRACES,
    &operations::FOLLOW_TRAIL,
    &operations::ENDORSE,
    &operations::USED_WITH,
    &operations::EVAPORATE,
    &operations::CAPABILITY_HASH,
    &operations::ATTEST,
    &operations::VERIFY_ATTESTATION,
    &operations::ATTESTATIONS,
    &operations::BIND_IDENTITY,
    &operations::MANAGE_LISTING,
    &operations::PUBLISH_COLLECTION,
    &operations::COLLECTIONS,
    &operations::GET_RECIPROCITY,
    &operations::REVOKE_ATTESTATION,
    &operations::ROTATE_SIGNING_KEY,
    &operations::FIRST_PRINCIPLES,
    &operations::CHECK_LIVENESS,
    &operations::INTEROP,
    &operations::INTEROP_RESOLVE,
    &operations::COMPOSE_PEERS,
    &operations::INTEROP_SESSION,
    &operations::EXECUTE_COMPOSE,
    &operations::DEPOSIT_OUTCOME,
    &operations::SEED_COMPOSITIONS,
    &operations::JOIN_AND_CONTRIBUTE,
    &operations::ATTRACTOR_TARGETS,
    &operations::GET_INCENTIVES,
    &operations::GET_ACCELERATION,
    &operations::AUTOCATALYSIS,
    &operations::BUMP_ACCELERATION,
    &operations::GET_EXONOMICS,
    &operations::NETWORK_VALUE,
    &operations::HYPER_INDEX,
    &operations::COST_MODEL,
    &operations::ABUNDANCE_RANK,
    &operations::ZERO_MC_PACK,
    &operations::S_CURVE_BOARD,
];

/// The routes of this function.
pub fn router(app: App) -> Router {
    with_middleware(rest::operations(OPERATIONS), app)
}
