//! The A2A endpoint: JSON-RPC in the versions 1.0, 0.3 and 0.2, and the REST binding of 1.0. [`rpc`] and [`rest`] find out
//! which method is called, and [`calls`] runs it. What a message does, and how tasks are stored, does not depend on the
//! version or the transport, so that every version of the protocol behaves in the same way.

mod about;
mod calls;
mod dialects;
mod error;
mod fields;
mod id;
mod message;
mod older;
mod parse;
mod rest;
mod rpc;
mod secrets;
mod send;
mod task;
mod tasks;
pub(crate) mod v1;
mod version;

use axum::routing::{any, get, post};
use axum::{Extension, Router};

use registry_app::App;

pub(crate) use about::A2aStatus;
use error::A2aError;

pub fn routes() -> Router<App> {
    let routes = Router::new()
        .route("/api/a2a", get(about::status).post(rpc::handle))
        .route("/api/a2a/", get(about::status).post(rpc::handle))
        .route("/api/a2a/{*call}", any(rest::handle))
        // Some clients take the bare host as the base URL of the REST interface.
        .route("/message:send", post(rest::handle));
    routes.layer(Extension(send::PartsCache::default()))
}
