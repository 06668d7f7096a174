//! The one table of all operations. REST routes, MCP tools, A2A skills and every document are derived from it.

#![expect(missing_docs, reason = "an operation is documented where it is written")]

use super::operation::{AnyOperation, Description};

/// Every operation, in the order in which documents list them.
pub static CATALOGUE: &[&AnyOperation] = &[
    &LIST_YOURSELF,
    &CHECK_STATUS,
    &SEARCH_ACTIVE,
    &MATCH_CAPABILITY,
    &ARD_SEARCH,
    &PROBE_CLEAN,
    &CHECK_LIVENESS,
    &INCLUSION_PROOF,
    &SCORE,
    &GET_FOUNDING_DEAL,
    &TAKE_DEMO,
    &LEAVE_FEEDBACK,
    &DEMO_CONFIRM,
    &GET_ACCESS,
    &TALK_INBOX,
    &TALK,
    &DAILY_CONNECTOR,
    &LIST_CONNECTORS,
    &DEMO_NUDGE,
    &OUTREACH_OPT_OUT,
    &CONVERSION_PRESSURE,
    &REPLY_CAPTURE,
    &AGENTFINDER,
    &EXPORT_PRODUCT,
    &PRODUCT_AGENT,
    &PREVIEW_PRODUCT,
    &VERIFY_PRODUCT,
    &RUN_PRODUCT,
    &GET_LEARNING,
    &IMPROVEMENT_LOG,
    &CHECKOUT,
    &FEDERATION,
    &FEDERATION_PULL,
    &FEDERATION_PUSH,
    &STIGMERGY,
    &LEAVE_TRACE,
    &SENSE_TRACES,
    &FOLLOW_TRAIL,
    &ENDORSE,
    &USED_WITH,
    &EVAPORATE,
    &CAPABILITY_HASH,
    &ATTEST,
    &VERIFY_ATTESTATION,
    &ATTESTATIONS,
    &BIND_IDENTITY,
    &MANAGE_LISTING,
    &GET_RECIPROCITY,
    &REVOKE_ATTESTATION,
    &ROTATE_SIGNING_KEY,
    &FIRST_PRINCIPLES,
    &INTEROP,
    &INTEROP_RESOLVE,
    &COMPOSE_PEERS,
    &INTEROP_SESSION,
    &EXECUTE_COMPOSE,
    &DEPOSIT_OUTCOME,
    &SEED_COMPOSITIONS,
    &JOIN_AND_CONTRIBUTE,
    &ATTRACTOR_TARGETS,
    &GET_INCENTIVES,
    &GET_ACCELERATION,
    &AUTOCATALYSIS,
    &BUMP_ACCELERATION,
    &GET_EXONOMICS,
    &NETWORK_VALUE,
    &HYPER_INDEX,
    &COST_MODEL,
    &ABUNDANCE_RANK,
    &ZERO_MC_PACK,
    &S_CURVE_BOARD,
];

/// What is said of each of them, in the same order: for documents, which run none.
pub static DESCRIPTIONS: [&Description; CATALOGUE.len()] = {
    let mut all = [CATALOGUE[0].described; CATALOGUE.len()];
    let mut place = 1;
    while place < all.len() {
        all[place] = CATALOGUE[place].described;
        place += 1;
    }
    all
};

