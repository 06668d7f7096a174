//! The description of this endpoint. A GET and the method `help` return it. It is built from the catalog of
//! operations and the table of methods, so it cannot become out of date.

use super::dialects;
use crate::a2a::intent;
use crate::prelude::*;
use registry_model::protocol::A2A_VERSIONS;

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

pub(super) fn help(settings: &Settings) -> Value {
    json!({
        "ok": true,
        "text": intent::help_text(settings),
        "methods": dialects::supported(),
        "operations": intent::what_can_be_done(),
        "endpoint": settings.url("/api/a2a"),
        "agent_card": settings.url("/.well-known/agent-card.json"),
    })
}
