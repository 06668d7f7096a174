//! What others find out about a listing or a server: the score of a URL, reports of bad listings, and rechecks that both
//! bring forward.

pub mod hastened_rechecks;
pub mod report_listing;
pub mod score;
pub mod score_report;

crate::operation::operations! {
    SCORE in "listings" = score::Score,
    REPORT_LISTING in "listings" = report_listing::ReportListing,
}