// One item each, so that a function holds no more operations than it serves.
pub static LIST_YOURSELF: AnyOperation = AnyOperation::of::<super::list_yourself::ListYourself>();
pub static CHECK_STATUS: AnyOperation = AnyOperation::of::<super::check_status::CheckStatus>();
pub static SEARCH_ACTIVE: AnyOperation = AnyOperation::of::<super::search_active::SearchActive>();
pub static MATCH_CAPABILITY: AnyOperation = AnyOperation::of::<super::match_capability::MatchCapability>();
pub static ARD_SEARCH: AnyOperation = AnyOperation::of::<super::ard_search::ArdSearch>();
pub static PROBE_CLEAN: AnyOperation = AnyOperation::of::<super::probe_clean::ProbeClean>();
pub static CHECK_LIVENESS: AnyOperation = AnyOperation::of::<super::check_liveness::CheckLiveness>();
pub static INCLUSION_PROOF: AnyOperation = AnyOperation::of::<super::inclusion_proof::InclusionProof>();
pub static SCORE: AnyOperation = AnyOperation::of::<super::score::Score>();
pub static GET_FOUNDING_DEAL: AnyOperation = AnyOperation::of::<super::get_founding_deal::GetFoundingDeal>();
pub static TAKE_DEMO: AnyOperation = AnyOperation::of::<super::take_demo::TakeDemo>();
pub static LEAVE_FEEDBACK: AnyOperation = AnyOperation::of::<super::leave_feedback::LeaveFeedback>();
pub static DEMO_CONFIRM: AnyOperation = AnyOperation::of::<super::demo_confirm::DemoConfirm>();
pub static GET_ACCESS: AnyOperation = AnyOperation::of::<super::get_access::GetAccess>();
pub static TALK_INBOX: AnyOperation = AnyOperation::of::<super::talk_inbox::TalkInbox>();
pub static TALK: AnyOperation = AnyOperation::of::<super::talk::Talk>();
pub static DAILY_CONNECTOR: AnyOperation = AnyOperation::of::<super::daily_connector::DailyConnector>();
pub static LIST_CONNECTORS: AnyOperation = AnyOperation::of::<super::list_connectors::ListConnectors>();
pub static DEMO_NUDGE: AnyOperation = AnyOperation::of::<super::demo_nudge::DemoNudge>();
pub static OUTREACH_OPT_OUT: AnyOperation = AnyOperation::of::<super::outreach_opt_out::OutreachOptOut>();
pub static CONVERSION_PRESSURE: AnyOperation =
    AnyOperation::of::<super::conversion_pressure::ConversionPressure>();
pub static REPLY_CAPTURE: AnyOperation = AnyOperation::of::<super::reply_capture::ReplyCapture>();
pub static AGENTFINDER: AnyOperation = AnyOperation::of::<super::agentfinder::AgentFinder>();
pub static EXPORT_PRODUCT: AnyOperation = AnyOperation::of::<super::export_product::ExportProduct>();
pub static PRODUCT_AGENT: AnyOperation = AnyOperation::of::<super::product_agent::ProductAgent>();
pub static PREVIEW_PRODUCT: AnyOperation = AnyOperation::of::<super::preview_product::PreviewProduct>();
pub static VERIFY_PRODUCT: AnyOperation = AnyOperation::of::<super::verify_product::VerifyProduct>();
pub static RUN_PRODUCT: AnyOperation = AnyOperation::of::<super::run_product::RunProduct>();
pub static GET_LEARNING: AnyOperation = AnyOperation::of::<super::get_learning::GetLearning>();
pub static IMPROVEMENT_LOG: AnyOperation = AnyOperation::of::<super::improvement_log::ImprovementLog>();
pub static CHECKOUT: AnyOperation = AnyOperation::of::<super::checkout::Checkout>();
pub static FEDERATION: AnyOperation = AnyOperation::of::<super::federation::Federation>();
pub static FEDERATION_PULL: AnyOperation = AnyOperation::of::<super::federation_pull::FederationPull>();
pub static FEDERATION_PUSH: AnyOperation = AnyOperation::of::<super::federation_push::FederationPush>();
pub static STIGMERGY: AnyOperation = AnyOperation::of::<super::stigmergy::Stigmergy>();
pub static LEAVE_TRACE: AnyOperation = AnyOperation::of::<super::leave_trace::LeaveTrace>();
pub static SENSE_TRACES: AnyOperation = AnyOperation::of::<super::sense_traces::SenseTraces>();
pub static FOLLOW_TRAIL: AnyOperation = AnyOperation::of::<super::follow_trail::FollowTrail>();
pub static ENDORSE: AnyOperation = AnyOperation::of::<super::endorse::Endorse>();
pub static USED_WITH: AnyOperation = AnyOperation::of::<super::used_with::UsedWith>();
pub static EVAPORATE: AnyOperation = AnyOperation::of::<super::evaporate::Evaporate>();
pub static CAPABILITY_HASH: AnyOperation = AnyOperation::of::<super::capability_hash::CapabilityHash>();
pub static ATTEST: AnyOperation = AnyOperation::of::<super::attest::Attest>();
pub static VERIFY_ATTESTATION: AnyOperation =
    AnyOperation::of::<super::verify_attestation::VerifyAttestation>();
