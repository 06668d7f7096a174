//! What others find out about a listing or a server: the score of a URL, reports of bad listings, and rechecks that both
//! bring forward.

pub mod hastened_rechecks;
pub mod operations;
pub mod score_report;
