//! What each operation does, a file for each.

mod ard_search;
mod check_liveness;
mod check_status;
mod checkout;
mod get_founding_deal;
mod list_yourself;
mod match_capability;
mod probe_clean;
mod score;
mod search_active;
