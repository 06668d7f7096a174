//! The description of this endpoint, for GET and for the method `help`. Both are built from the catalogue and
//! the table of methods, so the description cannot go out of date.

use axum::Json;
use axum::extract::State;
use registry::app::App;
use registry::intent;
use registry::settings::Settings;
use serde_json::{Value, json};

use crate::dialects;

/// `GET /api/a2a`.
pub(crate) async fn status(State(app): State<App>) -> Json<Value> {
    let url = |path: &str| app.settings.url(path);
    Json(json!({
        "ok": true,
        "protocol": "a2a",
        "endpoint": url("/api/a2a"),
        "agent_card": url("/.well-known/agent-card.json"),
        "card": url("/.well-known/agent-card.json"),
        "strict_card": url("/api/a2a/.well-known/agent-card.json"),
        "discovery": url("/discovery.json"),
        "versions": ["1.0", "0.3", "0.2"],
        "bindings": ["JSONRPC", "HTTP+JSON"],
        "methods": dialects::supported(),
        "note": "POST JSON-RPC 2.0 here. Send plain words (\"list my agent at https://…\"), or a data part \
            {\"operation\": …, \"arguments\": {…}} that runs an operation. Call the method `help` for examples. ListTasks \
            returns the tasks of a contextId from an earlier answer; without a contextId it returns none.",
    }))
}

pub(crate) fn help(settings: &Settings) -> Value {
    json!({
        "ok": true,
        "text": intent::help_text(&settings.brand),
        "methods": dialects::supported(),
        "operations": intent::what_can_be_done(),
        "endpoint": settings.url("/api/a2a"),
        "agent_card": settings.url("/.well-known/agent-card.json"),
    })
}
