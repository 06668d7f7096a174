//! The A2A endpoint: JSON-RPC in the versions 1.0, 0.3 and 0.2, and the REST binding of 1.0. [`rpc`] and [`rest`] find out
//! which method is called, and [`call_method`] runs it. What a message does, and how tasks are stored, does not depend on the
//! version or the transport, so that every version of the protocol behaves in the same way.

mod dialects;
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
pub(crate) mod v1;

use axum::Extension;
use axum::response::Redirect;
use axum::routing::{any, get, post};

use crate::errors::RpcError;
use crate::prelude::*;
use dialects::{Dialect, Method};
use parse::Fields;
use registry_model::protocol::A2A_VERSIONS;
use send::PartsCache;
pub(crate) use task::TaskState;

pub fn routes() -> Router<App> {
    let routes = Router::new()
        .route("/api/a2a", get(status).post(rpc::handle))
        .route("/api/a2a/", get(status).post(rpc::handle))
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
async fn call_method(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    method: Method,
    params: &Map<String, Value>,
) -> Result<Box<RawValue>, RpcError> {
    let params = Fields::of(params, "");
    match method {
        Method::Send(dialect) => send::send_message(app, cache, caller, params, dialect).await,
        Method::Get(dialect) => {
            let history_length = params.history_length()?;
            Ok(dialect.task(task::get_task(app, caller, params).await?, history_length)?)
        }
        Method::Cancel(dialect) => Ok(dialect.task(task::cancel_task(app, caller, params).await?, None)?),
        Method::List => Ok(to_raw_value(&task::list_tasks(app, caller, params).await?)?),
        Method::Help => Ok(to_raw_value(&help(&app.settings))?),
        Method::Stream | Method::Subscribe => Err(RpcError::no_streams()),
        Method::Push => Err(RpcError::no_push()),
        Method::ExtendedCard(dialect) => Err(RpcError::no_extended_card(dialect == Dialect::V1)),
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct A2aStatus {
    ok: bool,
    protocol: &'static str,
    endpoint: String,
    agent_card: String,
    card: String,
    strict_card: String,
    discovery: String,
    versions: [&'static str; 3],
    bindings: [&'static str; 2],
    methods: Vec<&'static str>,
    note: &'static str,
}

/// `GET /api/a2a`.
async fn status(State(app): State<App>) -> Json<A2aStatus> {
    let url = |path: &str| app.settings.url(path);
    Json(A2aStatus {
        ok: true,
        protocol: "a2a",
        endpoint: url("/api/a2a"),
        agent_card: url("/.well-known/agent-card.json"),
        card: url("/.well-known/agent-card.json"),
        strict_card: url("/api/a2a/.well-known/agent-card.json"),
        discovery: url("/discovery.json"),
        versions: A2A_VERSIONS,
        bindings: ["JSONRPC", "HTTP+JSON"],
        methods: dialects::supported(),
        note: "Send JSON-RPC 2.0 by POST to this URL. The message contains plain words (\"list my agent at \
            https://…\"), or a data part {\"operation\": …, \"arguments\": {…}} that runs an operation. For \
            examples, call the method `help`. ListTasks returns the tasks of a contextId that this registry \
            created (`ctx-…`); without one, or with your own, it returns no tasks.",
    })
}

/// The answer to the method `help`.
fn help(settings: &Settings) -> Value {
    json!({
        "ok": true,
        "text": intent::help_text(settings),
        "methods": dialects::supported(),
        "operations": intent::what_can_be_done(),
        "endpoint": settings.url("/api/a2a"),
        "agent_card": settings.url("/.well-known/agent-card.json"),
    })
}
