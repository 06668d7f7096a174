//! The A2A endpoint: JSON-RPC in the versions 1.0, 0.3 and 0.2, and the REST binding of 1.0. [`rpc`] and [`rest`] find out
//! which method is called, and [`methods`] runs it. What a message does, and how tasks are stored, does not depend on the
//! version or the transport, so that every version of the protocol behaves in the same way.

mod answers;
mod dialects;
mod id;
pub mod intent;
mod message;
mod methods;
mod parse;
mod rest;
mod rpc;
mod secrets;
mod send;
mod task;
pub(crate) mod v1;

use axum::Extension;
use axum::response::Redirect;
use axum::routing::{any, get, post};

use crate::prelude::*;
pub(crate) use methods::A2aStatus;
use methods::status;
use send::PartsCache;

pub fn routes() -> Router<App> {
    let routes = Router::new()
        .route("/api/a2a", get(status).post(rpc::handle))
        .route("/api/a2a/", get(status).post(rpc::handle))
        .route("/api/a2a/{*call}", any(rest::handle));
    routes.layer(Extension(PartsCache::default()))
}

/// For a function that may not use the items that the endpoint needs; 308 keeps the method and the body. Some clients take the
/// bare host as the base URL of the REST interface.
pub fn redirects() -> Router<App> {
    Router::new()
        .route("/api/a2a/", any(async || Redirect::permanent("/api/a2a")))
        .route("/message:send", post(async || Redirect::permanent("/api/a2a/message:send")))
}
