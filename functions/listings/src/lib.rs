//! The read endpoints: status, active list, search, feed, probe statistics, badges, the ARD API and the
//! official MCP registry API. This function never publishes or changes a listing.

use axum::Router;
use registry::app::App;
use registry::ard;
use registry::documents::{self, AnyDocument};
use registry::features::{AnyOperation, count_served, served};
use registry::registry_api;
use registry::rest::{self, with_middleware};

/// The paths that the gateway sends to this function; a slash at the end stands for all paths below.
pub const PATHS: &[&str] = &[
    "/agents/",
    "/api/ard",
    "/api/ard/",
    "/api/changes",
    "/api/feed",
    "/api/listings/",
    "/api/liveness",
    "/api/match",
    "/api/pins/",
    "/api/probe-clean",
    "/api/probes",
    "/badge/",
    "/feeds/",
    "/r/",
    "/v0.1/",
    "/v0/",
];

static OPERATIONS: [&AnyOperation; count_served(PATHS)] = served(PATHS);

const DOCUMENTS: &[&AnyDocument] = &[
    &documents::ACTIVE_LIST,
    &documents::ACTIVITY_FEED,
    &documents::CHANGE_FEED,
    &documents::PROBE_STATISTICS,
    &documents::BADGE,
    &documents::PUBLIC_AGENTS,
];

pub fn router(app: App) -> Router {
    let routes = rest::operations(&OPERATIONS).merge(rest::documents(DOCUMENTS));
    with_middleware(routes.merge(ard::routes()).merge(registry_api::routes()), app)
}
