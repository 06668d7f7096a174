//! The HTTP endpoint: POST for JSON-RPC, GET for a description. The answer to a POST is JSON-RPC, or it is
//! empty with status 202. The order of the checks must not change, because official clients depend on it.

use std::time::Duration;

use crate::errors::RpcError;
use crate::json_rpc::{MAX_BATCH_LENGTH, Malformed, Message, Reply, Request};
use crate::prelude::*;
use crate::rest::{CalledBy, CallerBucket, RawBody, accepted_types};
use axum::Extension;
use axum::routing::{MethodRouter, get};
use http::uri::{PathAndQuery, Uri};
use registry_features::operation::operator_token;
use registry_features::operation::toolsets::Toolset;
use registry_model::protocol::MCP_REVISIONS;
use tokio::time::Instant;

use super::negotiate;
use super::negotiate::{Era, Handshake};
use super::server::McpServer;
use super::tools::Selection;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct McpDescription {
    ok: bool,
    protocol: &'static str,
    endpoint: String,
    transport: &'static str,
    /// Always null: the endpoint is stateless.
    session: (),
    protocol_versions: [&'static str; 4],
    tools: Vec<&'static str>,
    server_card: String,
    note: &'static str,
}

/// After this time, no further message of a batch is started. API Gateway answers 503 after 29 s, and then the results of
/// all messages are lost. So the slowest operation must fit into the rest.
const MAX_BATCH_TIME: Duration = Duration::from_secs(8);

/// One more result may exceed it. A function's response is limited to 6 MB (AWS: Lambda quotas, synchronous payload).
const MAX_BATCH_BYTES: usize = 3_000_000;

/// The methods of a path. Both MCP paths share the server; they differ in the tools that they list.
pub(super) fn routes(server: &Arc<McpServer>, toolset: &'static Toolset) -> MethodRouter<App> {
    let server = Arc::clone(server);
    let describe = move |State(app): State<App>, uri: Uri, CalledBy(caller): CalledBy, headers: HeaderMap| async move {
        let selection = select(&app, toolset, &uri, &headers, &caller);
        selection.map_err(whole_error).map(|selection| describe(&app, &uri, &selection, &headers))
    };
    get(describe).post(
        move |State(app): State<App>,
              uri: Uri,
              CalledBy(caller): CalledBy,
              bucket: Option<Extension<CallerBucket>>,
              headers: HeaderMap,
              body: Result<RawBody, Refused>| async move {
            let bucket = bucket.map(|Extension(bucket)| bucket);
            let selection = select(&app, toolset, &uri, &headers, &caller).map_err(whole_error)?;
            let served = Served { server: &server, app: &app, caller, selection: &selection };
            answer(served, bucket.as_ref(), &headers, body).await.map_err(whole_error)
        },
    )
}

fn select(
    app: &App,
    toolset: &Toolset,
    uri: &Uri,
    headers: &HeaderMap,
    caller: &Caller,
) -> Result<Selection, RpcError> {
    let is_operator = operator_token::is_sent(app, caller);
    Selection::read(toolset, &Parameters::of_query(uri.query()), headers, is_operator)
}

/// What all messages of a request have in common.
#[derive(Clone, Copy)]
struct Served<'a> {
    server: &'a McpServer,
    app: &'a App,
    caller: Caller,
    selection: &'a Selection,
}

async fn answer(
    served: Served<'_>,
    bucket: Option<&CallerBucket>,
    headers: &HeaderMap,
    body: Result<RawBody, Refused>,
) -> Result<Response, RpcError> {
    let body = body.map_err(RpcError::of_mcp_body)?;
    match body.value().map_err(|error| RpcError::parse_error(&error.to_string()))? {
        Value::Array(_) if !negotiate::allows_batches(headers) => Err(RpcError::invalid_request(
            "Send one message per request. Only revision 2025-03-26 supports batches.",
        )),
        Value::Array(messages) => batch(served, bucket, messages, Instant::now() + MAX_BATCH_TIME).await,
        message => single(served, headers, message).await,
    }
}

async fn single(served: Served<'_>, headers: &HeaderMap, message: Value) -> Result<Response, RpcError> {
    let reply = match Message::of_mcp(message) {
        Ok(Message::Request(request)) => match negotiate::negotiate_version(headers, &request) {
            Ok(era) => result(served, era, request).await,
            Err(error) => Reply::error(&request.id, error),
        },
        Ok(Message::Response) if !negotiate::allows_responses(headers) => {
            return Err(RpcError::invalid_request(
                "This server sends no requests to clients, so it accepts no responses from them.",
            ));
        }
        Ok(Message::Notification | Message::Response) => return Ok(StatusCode::ACCEPTED.into_response()),
        Err(Malformed { id, error }) => Reply::error(&id, *error),
    };
    Ok(reply.into_response())
}

