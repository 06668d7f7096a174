//! The A2A endpoint: JSON-RPC in the versions 1.0, 0.3 and 0.2, and the REST binding of 1.0. [`rpc`] and [`rest`] find out
//! which method is called, and [`call`] runs it. What a message does, and how tasks are stored, does not depend on the
//! version or the transport, so that every version of the protocol behaves in the same way.

mod about;
mod dialects;
mod fields;
mod id;
pub mod intent;
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

use axum::Extension;
use axum::response::Redirect;
use axum::routing::{any, get, post};

use crate::errors::RpcError;
use crate::prelude::*;
pub(crate) use about::A2aStatus;
use dialects::{Dialect, Method};
use fields::Fields;
use send::PartsCache;
pub(crate) use task::TaskState;

pub fn routes() -> Router<App> {
    let routes = Router::new()
        .route("/api/a2a", get(about::status).post(rpc::handle))
        .route("/api/a2a/", get(about::status).post(rpc::handle))
        .route("/api/a2a/{*call}", any(rest::handle))
        // Some clients take the bare host as the base URL of the REST interface.
        .route("/message:send", post(rest::handle));
    routes.layer(Extension(PartsCache::default()))
}

/// For a function that may not use the items that the endpoint needs; 308 keeps the method and the body.
pub fn redirect_from_slash() -> Router<App> {
    Router::new().route("/api/a2a/", any(async || Redirect::permanent("/api/a2a")))
}

/// The methods of both bindings (JSON-RPC and REST). The answer is written in the caller's A2A version.
async fn call(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    method: Method,
    params: &Map<String, Value>,
) -> Result<Box<RawValue>, RpcError> {
    let params = Fields::of(params, "");
    match method {
        Method::Send(dialect) => send::send(app, cache, caller, params, dialect).await,
        Method::Get(dialect) => {
            let history_length = params.history_length()?;
            Ok(dialect.task(tasks::get(app, caller, params).await?, history_length)?)
        }
        Method::Cancel(dialect) => Ok(dialect.task(tasks::cancel(app, caller, params).await?, None)?),
        Method::List => Ok(to_raw_value(&tasks::list(app, caller, params).await?)?),
        Method::Help => Ok(to_raw_value(&about::help(&app.settings))?),
        Method::Stream | Method::Subscribe => Err(RpcError::no_streams()),
        Method::Push => Err(RpcError::no_push()),
        Method::ExtendedCard(dialect) => Err(RpcError::no_extended_card(dialect == Dialect::V1)),
    }
}
