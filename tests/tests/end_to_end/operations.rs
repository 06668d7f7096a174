//! What each operation does, a file for each.

mod ard_search;
mod check_status;
mod list_yourself;
mod score;
