//! The methods of the A2A endpoint, and what it says about itself.

use super::dialects::{self, Dialect, Method};
use super::parse::Fields;
use super::send::PartsCache;
use super::{intent, send, task};
use crate::errors::RpcError;
use crate::prelude::*;
use registry_model::protocol::A2A_VERSIONS;

/// The methods of both bindings (JSON-RPC and REST). The answer is written in the caller's A2A version.
pub(super) async fn call_method(
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
pub(super) async fn status(State(app): State<App>) -> Json<A2aStatus> {
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
