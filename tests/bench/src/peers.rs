//! Agents and MCP servers on loopback that the benchmarks probe. One peer serves both protocols, because the methods of A2A and MCP have different names.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The path of a card. A prefix of this path is also the prefix of the interface.
pub(crate) const CARD: &str = "/.well-known/agent-card.json";

/// Starts a peer on a port of its own; returns its origin, such as `http://127.0.0.1:40001`.
///
/// # Errors
/// No port is free.
pub(crate) async fn start() -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let router = Router::new().fallback(answer);
    tokio::spawn(axum::serve(listener, router).into_future());
    Ok(origin)
}

async fn answer(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if parts.method == Method::GET {
        return match parts.uri.path().strip_suffix(CARD) {
            Some(before) => Json(card(&parts.headers, before)).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        };
    }
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    rpc_reply(&body)
}

fn card(headers: &HeaderMap, before: &str) -> Value {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let skill = |n: usize| {
        json!({
            "id": format!("sum-{n}"), "name": format!("Sum {n}"), "tags": ["numbers"],
            "description": "Adds up the numbers of a table, row by row, and tells the total with its unit in the end.",
            "examples": ["Add the third column."],
        })
    };
    json!({
        "name": format!("Adder at {host}{before}"),
        "description": "Adds up numbers from tables and tells the total. Made to be asked by many at once.",
        "version": "1.0.0",
        "supportedInterfaces": [
            { "url": format!("http://{host}{before}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": (0..2).map(skill).collect::<Vec<_>>(),
    })
}

fn rpc_reply(body: &Bytes) -> Response {
    let call: Value = serde_json::from_slice(body).unwrap_or_default();
    let result = match call["method"].as_str() {
        Some("GetTask") => return rpc_error(&call, -32001, "Task not found"),
        Some("SendMessage") => {
            json!({ "message": { "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "Which numbers?" }] } })
        }
        Some("server/discover") => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
            "ttlMs": 0, "cacheScope": "public", "_meta": { "io.modelcontextprotocol/serverInfo": about() },
        }),
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": about(),
        }),
        Some("notifications/initialized") => return StatusCode::ACCEPTED.into_response(),
        Some("tools/list") => {
            json!({ "resultType": "complete", "tools": tools(), "ttlMs": 0, "cacheScope": "public" })
        }
        _ => return rpc_error(&call, -32601, "Method not found"),
    };
    Json(json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })).into_response()
}

fn rpc_error(call: &Value, code: i32, message: &str) -> Response {
    let error = json!({ "code": code, "message": message });
    Json(json!({ "jsonrpc": "2.0", "id": call["id"], "error": error })).into_response()
}

fn about() -> Value {
    json!({ "name": "adder", "title": "Adder", "version": "1.0.0", "description": "Adds up numbers from tables." })
}

fn tools() -> Vec<Value> {
    let tool = |n: usize| {
        json!({
            "name": format!("add_{n}"),
            "description": "Adds two numbers and tells their sum, with the unit that both of them have.",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            },
        })
    };
    (0..3).map(tool).collect()
}
