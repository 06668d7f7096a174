//! Publishes a listing, calculates the score of a URL without publishing it, and accepts reports about listings.

mod form;

use axum::Router;
use axum::middleware::from_fn_with_state;
use registry::app::App;
use registry::http::{rest, with_middleware};
use registry::operations::{self, AnyOperation};

pub const OPERATIONS: &[&AnyOperation] =
    &[&operations::LIST_YOURSELF, &operations::REPORT_LISTING, &operations::SCORE];

pub fn router(app: App) -> Router {
    let forms = from_fn_with_state(app.clone(), form::accept_forms);
    with_middleware(rest::operations(OPERATIONS).route_layer(forms), app)
}
