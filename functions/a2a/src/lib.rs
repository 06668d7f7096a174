//! The A2A endpoint: JSON-RPC in the versions 1.0, 0.3 and 0.2, and the REST binding of 1.0. This crate only
//! translates between JSON and Rust types. The module `registry::a2a` handles messages and stores tasks.

mod about;
mod dialects;
mod fields;
mod message;
mod rest;
mod rpc;
mod service;
mod version;

use axum::routing::{any, get, post};
use axum::{Extension, Router};
use registry::app::App;
use registry::http::with_middleware;

/// The routes of this function. The strict card below the same base is served by `well-known`, which may sign.
pub fn router(app: App) -> Router {
    let routes = Router::new()
        .route("/api/a2a", get(about::status).post(rpc::handle))
        .route("/api/a2a/", get(about::status).post(rpc::handle))
        .route("/api/a2a/{*call}", any(rest::handle))
        // Some clients take the bare host as the base URL of the REST interface.
        .route("/message:send", post(rest::send));
    with_middleware(routes.layer(Extension(service::PartsCache::default())), app)
}
