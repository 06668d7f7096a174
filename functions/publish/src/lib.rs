//! Publishes a listing, or calculates the score of a URL without publishing it.

mod form;

use axum::Router;
use axum::middleware::from_fn_with_state;
use registry::app::App;
use registry::http::{rest, with_middleware};
use registry::operations;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let forms = from_fn_with_state(app.clone(), form::accept_forms);
    let publish = rest::operations(&[&operations::LIST_YOURSELF]).route_layer(forms);
    with_middleware(publish.merge(rest::operations(&[&operations::SCORE])), app)
}
