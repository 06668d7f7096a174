//! Operations on listings: publish, find, check and report them, and prove decisions about them.

pub mod active_page;
pub mod ard_search;
pub mod badge;
pub mod change_feed;
pub mod changes;
pub mod check_liveness;
pub mod check_status;
pub mod listing_tools;
mod liveness;
pub mod match_capability;
mod namespace;
mod peer;
pub mod probe_clean;
mod registry;
pub mod row;
pub mod search_active;
pub mod server_entry;
pub mod tools;
pub mod urn;

pub use liveness::{Liveness, LivenessState, is_clean};
pub use namespace::Namespace;
pub use peer::Peer;
pub use registry::{OWN_DESCRIPTION, OwnServerDescription, ProductEntry, tagline};
pub use row::{NameStanding, ProbeSummary, Row, Standing, hours};
pub use server_entry::{Server, ServerEvidence, ServerResponse};

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
