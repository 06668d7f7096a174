//! The door for A2A agents: JSON-RPC in the dialects 1.0, 0.3 and 0.2, the REST binding of 1.0, and tasks that are
//! kept for a day. Translates between the protocol and a conversation; what a message means is decided in the crate.

mod about;
mod dialects;
mod errors;
mod fields;
mod message;
mod rest;
mod rpc;
mod task;
mod version;
mod work;

use axum::routing::{any, get, post};
use axum::{Extension, Router};
use registry::app::App;
use registry::http::with_middleware;

/// The routes of this function. The strict card below the same base is served by the function that may sign.
pub fn router(app: App) -> Router {
    let routes = Router::new()
        .route("/api/a2a", get(about::status).post(rpc::door))
        .route("/api/a2a/", get(about::status).post(rpc::door))
        .route("/api/a2a/{*call}", any(rest::door))
        // Cards in the wild name the bare host as their REST interface.
        .route("/message:send", post(rest::send));
    with_middleware(routes.layer(Extension(work::Answers::default())), app)
}
