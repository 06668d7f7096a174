//! The publisher's function: list something, or see what it would score.

use axum::Router;
use registry::app::App;
use registry::http::{rest, with_middleware};
use registry::operations;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let routes = rest::operations(&[&operations::LIST_YOURSELF, &operations::SCORE]);
    with_middleware(routes, app)
}
