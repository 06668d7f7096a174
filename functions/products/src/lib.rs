//! Serves the funnel: demo, feedback, products, payment and outreach. It also serves the operations for
//! trails, attestations, federation, interop and economy, and the webhook of Stripe.

use axum::Router;
use registry::app::App;
use registry::features::{AnyOperation, count_served, served};
use registry::rest::{self, with_middleware};

/// The paths that the gateway sends to this function; a slash at the end stands for all paths below.
pub const PATHS: &[&str] = &["/api/collections", "/api/products/"];

static OPERATIONS: [&AnyOperation; count_served(PATHS)] = served(PATHS);

pub fn router(app: App) -> Router {
    with_middleware(rest::operations(&OPERATIONS).merge(rest::payment_webhook()), app)
}
