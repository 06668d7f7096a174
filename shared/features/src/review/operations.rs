//! The operations of reviews of listings.

pub mod report_listing;
pub mod score;

crate::operation::operations! {
    SCORE in "listings" = score::Score,
    REPORT_LISTING in "listings" = report_listing::ReportListing,
}
