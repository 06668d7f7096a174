//! Operations on listings: publish, find, check and report them, and prove decisions about them.

pub mod ard_search;
pub mod changes;
pub mod check_liveness;
pub mod check_status;
pub mod inclusion_proof;
pub mod list_yourself;
pub mod listing_tools;
pub mod match_capability;
pub mod probe_clean;
pub mod report_listing;
pub mod score;
pub mod search_active;
