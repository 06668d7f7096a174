//! The A2A endpoint. The module `registry::a2a` contains the protocol.

use axum::Router;
use registry::a2a;
use registry::app::App;
use registry::rest::with_middleware;

/// The paths that the gateway sends to this function; a slash at the end stands for all paths below.
pub const PATHS: &[&str] = &["/api/a2a", "/api/a2a/"];

/// The routes of this function. The strict card below the same base is served by `well-known`, which may sign.
pub fn router(app: App) -> Router {
    with_middleware(a2a::routes(), app)
}
