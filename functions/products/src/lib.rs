//! The funnel's function: demo, feedback, and the products that they lead to.

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
        &operations::EXPORT_PRODUCT,
        &operations::PRODUCT_AGENT,
        &operations::PREVIEW_PRODUCT,
        &operations::VERIFY_PRODUCT,
        &operations::RUN_PRODUCT,
        &operations::GET_LEARNING,
        &operations::IMPROVEMENT_LOG,
    ]);
    with_middleware(routes, app)
}
