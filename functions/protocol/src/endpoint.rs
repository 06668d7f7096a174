//! The HTTP endpoint: POST carries JSON-RPC, GET describes the endpoint. Every POST is answered with JSON-RPC or with an
//! empty 202, and official clients depend on the order in which a bad one is refused.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use registry::app::App;
use registry::error::Problem;
use registry::http::RawBody;
use registry::model::Caller;
use registry::model::protocol::{MCP_ENDPOINT, MCP_REVISIONS};
use serde_json::{Value, json};

use crate::message::{Malformed, Message, Request};
use crate::reply::{self, Reply, RpcError};
use crate::revision::{Era, Handshake};
use crate::server::McpServer;
use crate::{negotiate, origin, tools};

const MAX_BATCH_LENGTH: usize = 50;

/// In bytes; one result may exceed it. The response of a function is limited to 6 MB (AWS: Lambda quotas, synchronous
/// payload).
const MAX_BATCH_SIZE: usize = 3_000_000;

/// The routes of one path: two paths lead to the same server.
pub(crate) fn routes(server: &Arc<McpServer>) -> MethodRouter<App> {
    let server = Arc::clone(server);
    get(describe).post(move |State(app): State<App>, caller: Caller, headers: HeaderMap, body: Result<RawBody, Problem>| {
        async move { answer(&server, &app, caller, &headers, body).await }
    })
}

async fn answer(
    server: &McpServer,
    app: &App,
    caller: Caller,
    headers: &HeaderMap,
    body: Result<RawBody, Problem>,
) -> Response {
    if !origin::is_allowed(&app.settings.base_url, headers) {
        let detail = "This registry runs on the loopback and answers no page or name from elsewhere. \
            Set BASE_URL to the address at which it is to be reached.";
        let detail =
            if headers.contains_key(header::ORIGIN) { "The Origin is not admitted." } else { detail };
        return Reply::error(None, RpcError::refused(StatusCode::FORBIDDEN, detail)).into_response();
    }
    let value = match body.map_err(unread).and_then(|body| parse(&body)) {
        Ok(value) => value,
        Err(error) => return Reply::error(None, error).into_response(),
    };
    match value {
        Value::Array(_) if !negotiate::allows_batches(headers) => {
            let error =
                RpcError::request("A body is one message; batches belong to revision 2025-03-26 only.");
            Reply::error(None, error).into_response()
        }
        Value::Array(messages) => batch(server, app, caller, messages).await,
        message => single(server, app, caller, headers, message).await,
    }
}

async fn single(
    server: &McpServer,
    app: &App,
    caller: Caller,
    headers: &HeaderMap,
    message: Value,
) -> Response {
    match Message::read(message) {
        Ok(Message::Request(request)) => match negotiate::negotiate_version(headers, &request) {
            Ok(era) => result(server, app, caller, era, request).await.into_response(),
            Err(error) => Reply::error(Some(&request.id), error).into_response(),
        },
        Ok(Message::Response) if !negotiate::allows_responses(headers) => {
            let error = RpcError::request("This server sends no requests, so it takes no responses.");
            Reply::error(None, error).into_response()
        }
        Ok(Message::Notification | Message::Response) => reply::accepted(),
        Err(Malformed { id, detail }) => Reply::error(id.as_ref(), RpcError::request(detail)).into_response(),
    }
}

async fn result(server: &McpServer, app: &App, caller: Caller, era: Era, request: Request) -> Reply {
    let id = request.id.clone();
    let outcome = server.answer(app, caller, era, request).await;
    Reply::to(&id, outcome.map_err(|error| negotiate::status_of(era, error)))
}

/// A batch, which only revision 2025-03-26 has. Replies keep the order of the messages.
async fn batch(server: &McpServer, app: &App, caller: Caller, messages: Vec<Value>) -> Response {
    if messages.is_empty() || messages.len() > MAX_BATCH_LENGTH {
        let error = RpcError::request(format!("A batch holds 1 to {MAX_BATCH_LENGTH} messages."));
        return Reply::error(None, error).into_response();
    }
    let mut replies = Vec::new();
    let mut size = 0;
    for message in messages {
        let reply = match Message::read(message) {
            Ok(Message::Notification | Message::Response) => continue,
            Ok(Message::Request(request)) if request.method == "initialize" => {
                Reply::error(Some(&request.id), RpcError::request("`initialize` must not stand in a batch."))
            }
            Ok(Message::Request(request)) if size > MAX_BATCH_SIZE => {
                let error =
                    RpcError::request("The answer to this batch grew too large. Send this one by itself.");
                Reply::error(Some(&request.id), error)
            }
            Ok(Message::Request(request)) => {
                result(server, app, caller, Era::Legacy(Handshake::March2025), request).await
            }
            Err(Malformed { id, detail }) => Reply::error(id.as_ref(), RpcError::request(detail)),
        };
        size += reply.length();
        replies.push(reply);
    }
    reply::batch(&replies)
}

/// JSON-RPC has no code for a body that could not be read, so only malformed ones are a parse error.
fn unread(problem: Problem) -> RpcError {
    match problem.status {
        StatusCode::BAD_REQUEST => RpcError::parse(&problem.detail),
        status => RpcError::refused(status, problem.detail),
    }
}

fn parse(body: &RawBody) -> Result<Value, RpcError> {
    serde_json::from_slice(&body.0).map_err(|error| RpcError::parse(&error.to_string()))
}

/// Answers GET. A client that wants an event stream expects 405 where there is none; a reader gets a description.
async fn describe(State(app): State<App>, headers: HeaderMap) -> Response {
    if wants_a_stream(&headers) {
        let detail = "This endpoint is stateless: it opens no stream. Send JSON-RPC by POST.";
        let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail);
        let mut response = problem.into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let settings = &app.settings;
    Json(json!({
        "ok": true,
        "protocol": "mcp",
        "endpoint": settings.url(MCP_ENDPOINT),
        "transport": "streamable-http",
        "session": null,
        "protocol_versions": MCP_REVISIONS,
        "tools": tools::names(),
        "server_card": settings.url("/mcp/server-card"),
        "note": "An MCP endpoint. Give its URL to an MCP client, or POST JSON-RPC: {\"jsonrpc\": \"2.0\", \"id\": 1, \
            \"method\": \"tools/list\"}.",
    }))
    .into_response()
}

fn wants_a_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let of_a_client =
        ["mcp-protocol-version", "mcp-session-id", "last-event-id"].map(HeaderName::from_static);
    accepted.flat_map(|list| list.split(',')).any(is_event_stream)
        || of_a_client.iter().any(|name| headers.contains_key(name))
}

fn is_event_stream(range: &str) -> bool {
    let kind = range.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("text/event-stream")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get_with(name: HeaderName, value: &'static str) -> bool {
        wants_a_stream(&HeaderMap::from_iter([(name, HeaderValue::from_static(value))]))
    }

    #[test]
    fn mcp_clients_are_distinguished_from_readers() {
        assert!(get_with(header::ACCEPT, "text/event-stream"));
        assert!(get_with(header::ACCEPT, "application/json, Text/Event-Stream;q=0.9"));
        assert!(get_with(HeaderName::from_static("mcp-protocol-version"), "2025-11-25"));
        assert!(!get_with(header::ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8"));
        assert!(!wants_a_stream(&HeaderMap::new()));
    }
}
