//! The table of all operations. REST routes, MCP tools, A2A skills and all documents are derived from this table.

use crate::operation::{AnyOperation, Description};
use crate::{
    economy, federation, funnel, interop, listings, operator, outreach, products, talk, trails, trust,
};

/// Declares a static for each operation and the table of all of them. Each has its own static, so that a function links
/// only the operations that it serves.
macro_rules! catalogue {
    ($($name:ident = $operation:ty,)*) => {
        $(pub static $name: AnyOperation = AnyOperation::of::<$operation>();)*

        /// Every operation, in the order in which documents list them.
        pub static CATALOGUE: &[&AnyOperation] = &[$(&$name),*];

        /// The description of each operation, in the same order: for documents, which need no code of operations.
        pub static DESCRIPTIONS: [&Description; CATALOGUE.len()] = [$($name.described),*];
    };
}

catalogue! {
    LIST_YOURSELF = listings::list_yourself::ListYourself,
    CHECK_STATUS = listings::check_status::CheckStatus,
    SEARCH_ACTIVE = listings::search_active::SearchActive,
    MATCH_CAPABILITY = listings::match_capability::MatchCapability,
    ARD_SEARCH = listings::ard_search::ArdSearch,
    PROBE_CLEAN = listings::probe_clean::ProbeClean,
    CHECK_LIVENESS = listings::check_liveness::CheckLiveness,
    CHANGES = listings::changes::Changes,
    LISTING_TOOLS = listings::listing_tools::ListingTools,
    INCLUSION_PROOF = listings::inclusion_proof::InclusionProof,
    SCORE = listings::score::Score,
    REPORT_LISTING = listings::report_listing::ReportListing,
    GET_FOUNDING_DEAL = funnel::get_founding_deal::GetFoundingDeal,
    TAKE_DEMO = funnel::take_demo::TakeDemo,
    LEAVE_FEEDBACK = funnel::leave_feedback::LeaveFeedback,
    DEMO_CONFIRM = funnel::demo_confirm::DemoConfirm,
    GET_ACCESS = funnel::get_access::GetAccess,
    TALK_INBOX = talk::talk_inbox::TalkInbox,
    TALK = talk::message::Talk,
    DAILY_CONNECTOR = outreach::daily_connector::DailyConnector,
    LIST_CONNECTORS = outreach::list_connectors::ListConnectors,
    DEMO_NUDGE = outreach::demo_nudge::DemoNudge,
    OUTREACH_OPT_OUT = outreach::outreach_opt_out::OutreachOptOut,
    CONVERSION_PRESSURE = outreach::conversion_pressure::ConversionPressure,
    REPLY_CAPTURE = outreach::reply_capture::ReplyCapture,
    AGENTFINDER = outreach::agentfinder::AgentFinder,
    EXPORT_PRODUCT = products::export_product::ExportProduct,
    PRODUCT_AGENT = products::product_agent::ProductAgent,
    PREVIEW_PRODUCT = products::preview_product::PreviewProduct,
    VERIFY_PRODUCT = products::verify_product::VerifyProduct,
    RUN_PRODUCT = products::run_product::RunProduct,
    GET_LEARNING = products::get_learning::GetLearning,
    IMPROVEMENT_LOG = products::improvement_log::ImprovementLog,
    CHECKOUT = products::checkout::Checkout,
    FEDERATION = federation::overview::Federation,
    FEDERATION_PULL = federation::federation_pull::FederationPull,
    FEDERATION_PUSH = federation::federation_push::FederationPush,
    STIGMERGY = trails::stigmergy::Stigmergy,
    LEAVE_TRACE = trails::leave_trace::LeaveTrace,
    SENSE_TRACES = trails::sense_traces::SenseTraces,
    FOLLOW_TRAIL = trails::follow_trail::FollowTrail,
    ENDORSE = trails::endorse::Endorse,
    USED_WITH = trails::used_with::UsedWith,
    EVAPORATE = operator::evaporate::Evaporate,
    CAPABILITY_HASH = trust::capability_hash::CapabilityHash,
    ATTEST = trust::attest::Attest,
    VERIFY_ATTESTATION = trust::verify_attestation::VerifyAttestation,
    ATTESTATIONS = trust::attestations::Attestations,
    CHECK_PINS = trust::check_pins::CheckPins,
    BIND_IDENTITY = trust::bind_identity::BindIdentity,
    MANAGE_LISTING = trust::manage_listing::ManageListing,
    PUBLISH_COLLECTION = trust::publish_collection::PublishCollection,
    COLLECTIONS = trust::collections::Collections,
    GET_RECIPROCITY = trust::get_reciprocity::GetReciprocity,
    REVOKE_ATTESTATION = operator::revoke_attestation::RevokeAttestation,
    ROTATE_SIGNING_KEY = operator::rotate_signing_key::RotateSigningKey,
    FIRST_PRINCIPLES = trust::first_principles::FirstPrinciples,
    INTEROP = interop::overview::Interop,
    INTEROP_RESOLVE = interop::interop_resolve::InteropResolve,
    COMPOSE_PEERS = interop::compose_peers::ComposePeers,
    INTEROP_SESSION = interop::interop_session::InteropSession,
    EXECUTE_COMPOSE = interop::execute_compose::ExecuteCompose,
    DEPOSIT_OUTCOME = interop::deposit_outcome::DepositOutcome,
    SEED_COMPOSITIONS = interop::seed_compositions::SeedCompositions,
    JOIN_AND_CONTRIBUTE = interop::join_and_contribute::JoinAndContribute,
    ATTRACTOR_TARGETS = interop::attractor_targets::AttractorTargets,
    GET_INCENTIVES = interop::get_incentives::GetIncentives,
    GET_ACCELERATION = economy::get_acceleration::GetAcceleration,
    AUTOCATALYSIS = economy::autocatalysis::Autocatalysis,
    BUMP_ACCELERATION = operator::bump_acceleration::BumpAcceleration,
    GET_EXONOMICS = economy::get_exonomics::GetExonomics,
    NETWORK_VALUE = economy::network_value::ValueOfNetwork,
    HYPER_INDEX = economy::hyper_index::HyperIndex,
    COST_MODEL = economy::cost_model::CostModel,
    ABUNDANCE_RANK = economy::abundance_rank::AbundanceRank,
    ZERO_MC_PACK = economy::zero_mc_pack::ZeroMcPack,
    S_CURVE_BOARD = economy::s_curve_board::SCurveBoard,
}

pub fn named(name: &str) -> Option<&'static AnyOperation> {
    CATALOGUE.iter().copied().find(|entry| entry.name == name || entry.aliases.contains(&name))
}
