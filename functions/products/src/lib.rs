//! What Live listings are offered, and how the registry writes to them: the connector of the day, the invitations, and
//! what came of them.

use axum::Router;
use registry::app::App;
use registry::http::{rest, with_middleware};
use registry::operations;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let routes = rest::operations(&[
        &operations::DAILY_CONNECTOR,
        &operations::LIST_CONNECTORS,
        &operations::DEMO_NUDGE,
        &operations::OUTREACH_OPT_OUT,
        &operations::CONVERSION_PRESSURE,
        &operations::REPLY_CAPTURE,
        &operations::AGENTFINDER,
    ]);
    with_middleware(routes, app)
}
