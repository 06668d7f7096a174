//! Agents: sound ones of A2A 1.0 and 0.3, and the mistakes that publishers make.
//! Each is one function from request to answer, so that a test reads what its peer does.

use axum::response::Response;
use serde_json::{Value, json};

use super::{CARD, PeerRequest, empty, error, json_answer, result};

/// The card of an agent of 1.0 whose interface is at `/rpc` of itself.
#[must_use]
pub fn card(asked: &PeerRequest, name: &str) -> Value {
    card_at(name, &format!("{}/rpc", asked.origin()))
}

/// The card of an agent of 1.0 whose interface is at `url`.
#[must_use]
pub fn card_at(name: &str, url: &str) -> Value {
    json!({
        "name": name,
        "description": "Adds two numbers and tells their sum.",
        "version": "1.2.0",
        "supportedInterfaces": [{ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "documentationUrl": "https://adder.example.org/docs",
        "provider": { "organization": "Example", "url": "https://adder.example.org" },
        "capabilities": { "streaming": false },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "add", "name": "Add", "description": "Adds two numbers.", "tags": ["math"] }],
    })
}

/// A sound agent of 1.0 called Adder.
#[must_use]
pub fn newest(asked: &PeerRequest) -> Response {
    newest_called("Adder")(asked)
}

/// A sound agent of 1.0.
pub fn newest_called(name: &str) -> impl Fn(&PeerRequest) -> Response + Send + Sync + 'static {
    let name = name.to_owned();
    move |asked| match (asked.verb.as_str(), asked.path.as_str()) {
        ("GET", CARD) => json_answer(200, &card(asked, &name)),
        ("POST", _) => speaks_newest(asked),
        _ => empty(404),
    }
}

/// As many sound agents of 1.0 as there are folders: `/x/card.json` is the card of the one that speaks at `/x/rpc`.
#[must_use]
pub fn fleet(asked: &PeerRequest) -> Response {
    match (asked.verb.as_str(), asked.path.strip_suffix("/card.json")) {
        ("GET", Some(folder)) => {
            let name = format!("Agent {}", folder.trim_matches('/'));
            json_answer(200, &card_at(&name, &format!("{}{folder}/rpc", asked.origin())))
        }
        ("POST", _) => speaks_newest(asked),
        _ => empty(404),
    }
}

/// What an agent of 1.0 says to a call.
#[must_use]
pub fn speaks_newest(asked: &PeerRequest) -> Response {
    match (asked.method(), asked.header("a2a-version")) {
        (Some("GetTask"), Some("1.0")) => error(asked, -32001, "Task not found"),
        (Some("SendMessage"), Some("1.0")) => result(
            asked,
            json!({ "message": { "messageId": "m-1", "role": "ROLE_AGENT", "parts": [{ "text": "I add." }] } }),
        ),
        (Some("GetTask" | "SendMessage"), _) => error(asked, -32009, "Version not supported"),
        _ => error(asked, -32601, "Method not found"),
    }
}

/// A sound agent of 0.3 called Echo, that knows no other methods.
#[must_use]
pub fn older(asked: &PeerRequest) -> Response {
    match (asked.verb.as_str(), asked.path.as_str()) {
        ("GET", CARD) => json_answer(
            200,
            &json!({
                "name": "Echo",
                "description": "Echoes what it is told.",
                "url": format!("{}/a2a", asked.origin()),
                "version": "0.9.0",
                "protocolVersion": "0.3.0",
                "preferredTransport": "JSONRPC",
                "capabilities": {},
                "defaultInputModes": ["text/plain"],
                "defaultOutputModes": ["text/plain"],
                "skills": [{ "id": "echo", "name": "Echo", "description": "Echoes.", "tags": ["echo"] }],
            }),
        ),
        ("POST", "/a2a") => speaks_older(asked),
        _ => empty(404),
    }
}

/// What an agent of 0.3 says to a call.
#[must_use]
pub fn speaks_older(asked: &PeerRequest) -> Response {
    match asked.method() {
        Some("tasks/get") => error(asked, -32001, "Task not found"),
        Some("message/send") => result(
            asked,
            json!({ "kind": "task", "id": "t-1", "contextId": "c-1", "status": { "state": "submitted" } }),
        ),
        _ => error(asked, -32601, "Method not found"),
    }
}

/// A peer that answers every request with this status and nothing else.
pub fn only(status: u16) -> impl Fn(&PeerRequest) -> Response + Send + Sync + 'static {
    move |_| empty(status)
}
