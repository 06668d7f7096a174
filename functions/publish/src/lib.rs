//! The publisher's function: list something, or see what it would score.

use axum::Router;
use registry::app::App;
use registry::http::{rest, with_middleware};
use registry::operations::{LIST_YOURSELF, SCORE};

/// The routes of this function.
pub fn router(app: App) -> Router {
    with_middleware(rest::operations(&[&LIST_YOURSELF, &SCORE]), app)
}
