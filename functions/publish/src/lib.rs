//! Publishes a listing, calculates the score of a URL without publishing it, and accepts reports about listings.

mod form;

use axum::Router;
use axum::middleware::from_fn_with_state;
use registry::app::App;
use registry::http::{rest, with_middleware};
use registry::operations;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let forms = from_fn_with_state(app.clone(), form::accept_forms);
    let with_forms = [&operations::LIST_YOURSELF, &operations::REPORT_LISTING, &operations::SCORE];
    let publish = rest::operations(&with_forms).route_layer(forms);
    with_middleware(publish, app)
}