pub static ATTESTATIONS: AnyOperation = AnyOperation::of::<super::attestations::Attestations>();
pub static BIND_IDENTITY: AnyOperation = AnyOperation::of::<super::bind_identity::BindIdentity>();
pub static MANAGE_LISTING: AnyOperation = AnyOperation::of::<super::manage_listing::ManageListing>();
pub static GET_RECIPROCITY: AnyOperation = AnyOperation::of::<super::get_reciprocity::GetReciprocity>();
pub static REVOKE_ATTESTATION: AnyOperation =
    AnyOperation::of::<super::revoke_attestation::RevokeAttestation>();
pub static ROTATE_SIGNING_KEY: AnyOperation =
    AnyOperation::of::<super::rotate_signing_key::RotateSigningKey>();
pub static FIRST_PRINCIPLES: AnyOperation = AnyOperation::of::<super::first_principles::FirstPrinciples>();
pub static INTEROP: AnyOperation = AnyOperation::of::<super::interop::Interop>();
pub static INTEROP_RESOLVE: AnyOperation = AnyOperation::of::<super::interop_resolve::InteropResolve>();
pub static COMPOSE_PEERS: AnyOperation = AnyOperation::of::<super::compose_peers::ComposePeers>();
pub static EXECUTE_COMPOSE: AnyOperation = AnyOperation::of::<super::execute_compose::ExecuteCompose>();
pub static INTEROP_SESSION: AnyOperation = AnyOperation::of::<super::interop_session::InteropSession>();
pub static DEPOSIT_OUTCOME: AnyOperation = AnyOperation::of::<super::deposit_outcome::DepositOutcome>();
pub static SEED_COMPOSITIONS: AnyOperation = AnyOperation::of::<super::seed_compositions::SeedCompositions>();
pub static JOIN_AND_CONTRIBUTE: AnyOperation =
    AnyOperation::of::<super::join_and_contribute::JoinAndContribute>();
pub static ATTRACTOR_TARGETS: AnyOperation = AnyOperation::of::<super::attractor_targets::AttractorTargets>();
pub static GET_INCENTIVES: AnyOperation = AnyOperation::of::<super::get_incentives::GetIncentives>();
pub static GET_ACCELERATION: AnyOperation = AnyOperation::of::<super::get_acceleration::GetAcceleration>();
pub static AUTOCATALYSIS: AnyOperation = AnyOperation::of::<super::autocatalysis::Autocatalysis>();
pub static BUMP_ACCELERATION: AnyOperation = AnyOperation::of::<super::bump_acceleration::BumpAcceleration>();
pub static GET_EXONOMICS: AnyOperation = AnyOperation::of::<super::get_exonomics::GetExonomics>();
pub static NETWORK_VALUE: AnyOperation = AnyOperation::of::<super::network_value::ValueOfNetwork>();
pub static HYPER_INDEX: AnyOperation = AnyOperation::of::<super::hyper_index::HyperIndex>();
pub static COST_MODEL: AnyOperation = AnyOperation::of::<super::cost_model::CostModel>();
pub static ABUNDANCE_RANK: AnyOperation = AnyOperation::of::<super::abundance_rank::AbundanceRank>();
pub static ZERO_MC_PACK: AnyOperation = AnyOperation::of::<super::zero_mc_pack::ZeroMcPack>();
pub static S_CURVE_BOARD: AnyOperation = AnyOperation::of::<super::s_curve_board::SCurveBoard>();

/// The operation of that name or alias.
#[must_use]
pub fn named(name: &str) -> Option<&'static AnyOperation> {
    CATALOGUE.iter().copied().find(|entry| entry.name == name || entry.aliases.contains(&name))
}
