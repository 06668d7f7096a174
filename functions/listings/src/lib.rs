//! Reading the registry: status, the active list, search, the feed, the probe statistics, badges, and the two standard
//! discovery APIs. Nothing here writes.

mod ard;
mod registry_api;

use axum::Router;
use registry::app::App;
use registry::documents;
use registry::http::{rest, with_middleware};
use registry::operations;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let operations = rest::operations(&[
        &operations::CHECK_STATUS,
        &operations::MATCH_CAPABILITY,
        &operations::ARD_SEARCH,
        &operations::PROBE_CLEAN,
        &operations::CHECK_LIVENESS,
    ]);
    let documents = rest::documents(&[
        &documents::ACTIVE_LIST,
        &documents::ACTIVITY_FEED,
        &documents::PROBE_STATISTICS,
        &documents::BADGE,
        &documents::PUBLIC_AGENTS,
    ]);
    with_middleware(operations.merge(documents).merge(ard::routes()).merge(registry_api::routes()), app)
}
