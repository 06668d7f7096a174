//! Reading the registry: status, the active list, search, the feed, the probe statistics, badges, and the two standard
//! discovery APIs. Nothing here writes.

mod ard;
mod registry_api;

use axum::Router;
use registry::app::App;
use registry::documents::{ACTIVE_LIST, ACTIVITY_FEED, BADGE, PROBE_STATISTICS, PUBLIC_AGENTS};
use registry::http::{rest, with_middleware};
use registry::operations::{ARD_SEARCH, CHECK_LIVENESS, CHECK_STATUS, MATCH_CAPABILITY, PROBE_CLEAN};

/// The routes of this function.
pub fn router(app: App) -> Router {
    let operations = [&CHECK_STATUS, &MATCH_CAPABILITY, &ARD_SEARCH, &PROBE_CLEAN, &CHECK_LIVENESS];
    let documents = [&ACTIVE_LIST, &ACTIVITY_FEED, &PROBE_STATISTICS, &BADGE, &PUBLIC_AGENTS];
    let routes = rest::operations(&operations)
        .merge(rest::documents(&documents))
        .merge(ard::routes())
        .merge(registry_api::routes());
    with_middleware(routes, app)
}
