//! Publishing: parses a submission and turns it into a listing. The registry also uses this code to publish itself.

pub mod canary;
pub mod hastened_rechecks;
pub mod list_yourself;
pub mod listing;
pub mod name_proof;
pub mod score;
pub mod score_report;
pub mod self_listing;
pub mod submission;
