//! Publishes a listing, calculates the score of a URL without publishing it, and accepts reports about listings.

use axum::Router;
use registry::app::App;
use registry::operations::{self, AnyOperation};
use registry::rest::{self, with_forms, with_middleware};

pub const OPERATIONS: &[&AnyOperation] =
    &[&operations::LIST_YOURSELF, &operations::REPORT_LISTING, &operations::SCORE];

pub fn router(app: App) -> Router {
    with_middleware(with_forms(rest::operations(OPERATIONS), &app), app)
}
