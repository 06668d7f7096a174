//! Two kinds of MCP servers. One kind implements version 2026-07-28: it is stateless and answers in JSON. The other
//! kind implements 2025-06-18 with sessions and event streams, as the official frameworks did by default.

use axum::response::{IntoResponse, Response};
use http::header;
use serde_json::{Value, json};

use super::{PeerRequest, empty, error, json_answer, result};
use crate::assertions::with_members;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-06-18";
const SESSION: &str = "1868a90c-7a5b-4d1e-9f6e-0c5a2f3b7d11";

fn tools(names: &[&str]) -> Value {
    let tool = |name: &&str| json!({ "name": name, "description": format!("The tool {name}."), "inputSchema": { "type": "object" } });
    names.iter().map(tool).collect()
}

/// A sound server of 2026-07-28 with the name Adder.
pub fn modern(request: &PeerRequest) -> Response {
    modern_with(&["add", "subtract"])(request)
}

/// A sound server of 2026-07-28 with these tools.
pub fn modern_with(names: &[&str]) -> impl Fn(&PeerRequest) -> Response + Send + Sync + 'static {
    modern_with_tools(tools(names))
}

/// A sound server of 2026-07-28 that lists these tools.
pub fn modern_with_tools(tools: Value) -> impl Fn(&PeerRequest) -> Response + Send + Sync + 'static {
    modern_offering(tools, json!({}), json!({}))
}

/// A sound server of 2026-07-28 that lists these tools, and the `resources`, `resourceTemplates` and `prompts` in
/// `lists`. Its answer to `server/discover` also has the members of `stated`.
pub fn modern_offering(
    tools: Value,
    lists: Value,
    stated: Value,
) -> impl Fn(&PeerRequest) -> Response + Send + Sync + 'static {
    let mut capabilities = json!({ "tools": {} });
    for (member, capability) in [("resources", "resources"), ("prompts", "prompts")] {
        if !lists[member].is_null() {
            capabilities[capability] = json!({});
        }
    }
    let discovered = json!({
        "resultType": "complete", "supportedVersions": [MODERN], "capabilities": capabilities,
        "ttlMs": 60_000, "cacheScope": "public",
        "_meta": { "io.modelcontextprotocol/serverInfo": {
            "name": "adder", "title": "Adder", "version": "3.1.0", "description": "Adds numbers.",
            "websiteUrl": "https://adder.example.org/",
        } },
    });
    let list = move |request: &PeerRequest, member: &str| {
        let mut page = json!({ "resultType": "complete", "ttlMs": 60_000, "cacheScope": "public" });
        page[member] = lists[member].clone();
        if lists[member].is_null() {
            error(request, -32601, "Method not found")
        } else {
            result(request, page)
        }
    };
    move |request| {
        if request.verb != "POST" {
            return empty(405);
        }
        let version = request.header("mcp-protocol-version");
        match request.method() {
            Some("server/discover") if version == Some(MODERN) => {
                result(request, with_members(discovered.clone(), &stated))
            }
            Some("tools/list") if version == Some(MODERN) => result(
                request,
                json!({ "resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "public" }),
            ),
            Some("resources/list") => list(request, "resources"),
            Some("resources/templates/list") => list(request, "resourceTemplates"),
            Some("prompts/list") => list(request, "prompts"),
            _ => error(request, -32601, "Method not found"),
        }
    }
}

/// A sound server of 2025-06-18: `initialize` opens a session, and every answer is an event stream.
pub fn legacy(request: &PeerRequest) -> Response {
    if request.verb != "POST" {
        return empty(405);
    }
    match (request.method(), request.header("mcp-session-id")) {
        (Some("initialize"), None) => {
            let mut response = streamed(
                request,
                json!({
                    "protocolVersion": LEGACY, "capabilities": { "tools": { "listChanged": true } },
                    "serverInfo": { "name": "clerk", "title": "Clerk", "version": "0.4.2" },
                }),
            );
            response.headers_mut().insert("mcp-session-id", header::HeaderValue::from_static(SESSION));
            response
        }
        (Some("notifications/initialized"), Some(SESSION)) => empty(202),
        (Some("tools/list"), Some(SESSION)) => {
            streamed(request, json!({ "tools": tools(&["file", "find"]) }))
        }
        (_, Some(SESSION)) => error(request, -32601, "Method not found"),
        _ => json_answer(
            400,
            &json!({ "jsonrpc": "2.0", "id": null,
            "error": { "code": -32000, "message": "Bad Request: No valid session ID provided" } }),
        ),
    }
}

/// A reply as the one event of a stream, after a comment that clients skip.
fn streamed(request: &PeerRequest, result: Value) -> Response {
    let mut reply = json!({ "jsonrpc": "2.0", "id": request.body["id"] });
    reply["result"] = result;
    let stream = format!(": hello\n\nevent: message\nid: 1\ndata: {reply}\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], stream).into_response()
}
