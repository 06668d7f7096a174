//! The read endpoints: status, active list, search, feed, probe statistics, badges, the ARD API and the
//! official MCP registry API. This function never publishes or changes a listing.

use axum::Router;
use registry::app::App;
use registry::ard;
use registry::documents::{self, AnyDocument};
use registry::operations::{self, AnyOperation};
use registry::registry_api;
use registry::rest::{self, with_middleware};

pub const OPERATIONS: &[&AnyOperation] = &[
    &operations::CHECK_STATUS,
    &operations::MATCH_CAPABILITY,
    &operations::ARD_SEARCH,
    &operations::PROBE_CLEAN,
    &operations::CHECK_LIVENESS,
    &operations::CHANGES,
    &operations::LISTING_TOOLS,
    &operations::CHECK_PINS,
];

pub const DOCUMENTS: &[&AnyDocument] = &[
    &documents::ACTIVE_LIST,
    &documents::ACTIVITY_FEED,
    &documents::CHANGE_FEED,
    &documents::PROBE_STATISTICS,
    &documents::BADGE,
    &documents::PUBLIC_AGENTS,
];

pub fn router(app: App) -> Router {
    let routes = rest::operations(OPERATIONS).merge(rest::documents(DOCUMENTS));
    with_middleware(routes.merge(ard::routes()).merge(registry_api::routes()), app)
}