async fn result(served: Served<'_>, era: Era, request: Request) -> Reply {
    let Served { server, app, caller, selection } = served;
    let id = request.id.clone();
    let outcome = server.answer(app, caller, era, selection, request).await;
    Reply::to(&id, &outcome.map_err(|error| negotiate::with_status_of_era(era, error)))
}

/// The messages run one after the other, and the replies keep their order. Each message counts as a request of the
/// caller. After `last_start`, the rest is refused, so that the response arrives with the results of those that ran.
async fn batch(
    served: Served<'_>,
    bucket: Option<&CallerBucket>,
    messages: Vec<Value>,
    last_start: Instant,
) -> Result<Response, RpcError> {
    if messages.is_empty() || messages.len() > MAX_BATCH_LENGTH {
        return Err(RpcError::invalid_request(format!(
            "A batch must contain 1 to {MAX_BATCH_LENGTH} messages."
        )));
    }
    let mut replies = Vec::new();
    let mut size = 0;
    for (number, message) in messages.into_iter().enumerate() {
        let reply = match Message::of_mcp(message) {
            Ok(Message::Notification | Message::Response) => continue,
            Err(Malformed { id, error }) => Reply::error(&id, *error),
            Ok(Message::Request(request)) => {
                let refusal = if request.method == "initialize" {
                    Some(RpcError::invalid_request("`initialize` must not be part of a batch."))
                } else if size > MAX_BATCH_BYTES {
                    Some(RpcError::invalid_request(
                        "The batch's answers are too large. Send this request alone.",
                    ))
                } else if Instant::now() > last_start {
                    Some(RpcError::send_again("Not run: the messages before took too long. Send again.", 1))
                } else {
                    // The request itself took the first token.
                    let taken = bucket.filter(|_| number > 0).map_or(Ok(()), CallerBucket::take);
                    taken.err().map(|it| RpcError::send_again(it.detail, it.retry_after.unwrap_or(1)))
                };
                match refusal {
                    Some(error) => Reply::error(&request.id, error),
                    None => result(served, Era::Legacy(Handshake::March2025), request).await,
                }
            }
        };
        size += reply.length();
        replies.push(reply);
    }
    Ok(Reply::batch(&replies))
}

/// An error that concerns the whole body.
fn whole_error(error: RpcError) -> Reply {
    Reply::error(&Value::Null, error)
}

/// A client that wants an event stream expects 405 if there is none; all others get a description.
fn describe(app: &App, uri: &Uri, selection: &Selection, headers: &HeaderMap) -> Response {
    if wants_a_stream(headers) {
        let detail = "This endpoint is stateless and has no event stream. Send JSON-RPC by POST.";
        let problem = Problem::new(ErrorKind::MethodNotAllowed, Code::MethodNotAllowed, detail);
        let mut response = Refused(problem).into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let settings = &app.settings;
    let description = McpDescription {
        ok: true,
        protocol: "mcp",
        endpoint: settings.url(uri.path_and_query().map_or(uri.path(), PathAndQuery::as_str)),
        transport: "streamable-http",
        session: (),
        protocol_versions: MCP_REVISIONS,
        tools: selection.names(),
        server_card: settings.url("/mcp/server-card"),
        note: r#"For MCP clients. POST JSON-RPC: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}."#,
    };
    Json(description).into_response()
}

fn wants_a_stream(headers: &HeaderMap) -> bool {
    let client_headers =
        ["mcp-protocol-version", "mcp-session-id", "last-event-id"].map(HeaderName::from_static);
    accepted_types(headers).any(|range| range.eq_ignore_ascii_case("text/event-stream"))
        || client_headers.iter().any(|name| headers.contains_key(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get_with(name: HeaderName, value: &'static str) -> bool {
        wants_a_stream(&HeaderMap::from_iter([(name, HeaderValue::from_static(value))]))
    }

    #[test]
    fn get_returns_an_error_only_to_mcp_clients() {
        assert!(get_with(header::ACCEPT, "text/event-stream"));
        assert!(get_with(header::ACCEPT, "application/json, Text/Event-Stream;q=0.9"));
        assert!(get_with(HeaderName::from_static("mcp-protocol-version"), "2025-11-25"));
        assert!(!get_with(header::ACCEPT, "text/html,application/xhtml+xml,*/*;q=0.8"));
        assert!(!wants_a_stream(&HeaderMap::new()));
    }
}
