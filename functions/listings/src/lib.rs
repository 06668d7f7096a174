//! The read endpoints: status, active list, search, feed, probe statistics, badges, the ARD API and the
//! official MCP registry API. This function never publishes or changes a listing.

use axum::Router;
use registry::app::App;
use registry::ard;
use registry::documents::{self, AnyDocument};
use registry::features::{self, AnyOperation};
use registry::http::{rest, with_middleware};
use registry::registry_api;

pub const OPERATIONS: &[&AnyOperation] = &[
    &features::CHECK_STATUS,
    &features::MATCH_CAPABILITY,
    &features::ARD_SEARCH,
    &features::PROBE_CLEAN,
    &features::CHECK_LIVENESS,
    &features::CHANGES,
    &features::LISTING_TOOLS,
    &features::CHECK_PINS,
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
