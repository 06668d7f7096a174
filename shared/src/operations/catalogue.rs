//! The one table of all operations. REST routes, MCP tools, A2A skills and every document are derived from it.

use super::operation::AnyOperation;
use super::{
    ard_search, check_liveness, check_status, get_founding_deal, list_yourself, match_capability,
    probe_clean, score, search_active,
};

/// Every operation, in the order in which documents list them.
pub static CATALOGUE: [&AnyOperation; 9] = [
    &LIST_YOURSELF,
    &CHECK_STATUS,
    &SEARCH_ACTIVE,
    &MATCH_CAPABILITY,
    &ARD_SEARCH,
    &PROBE_CLEAN,
    &CHECK_LIVENESS,
    &SCORE,
    &GET_FOUNDING_DEAL,
];

// One item each, so that a function holds no more operations than it serves.
/// [`list_yourself::ListYourself`]
pub static LIST_YOURSELF: AnyOperation = AnyOperation::of::<list_yourself::ListYourself>();
/// [`check_status::CheckStatus`]
pub static CHECK_STATUS: AnyOperation = AnyOperation::of::<check_status::CheckStatus>();
/// [`search_active::SearchActive`]
pub static SEARCH_ACTIVE: AnyOperation = AnyOperation::of::<search_active::SearchActive>();
/// [`match_capability::MatchCapability`]
pub static MATCH_CAPABILITY: AnyOperation = AnyOperation::of::<match_capability::MatchCapability>();
/// [`ard_search::ArdSearch`]
pub static ARD_SEARCH: AnyOperation = AnyOperation::of::<ard_search::ArdSearch>();
/// [`probe_clean::ProbeClean`]
pub static PROBE_CLEAN: AnyOperation = AnyOperation::of::<probe_clean::ProbeClean>();
/// [`check_liveness::CheckLiveness`]
pub static CHECK_LIVENESS: AnyOperation = AnyOperation::of::<check_liveness::CheckLiveness>();
/// [`score::Score`]
pub static SCORE: AnyOperation = AnyOperation::of::<score::Score>();
/// [`get_founding_deal::GetFoundingDeal`]
pub static GET_FOUNDING_DEAL: AnyOperation = AnyOperation::of::<get_founding_deal::GetFoundingDeal>();

/// The operation of that name or alias.
#[must_use]
pub fn named(name: &str) -> Option<&'static AnyOperation> {
    CATALOGUE.iter().copied().find(|entry| entry.name == name || entry.aliases.contains(&name))
}
