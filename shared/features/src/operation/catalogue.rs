//! The table of all operations. REST routes, MCP tools, A2A skills and all documents are derived from this table.

use super::{AnyOperation, Description};
use crate::{
    collections, economy, federation, funnel, interop, listing, log, outreach, products, publish, talk,
    trails, trust,
};

/// Declares a static for each operation, with the name of its family, and the table of all of them. Each has its own static,
/// so that a function links only the operations that it serves.
macro_rules! catalogue {
    ($($name:ident in $family:literal = $operation:ty,)*) => {
        $(pub static $name: AnyOperation = AnyOperation::of::<$operation>();)*

        /// Every operation, in the order in which documents list them.
        pub static CATALOGUE: &[&AnyOperation] = &[$(&$name),*];

        /// The description of each operation, in the same order: for documents, which need no code of operations.
        pub static DESCRIPTIONS: [&Description; CATALOGUE.len()] = [$($name.described),*];

        /// The family of each operation, in the same order.
        pub(crate) static FAMILY_OF: [&str; CATALOGUE.len()] = [$($family),*];
    };
}

catalogue! {
    LIST_YOURSELF in "listings" = publish::list_yourself::ListYourself,
    CHECK_STATUS in "listings" = listing::check_status::CheckStatus,
    SEARCH_ACTIVE in "listings" = listing::search_active::SearchActive,
    MATCH_CAPABILITY in "listings" = listing::match_capability::MatchCapability,
    ARD_SEARCH in "listings" = listing::ard_search::ArdSearch,
    PROBE_CLEAN in "listings" = listing::probe_clean::ProbeClean,
    CHECK_LIVENESS in "listings" = listing::check_liveness::CheckLiveness,
    CHANGES in "listings" = listing::changes::Changes,
    LISTING_TOOLS in "listings" = listing::listing_tools::ListingTools,
    INCLUSION_PROOF in "listings" = log::inclusion_proof::InclusionProof,
    SCORE in "listings" = publish::score::Score,
    REPORT_LISTING in "listings" = listing::report_listing::ReportListing,
    GET_FOUNDING_DEAL in "products" = funnel::get_founding_deal::GetFoundingDeal,
    TAKE_DEMO in "products" = funnel::take_demo::TakeDemo,
    LEAVE_FEEDBACK in "products" = funnel::leave_feedback::LeaveFeedback,
    DEMO_CONFIRM in "products" = funnel::demo_confirm::DemoConfirm,
    GET_ACCESS in "products" = funnel::get_access::GetAccess,
    TALK_INBOX in "talk" = talk::talk_inbox::TalkInbox,
    TALK in "talk" = talk::message::Talk,
    DAILY_CONNECTOR in "outreach" = outreach::daily_connector::DailyConnector,
    LIST_CONNECTORS in "outreach" = outreach::list_connectors::ListConnectors,
    DEMO_NUDGE in "outreach" = outreach::demo_nudge::DemoNudge,
    OUTREACH_OPT_OUT in "outreach" = outreach::outreach_opt_out::OutreachOptOut,
    CONVERSION_PRESSURE in "outreach" = outreach::conversion_pressure::ConversionPressure,
    REPLY_CAPTURE in "outreach" = outreach::reply_capture::ReplyCapture,
    AGENTFINDER in "outreach" = outreach::agentfinder::AgentFinder,
    EXPORT_PRODUCT in "products" = products::export_product::ExportProduct,
    PRODUCT_AGENT in "products" = products::product_agent::ProductAgent,
    PREVIEW_PRODUCT in "products" = products::preview_product::PreviewProduct,
    VERIFY_PRODUCT in "products" = products::verify_product::VerifyProduct,
    RUN_PRODUCT in "products" = products::run_product::RunProduct,
    GET_LEARNING in "products" = products::get_learning::GetLearning,
    IMPROVEMENT_LOG in "products" = products::improvement_log::ImprovementLog,
    CHECKOUT in "products" = products::checkout::Checkout,
    FEDERATION in "federation" = federation::overview::Federation,
    FEDERATION_PULL in "operator" = federation::federation_pull::FederationPull,
    FEDERATION_PUSH in "operator" = federation::federation_push::FederationPush,
    STIGMERGY in "trails" = trails::stigmergy::Stigmergy,
    LEAVE_TRACE in "trails" = trails::leave_trace::LeaveTrace,
    SENSE_TRACES in "trails" = trails::sense_traces::SenseTraces,
    FOLLOW_TRAIL in "trails" = trails::follow_trail::FollowTrail,
    ENDORSE in "trails" = trails::endorse::Endorse,
    USED_WITH in "trails" = trails::used_with::UsedWith,
    EVAPORATE in "operator" = trails::evaporate::Evaporate,
    CAPABILITY_HASH in "trust" = trust::capability_hash::CapabilityHash,
    ATTEST in "trust" = trust::attest::Attest,
    VERIFY_ATTESTATION in "trust" = trust::verify_attestation::VerifyAttestation,
    ATTESTATIONS in "trust" = trust::attestations::Attestations,
    CHECK_PINS in "trust" = trust::check_pins::CheckPins,
    BIND_IDENTITY in "trust" = trust::bind_identity::BindIdentity,
    MANAGE_LISTING in "trust" = trust::manage_listing::ManageListing,
    PUBLISH_COLLECTION in "trust" = collections::publish_collection::PublishCollection,
    COLLECTIONS in "trust" = collections::list_collections::Collections,
    GET_RECIPROCITY in "trust" = trust::get_reciprocity::GetReciprocity,
    REVOKE_ATTESTATION in "operator" = trust::revoke_attestation::RevokeAttestation,
    ROTATE_SIGNING_KEY in "operator" = trust::rotate_signing_key::RotateSigningKey,
    FIRST_PRINCIPLES in "trust" = trust::first_principles::FirstPrinciples,
    INTEROP in "interop" = interop::overview::Interop,
    INTEROP_RESOLVE in "interop" = interop::interop_resolve::InteropResolve,
    COMPOSE_PEERS in "interop" = interop::compose_peers::ComposePeers,
    INTEROP_SESSION in "interop" = interop::interop_session::InteropSession,
    EXECUTE_COMPOSE in "interop" = interop::execute_compose::ExecuteCompose,
    DEPOSIT_OUTCOME in "interop" = interop::deposit_outcome::DepositOutcome,
    SEED_COMPOSITIONS in "interop" = interop::seed_compositions::SeedCompositions,
    JOIN_AND_CONTRIBUTE in "interop" = interop::join_and_contribute::JoinAndContribute,
    ATTRACTOR_TARGETS in "interop" = interop::attractor_targets::AttractorTargets,
    GET_INCENTIVES in "interop" = interop::get_incentives::GetIncentives,
    GET_ACCELERATION in "economy" = economy::get_acceleration::GetAcceleration,
    AUTOCATALYSIS in "economy" = economy::autocatalysis::Autocatalysis,
    BUMP_ACCELERATION in "operator" = economy::bump_acceleration::BumpAcceleration,
    GET_EXONOMICS in "economy" = economy::get_exonomics::GetExonomics,
    NETWORK_VALUE in "economy" = economy::network_value::ValueOfNetwork,
    HYPER_INDEX in "economy" = economy::hyper_index::HyperIndex,
    COST_MODEL in "economy" = economy::cost_model::CostModel,
    ABUNDANCE_RANK in "economy" = economy::abundance_rank::AbundanceRank,
    ZERO_MC_PACK in "economy" = economy::zero_mc_pack::ZeroMcPack,
    S_CURVE_BOARD in "economy" = economy::s_curve_board::SCurveBoard,
}

pub fn named(name: &str) -> Option<&'static AnyOperation> {
    CATALOGUE.iter().copied().find(|entry| entry.name == name || entry.aliases.contains(&name))
}
