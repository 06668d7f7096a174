//! The operations of listings.

pub mod ard_search;
pub mod changes;
pub mod check_liveness;
pub mod check_status;
pub mod listing_tools;
pub mod match_capability;
pub mod probe_clean;
pub mod search_active;

crate::operation::operations! {
    CHECK_STATUS in "listings" = check_status::CheckStatus,
    SEARCH_ACTIVE in "listings" = search_active::SearchActive,
    MATCH_CAPABILITY in "listings" = match_capability::MatchCapability,
    ARD_SEARCH in "listings" = ard_search::ArdSearch,
    PROBE_CLEAN in "listings" = probe_clean::ProbeClean,
    CHECK_LIVENESS in "listings" = check_liveness::CheckLiveness,
    CHANGES in "listings" = changes::Changes,
    LISTING_TOOLS in "listings" = listing_tools::ListingTools,
}
