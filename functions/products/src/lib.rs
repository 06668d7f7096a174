//! The funnel's function: demo, feedback, the products that they lead to, and their payment.

mod webhook;

use axum::Router;
use registry::app::App;
use registry::http::{rest, with_middleware};
use registry::operations;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let routes = rest::operations(&[
        &operations::TAKE_DEMO,
        &operations::LEAVE_FEEDBACK,
        &operations::DEMO_CONFIRM,
        &operations::GET_ACCESS,
        &operations::CHECKOUT,
    ]);
    with_middleware(routes.merge(webhook::routes()), app)
}
