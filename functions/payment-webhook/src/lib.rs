//! The webhook for Stripe's payment events. It is a function of its own, so that no other can read the signing secret.

use axum::Router;
use registry::app::App;
use registry::rest::{payment_webhook, with_middleware};

pub fn router(app: App) -> Router {
    with_middleware(payment_webhook(), app)
}
