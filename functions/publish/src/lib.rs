//! Publishes a listing, calculates the score of a URL without publishing it, and accepts reports about listings.

use axum::Router;
use registry::app::App;
use registry::features::{AnyOperation, count_served, served};
use registry::rest::{self, with_forms, with_middleware};

/// The paths that the gateway sends to this function.
pub const PATHS: &[&str] = &["/api/publish", "/api/report", "/api/score"];

static OPERATIONS: [&AnyOperation; count_served(PATHS)] = served(PATHS);

pub fn router(app: App) -> Router {
    with_middleware(with_forms(rest::operations(&OPERATIONS), &app), app)
}
