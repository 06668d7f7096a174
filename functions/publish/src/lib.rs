//! Publishes a listing, calculates the score of a URL without publishing it, and accepts reports about listings.

mod form;

use axum::Router;
use axum::middleware::from_fn_with_state;
use registry::app::App;
use registry::features::{AnyOperation, count_served, served};
use registry::http::{rest, with_middleware};

/// The paths that the gateway sends to this function.
const PATHS: &[&str] = &["/api/publish", "/api/report", "/api/score"];

pub static OPERATIONS: [&AnyOperation; count_served(PATHS)] = served(PATHS);

pub fn router(app: App) -> Router {
    let forms = from_fn_with_state(app.clone(), form::accept_forms);
    with_middleware(rest::operations(&OPERATIONS).route_layer(forms), app)
}
