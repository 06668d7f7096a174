//! Publishes a listing, calculates the score of a URL without publishing it, and accepts reports about listings.

mod form;

use axum::Router;
use axum::middleware::from_fn_with_state;
use registry::app::App;
use registry::features::{self, AnyOperation};
use registry::http::{rest, with_middleware};

pub const OPERATIONS: &[&AnyOperation] =
    &[&features::LIST_YOURSELF, &features::REPORT_LISTING, &features::SCORE];

pub fn router(app: App) -> Router {
    let forms = from_fn_with_state(app.clone(), form::accept_forms);
    with_middleware(rest::operations(OPERATIONS).route_layer(forms), app)
}
