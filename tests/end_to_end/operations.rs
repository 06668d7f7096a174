//! Tests the operations. Each operation or group of operations has its own file or folder.

mod ard_search;
mod check_liveness;
mod check_status;
mod checkout;
mod connectors;
mod demo_confirm;
mod get_access;
mod get_founding_deal;
mod leave_feedback;
mod list_yourself;
mod match_capability;
mod outreach;
mod probe_clean;
mod product_tools;
mod rate_limits;
mod report_listing;
mod score;
mod score_report;
mod search_active;
mod take_demo;
mod talk;
mod texts;
mod tools;
mod trust;
