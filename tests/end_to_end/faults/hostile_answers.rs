//! Tests hostile answers, listed in tables. Each case is a card, agent or MCP server with one fault, and the
//! expected result of the probe. For example, it sends false data, too much data, slow data or a broken
//! format. A listing goes Live only if its proof is valid although the fault exists.

use std::io::Write as _;
use std::time::{Duration, Instant};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use registry::model::ListingId;
use serde_json::{Value, json};
use tests::peers::raw::{self, RawRequest, Saying};
use tests::peers::{CARD, agents};
use tests::test_registry::{TICK, TestOptions, TestRegistry};

/// Which part of a peer is hostile.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// The card is hostile; the interface is a sound agent.
    Card,
    /// The card is sound; the interface is hostile.
    Agent,
    /// An MCP server whose every answer is hostile.
    Server,
    /// An MCP server with a valid initialization and a hostile tools list.
    Tools,
}

/// Name, role, hostile answer, and the expected lane and first reason.
struct Case(&'static str, Role, fn(&RawRequest) -> Saying, &'static str);

/// Time limit of a sweep: concurrent preflights, concurrent probes, and reserve for a busy machine.
const LONGEST_SWEEP: Duration = Duration::from_secs(30);

fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Bytes {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat().into()
}

fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Saying {
    Saying::Once(http(status, headers, body))
}

fn bytes(text: impl Into<Vec<u8>>) -> Bytes {
    text.into().into()
}

fn json_body(body: impl AsRef<[u8]>) -> Saying {
    answer("200 OK", "content-type: application/json\r\n", body)
}

fn stream(events: impl AsRef<[u8]>) -> Saying {
    answer("200 OK", "content-type: text/event-stream\r\n", events)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    zipped.write_all(text).unwrap();
    zipped.finish().unwrap()
}

fn gzipped(text: &[u8]) -> Saying {
    answer("200 OK", "content-type: application/json\r\ncontent-encoding: gzip\r\n", gzip(text))
}

/// `[0,0,…]`: two bytes per value.
fn zeros(values: usize) -> String {
    format!("[0{}]", ",0".repeat(values - 1))
}

fn redirect(status: &str, location: &str) -> Saying {
    answer(status, &format!("location: {location}\r\n"), "")
}

/// A sound card whose interface is at the peer.
fn card(request: &RawRequest) -> Value {
    agents::card_at("Mallory", &format!("{}/rpc", request.origin()))
}

/// The sound card with one member changed.
fn card_with(request: &RawRequest, member: &str, value: Value) -> Value {
    let mut card = card(request);
    card[member] = value;
    card
}

/// The sound card with raw JSON members before its first member.
fn card_with_prefix(request: &RawRequest, members: &str) -> String {
    card(request).to_string().replacen('{', &format!("{{{members},"), 1)
}

/// The reply of a sound agent.
fn agent_reply(request: &RawRequest) -> Value {
    match request.method() {
        "SendMessage" => reply(
            request,
            json!({ "message": { "messageId": "m-1", "role": "ROLE_AGENT", "parts": [{ "text": "Hi." }] } }),
        ),
        _ => {
            json!({ "jsonrpc": "2.0", "id": request.body["id"], "error": { "code": -32001, "message": "Task not found" } })
        }
    }
}

fn reply(request: &RawRequest, result: Value) -> Value {
    let mut reply = json!({ "jsonrpc": "2.0", "id": request.body["id"] });
    reply["result"] = result;
    reply
}

fn initialized(request: &RawRequest) -> Value {
    let info = json!({ "name": "mallory", "version": "1" });
    reply(
        request,
        json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": info }),
    )
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "A tool.", "inputSchema": { "type": "object" } })
}

/// Initializes a session as a server of 2025-06-18, and refuses other methods.
fn initialize(request: &RawRequest) -> Saying {
    match request.method() {
        "initialize" => json_body(initialized(request).to_string()),
        "notifications/initialized" => answer("202 Accepted", "", ""),
        _ => json_body(
            json!({ "jsonrpc": "2.0", "id": request.body["id"], "error": { "code": -32601, "message": "unknown" } })
                .to_string(),
        ),
    }
}

/// A sound MCP server with these headers in every answer.
fn server_with(request: &RawRequest, headers: &str) -> Saying {
    let headers = format!("content-type: application/json\r\n{headers}");
    match request.method() {
        "tools/list" => {
            answer("200 OK", &headers, reply(request, json!({ "tools": [tool("a")] })).to_string())
        }
        "initialize" => answer("200 OK", &headers, initialized(request).to_string()),
        _ => initialize(request),
    }
}

fn page(request: &RawRequest, tools: Value, next: Option<&str>) -> Saying {
    let mut result = json!({});
    result["tools"] = tools;
    if let Some(next) = next {
        result["nextCursor"] = json!(next);
    }
    json_body(reply(request, result).to_string())
}

fn chunked(chunks: impl Iterator<Item = Vec<u8>>, headers: &str, end: &str) -> Bytes {
    let mut bytes = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n{headers}\r\n").into_bytes();
    for chunk in chunks {
        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(&chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(end.as_bytes());
    bytes.into()
}

const DRIP_INTERVAL: Duration = Duration::from_millis(20);
const DEPTH: usize = 100_000;

#[rustfmt::skip]
const CARDS: &[Case] = &[
    Case("HTTP/0.9", Role::Card, |request| Saying::Once(bytes(card(request).to_string())), "queued conn_lost"),
    Case("a status line of 1 MB", Role::Card, |_| Saying::Once(bytes(format!("HTTP/1.1 200 {}\r\n\r\n{{}}", "O".repeat(1 << 20)))), "queued conn_lost"),
    Case("a status that is not a number", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 two OK\r\n\r\n{}")), "queued conn_lost"),
    Case("headers byte by byte", Role::Card, |_| Saying::Drip(bytes("HTTP/1.1 200 OK\r\n"), bytes("x-a: b\r\n".repeat(9000)), DRIP_INTERVAL), "queued preflight_timeout"),
    Case("endless headers", Role::Card, |_| Saying::Flood(bytes("HTTP/1.1 200 OK\r\n"), bytes("x-a: b\r\n".repeat(999))), "queued conn_lost"),
    Case("ten thousand headers", Role::Card, |request| answer("200 OK", &"x-a: b\r\n".repeat(10_000), card(request).to_string()), "queued conn_lost"),
    Case("a header of 1 MB", Role::Card, |request| answer("200 OK", &format!("x-a: {}\r\n", "b".repeat(1 << 20)), card(request).to_string()), "queued conn_lost"),
    Case("a challenge of 1 MB", Role::Card, |_| answer("401 No", &format!("www-authenticate: Bearer {}\r\n", "b".repeat(1 << 20)), ""), "queued conn_lost"),
    Case("a header without a colon", Role::Card, |request| answer("200 OK", "nonsense\r\n", card(request).to_string()), "queued conn_lost"),
    Case("100 Continue twenty thousand times", Role::Card, |_| Saying::Held(bytes("HTTP/1.1 100 Continue\r\n\r\n".repeat(20_000))), "queued preflight_timeout"),
    Case("five early hints, then a card", Role::Card, |request| Saying::Once([bytes("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(5)), http("200 OK", "", card(request).to_string())].concat().into()), "active"),
    Case("101 Switching Protocols", Role::Card, |_| Saying::Held(bytes("HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n")), "needs_fix card_101"),
    Case("a length that is too short", Role::Card, |request| Saying::Once(bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n{}", card(request)))), "needs_fix not_a_card"),
    Case("a length that is too long", Role::Card, |request| Saying::Once(bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n{}", card(request)))), "queued conn_lost"),
    Case("two lengths", Role::Card, |request| answer("200 OK", "content-length: 3\r\n", card(request).to_string()), "queued conn_lost"),
    Case("chunks without a size", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n")), "queued conn_lost"),
    Case("a chunk of 2^64 bytes", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n")), "queued conn_lost"),
    Case("a chunk extension of 1 MB", Role::Card, |_| Saying::Once(bytes(format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(1 << 20)))), "queued conn_lost"),
    Case("chunks of one byte, with trailers", Role::Card, |request| Saying::Once(chunked(card(request).to_string().bytes().map(|byte| vec![byte]), "trailer: x-a\r\n", "0\r\nx-a: b\r\n\r\n")), "active"),
    Case("chunks without the last chunk", Role::Card, |request| Saying::Once(chunked([card(request).to_string().into_bytes()].into_iter(), "", "")), "queued conn_lost"),
    Case("endless trailers", Role::Card, |request| Saying::Flood(chunked([card(request).to_string().into_bytes()].into_iter(), "", "0\r\n"), bytes("x-a: b\r\n".repeat(99))), "queued conn_lost"),
    Case("gzip in gzip", Role::Card, |request| answer("200 OK", "content-encoding: gzip, gzip\r\n", gzip(&gzip(card(request).to_string().as_bytes()))), "needs_fix bad_encoding"),
    Case("a bomb in gzip in gzip", Role::Card, |_| answer("200 OK", "content-encoding: gzip, gzip\r\n", gzip(&gzip(&[b' '; 4 << 20]))), "needs_fix bad_encoding"),
    Case("a bomb of many members", Role::Card, |_| answer("200 OK", "content-encoding: gzip\r\n", gzip(&[b' '; 64 << 10]).repeat(50)), "needs_fix bad_encoding"),
    Case("a truncated gzip", Role::Card, |request| answer("200 OK", "content-encoding: gzip\r\n", &gzip(card(request).to_string().as_bytes())[..40]), "needs_fix bad_encoding"),
    Case("an encoding that was not requested", Role::Card, |request| answer("200 OK", "content-encoding: br\r\n", card(request).to_string()), "needs_fix bad_encoding"),
    Case("gzip in name only", Role::Card, |request| answer("200 OK", "content-encoding: gzip\r\n", card(request).to_string()), "needs_fix bad_encoding"),
    Case("UTF-16", Role::Card, |request| json_body([vec![0xFF, 0xFE], card(request).to_string().encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()), "needs_fix not_a_card"),
    Case("a byte order mark", Role::Card, |request| json_body(format!("\u{FEFF}{}", card(request))), "active"),
    Case("invalid UTF-8 in the name", Role::Card, |request| json_body(card(request).to_string().bytes().map(|byte| if byte == b'y' { 0xC0 } else { byte }).collect::<Vec<_>>()), "needs_fix not_a_card"),
    Case("unclosed deep nesting", Role::Card, |request| json_body(card_with_prefix(request, &format!("\"x\":{}", "[".repeat(DEPTH)))), "needs_fix not_a_card"),
    Case("closed deep nesting", Role::Card, |request| json_body(card_with_prefix(request, &format!("\"x\":{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH)))), "needs_fix not_a_card"),
    Case("duplicate members", Role::Card, |request| json_body(card_with_prefix(request, "\"name\":0,\"supportedInterfaces\":7")), "active"),
    Case("a number out of range", Role::Card, |request| json_body(card_with_prefix(request, "\"x\":1e999999")), "needs_fix not_a_card"),
    Case("a number of 200 KB", Role::Card, |request| json_body(card_with_prefix(request, &format!("\"x\":{}", "9".repeat(200_000)))), "needs_fix not_a_card"),
    Case("skills of zeros", Role::Card, |request| json_body(card_with_prefix(request, &format!("\"skills\":{}", zeros(120_000)))), "needs_fix not_a_card"),
    Case("interfaces of zeros", Role::Card, |request| json_body(card_with_prefix(request, &format!("\"x\":{}", zeros(120_000)))), "needs_fix not_a_card"),
    Case("an empty 204", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 204 No Content\r\n\r\n")), "needs_fix not_a_card"),
    Case("a card in a 204", Role::Card, |request| Saying::Once(bytes(format!("HTTP/1.1 204 No Content\r\n\r\n{}", card(request)))), "needs_fix not_a_card"),
    Case("304 without a condition", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 304 Not Modified\r\n\r\n")), "needs_fix redirected"),
    Case("a partial card, as 206", Role::Card, |request| answer("206 Partial", "content-range: bytes 0-39/999\r\n", &card(request).to_string()[..40]), "needs_fix not_a_card"),
    Case("a redirect loop of two", Role::Card, |request| redirect("302 Found", if request.path() == CARD { "/b" } else { CARD }), "needs_fix redirected"),
    Case("a redirect to a file", Role::Card, |_| redirect("302 Found", "file:///etc/passwd"), "needs_fix redirected"),
    Case("a redirect to loopback in hex", Role::Card, |_| redirect("302 Found", "https://0xa9fea9fe/"), "needs_fix url_refused"),
    Case("a redirect with a password", Role::Card, |_| redirect("302 Found", "http://user:pw@127.0.0.1/"), "needs_fix url_refused"),
    Case("a redirect without a location", Role::Card, |_| answer("302 Found", "", ""), "needs_fix redirected"),
    Case("a redirect that ends in control bytes", Role::Card, |_| redirect("302 Found", "/a\u{7f}b"), "queued conn_lost"),
    Case("a reset in the body", Role::Card, |_| Saying::Reset(bytes("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"name\"")), "queued conn_lost"),
    Case("a TLS alert on a plain port", Role::Card, |_| Saying::Once(bytes([0x15, 3, 3, 0, 2, 2, 40])), "queued conn_lost"),
    Case("a card that signs itself", Role::Card, |request| json_body(card_with(request, "signatures", json!([{ "protected": "eyJqa3UiOiJ4In0", "signature": "AA", "header": { "jku": request.origin() } }])).to_string()), "active"),
];

#[rustfmt::skip]
const AGENTS: &[Case] = &[
    Case("an interface that is the card", Role::Agent, |request| json_body(card(request).to_string()), "needs_fix not_a2a"),
    Case("an echo", Role::Agent, |request| json_body(request.body.to_string()), "needs_fix bad_jsonrpc"),
    Case("another id", Role::Agent, |request| json_body({ let mut other = agent_reply(request); other["id"] = json!(0); other }.to_string()), "needs_fix bad_jsonrpc"),
    Case("an id that is a list", Role::Agent, |request| json_body({ let mut other = agent_reply(request); other["id"] = json!([request.body["id"]]); other }.to_string()), "needs_fix bad_jsonrpc"),
    Case("a null id", Role::Agent, |request| json_body(json!({ "jsonrpc": "2.0", "id": null, "result": agent_reply(request)["result"] }).to_string()), "needs_fix bad_jsonrpc"),
    Case("a batch of a thousand other replies", Role::Agent, |_| json_body(json!(vec![json!({ "jsonrpc": "2.0", "id": 0, "result": {} }); 1000]).to_string()), "needs_fix not_a2a"),
    Case("a null result", Role::Agent, |request| json_body(reply(request, Value::Null).to_string()), "needs_fix answer_shape"),
    Case("a result and an error", Role::Agent, |request| json_body({ let mut both = reply(request, json!({ "status": { "state": "x" } })); both["error"] = json!({ "code": 1, "message": "x" }); both }.to_string()), "needs_fix bad_jsonrpc"),
    Case("a result of zeros", Role::Agent, |request| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}", request.body["id"], zeros(400_000))), "needs_fix answers_too_large"),
    Case("150,000 members", Role::Agent, |request| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{{}\"z\":0}}}}", request.body["id"], "\"a\":0,".repeat(150_000))), "needs_fix answers_too_large"),
    Case("a task that never ends", Role::Agent, |request| json_body(match request.method() { "SendMessage" => reply(request, json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } } })), _ => agent_reply(request) }.to_string()), "active"),
    Case("endless events without a reply", Role::Agent, |_| Saying::Flood(bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), bytes("data: {\"id\":0,\"result\":{}}\n\n".repeat(99))), "needs_fix answer_too_large"),
    Case("endless comments", Role::Agent, |_| Saying::Drip(bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), bytes(":\n".repeat(9000)), DRIP_INTERVAL), "queued timeout"),
    Case("endless blanks", Role::Agent, |_| Saying::Drip(bytes("HTTP/1.1 200 OK\r\n\r\n"), bytes(" ".repeat(9000)), DRIP_INTERVAL), "queued timeout"),
    Case("an endless field", Role::Agent, |_| Saying::Flood(bytes("HTTP/1.1 200 OK\r\n\r\ndata: "), bytes("x".repeat(999))), "needs_fix answer_too_large"),
    Case("an event in chunks of one byte", Role::Agent, |request| { let held = chunked(format!(": hi\r\rdata:\r\rdata: {}\r\r", agent_reply(request)).bytes().map(|byte| vec![byte]), "content-type: text/event-stream\r\n", ""); Saying::Held(held) }, "active"),
    Case("an event after a byte order mark", Role::Agent, |request| stream(format!("\u{FEFF}data: {}\n\n", agent_reply(request))), "active"),
    Case("a reply in two data lines", Role::Agent, |request| stream(format!("data: {}\n\n", agent_reply(request).to_string().replacen(',', ",\ndata: ", 1))), "active"),
    Case("an HTML page", Role::Agent, |_| answer("200 OK", "content-type: text/html\r\n", "<!doctype html><title>Hi</title>"), "needs_fix not_a2a"),
    Case("a reply with the type text/html", Role::Agent, |request| answer("200 OK", "content-type: text/html\r\n", agent_reply(request).to_string()), "active"),
    Case("401 on every request", Role::Agent, |_| answer("401 No", "www-authenticate: Basic realm=x\r\n", ""), "needs_fix auth_required"),
    Case("a redirect to another origin", Role::Agent, |_| redirect("308 Permanent", "http://127.0.0.2:9/rpc"), "needs_fix redirected"),
    Case("a redirect to itself", Role::Agent, |request| redirect("307 Temporary", request.path()), "needs_fix redirected"),
    Case("a redirect as the answer", Role::Agent, |_| redirect("302 Found", "/rpc"), "needs_fix redirected"),
    Case("an empty answer", Role::Agent, |_| answer("200 OK", "", ""), "needs_fix not_a2a"),
    Case("a reset after the request", Role::Agent, |_| Saying::Reset(Bytes::new()), "queued conn_lost"),
    Case("message parts that are a text", Role::Agent, |request| json_body(match request.method() { "SendMessage" => reply(request, json!({ "message": { "role": "agent", "parts": "text" } })), _ => agent_reply(request) }.to_string()), "needs_fix answer_shape"),
];

#[rustfmt::skip]
const SERVERS: &[Case] = &[
    Case("a session id of 64 KB", Role::Server, |request| server_with(request, &format!("mcp-session-id: {}\r\n", "s".repeat(64 << 10))), "active"),
    Case("a session id of control bytes", Role::Server, |request| server_with(request, "mcp-session-id: a\u{1}b\r\n"), "queued conn_lost"),
    Case("a session id that is not ASCII", Role::Server, |request| server_with(request, "mcp-session-id: ä\u{202e}\r\n"), "active"),
    Case("an initialize result of zeros", Role::Server, |request| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}", request.body["id"], zeros(400_000))), "needs_fix answers_too_large"),
    Case("an initialize result of endless nesting", Role::Server, |request| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}", request.body["id"], "{\"a\":".repeat(DEPTH))), "needs_fix bad_jsonrpc"),
    Case("an unknown future revision", Role::Server, |request| json_body(reply(request, json!({ "protocolVersion": "2999-01-01", "capabilities": {} })).to_string()), "needs_fix nonconforming:revision"),
    Case("an error of 900 KB", Role::Server, |request| json_body(json!({ "jsonrpc": "2.0", "id": request.body["id"], "error": { "code": -32000, "message": "x".repeat(900_000) } }).to_string()), "needs_fix initialize_refused"),
    Case("an error with ten thousand versions", Role::Server, |request| json_body(json!({ "jsonrpc": "2.0", "id": request.body["id"], "error": { "code": -32022, "message": "x", "data": { "supported": vec!["2024-11-05"; 10_000] } } }).to_string()), "needs_fix initialize_refused"),
    Case("an error code that is a text", Role::Server, |request| json_body(json!({ "jsonrpc": "2.0", "id": request.body["id"], "error": { "code": "x", "message": "x" } }).to_string()), "needs_fix bad_jsonrpc"),
    Case("a bare 401", Role::Server, |_| answer("401 No", "", ""), "needs_fix gated_unproven"),
    Case("metadata at a private address", Role::Server, |_| answer("401 No", "www-authenticate: Bearer resource_metadata=\"http://10.0.0.1/\"\r\n", ""), "needs_fix sign_in:redirected"),
    Case("metadata of zeros", Role::Server, |request| if request.body.is_null() { json_body(zeros(120_000)) } else { answer("401 No", "", "") }, "needs_fix gated_unproven"),
    Case("429 on every request", Role::Server, |_| answer("429 Slow", "retry-after: 99999999999\r\n", ""), "queued rate_limited"),
    Case("an invalid retry-after", Role::Server, |_| answer("503 Busy", "retry-after: -1\r\n", ""), "queued http_5xx"),
    Case("endless requests without a reply", Role::Server, |request| Saying::Flood(bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), bytes(format!("data: {{\"id\":{},\"method\":\"ping\"}}\n\n", request.body["id"]).repeat(99))), "needs_fix answer_too_large"),
    Case("a hundred thousand events", Role::Server, |_| stream("data:1\n\n".repeat(120_000)), "needs_fix answers_too_large"),
    Case("a request to the client, then the reply", Role::Server, |request| match request.method() {
        "initialize" => stream(format!("data: {}\n\ndata: {}\n\n", json!({ "jsonrpc": "2.0", "id": request.body["id"], "method": "sampling/createMessage" }), initialized(request))),
        _ => server_with(request, ""),
    }, "active"),
    Case("an endpoint of another origin", Role::Server, |request| if request.body.is_null() { stream("event: endpoint\ndata: http://10.0.0.1/\n\n") } else { answer("405 No", "", "") }, "needs_fix sse_legacy"),
    Case("an endless stream of other events", Role::Server, |request| if request.body.is_null() { Saying::Flood(bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), bytes("event: start\ndata: x\n\n".repeat(99))) } else { answer("405 No", "", "") }, "needs_fix not_mcp"),
    Case("a reply with the type text/plain", Role::Server, |request| server_with(request, "content-type: text/plain\r\n"), "active"),
];

#[rustfmt::skip]
const TOOLS: &[Case] = &[
    Case("pages of zeros in gzip", Role::Tools, |request| gzipped(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":{},\"nextCursor\":\"{}\"}}}}", request.body["id"], zeros(500_000), request.body["id"]).as_bytes()), "needs_fix too_many_tools"),
    Case("three thousand tools", Role::Tools, |request| page(request, (0..3000).map(|n| tool(&format!("t{n}"))).collect(), None), "needs_fix too_many_tools"),
    Case("pages that are too long in total", Role::Tools, |request| page(request, json!([{ "name": request.body["id"].to_string(), "description": "x".repeat(1_000_000), "inputSchema": {} }]), Some(&request.body["id"].to_string())), "needs_fix too_many_tools"),
    Case("endless pages", Role::Tools, |request| page(request, json!([tool(&format!("t{}", request.body["id"]))]), Some(&request.body["id"].to_string())), "active"),
    Case("a repeated cursor", Role::Tools, |request| page(request, json!([tool(&format!("t{}", request.body["id"]))]), Some("again")), "needs_fix nonconforming:cursor"),
    Case("a cursor of 500 KB", Role::Tools, |request| page(request, json!([tool(&format!("t{}", request.body["id"]))]), Some(&format!("{}{}", request.body["id"], "c".repeat(500_000)))), "active"),
    Case("two tools with one name", Role::Tools, |request| page(request, json!([tool("a"), tool("a")]), None), "needs_fix nonconforming:tool_names"),
    Case("a name of 500 KB", Role::Tools, |request| page(request, json!([tool(&"n".repeat(500_000))]), None), "needs_fix nonconforming:tool_shape"),
    Case("a name of control characters", Role::Tools, |request| page(request, json!([tool("a\u{202e}\u{0}b")]), None), "needs_fix text_sane"),
    Case("a schema that refers to itself", Role::Tools, |request| page(request, json!([{ "name": "a", "inputSchema": { "type": "object", "$ref": "#", "allOf": [{ "$ref": "#/allOf/0" }] } }]), None), "active"),
    Case("a schema of endless nesting", Role::Tools, |request| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":[{{\"name\":\"a\",\"inputSchema\":{}", request.body["id"], "{\"items\":".repeat(DEPTH))), "needs_fix nonconforming:id_echo"),
    Case("a schema of zeros", Role::Tools, |request| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":[{{\"name\":\"a\",\"inputSchema\":{{\"enum\":{}}}}}]}}}}", request.body["id"], zeros(400_000))), "needs_fix too_many_tools"),
    Case("tools that are not a list", Role::Tools, |request| page(request, json!({ "a": tool("a") }), None), "needs_fix tools_failed"),
    Case("a tools list with another id", Role::Tools, |request| json_body(json!({ "jsonrpc": "2.0", "id": 0, "result": { "tools": [], "asked": request.body["id"] } }).to_string()), "needs_fix nonconforming:id_echo"),
    Case("403 after initialize", Role::Tools, |_| answer("403 No", "", ""), "needs_fix sign_in:status_403"),
    Case("silence after initialize", Role::Tools, |_| Saying::Held(Bytes::new()), "queued timeout"),
];

/// Starts a peer that is hostile in its role and sound otherwise.
async fn start_peer(role: Role, hostile: fn(&RawRequest) -> Saying) -> String {
    raw::start(move |request| match role {
        Role::Card if request.method().is_empty() => hostile(request),
        Role::Card => json_body(agent_reply(request).to_string()),
        Role::Agent if request.path() == CARD => json_body(card(request).to_string()),
        Role::Tools if request.method() != "tools/list" => initialize(request),
        Role::Agent | Role::Server | Role::Tools => hostile(request),
    })
    .await
}

/// Sweeps all cases; returns the unexpected verdicts.
async fn sweep(cases: impl Iterator<Item = &'static Case>) -> Vec<String> {
    let options = TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000);
    let registry = TestRegistry::start_with(options).await;
    let mut listed = Vec::new();
    for Case(name, role, hostile, expected) in cases {
        let origin = start_peer(*role, *hostile).await;
        let id = match role {
            Role::Card | Role::Agent => registry.publish_card(&format!("{origin}{CARD}")).await,
            Role::Server | Role::Tools => registry.publish_mcp(&format!("{origin}/mcp")).await,
        };
        listed.push((*name, *expected, id));
    }
    let mut wrong = Vec::new();
    for _ in 0..3 {
        let began = Instant::now();
        let report = registry.tick().await;
        let duration = began.elapsed();
        println!("{} of {} hostile answers in {duration:?}", report["claimed"], listed.len());
        assert!(duration < LONGEST_SWEEP, "the sweep took {duration:?}: {report}");
        wrong = unexpected_verdicts(&registry, &listed).await;
        if wrong.is_empty() {
            break;
        }
        // On a busy machine an answer may time out; such a listing is retried soon.
        registry.advance(TICK);
    }
    wrong
}

/// The cases whose verdict is not the expected one.
async fn unexpected_verdicts(registry: &TestRegistry, listed: &[(&str, &str, ListingId)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, expected, id) in listed {
        let status = registry.status(id).await;
        let code = status["reasons"][0]["code"].as_str().unwrap_or_default();
        let found = format!("{} {code}", status["lane"].as_str().unwrap_or_default());
        if found.trim() != *expected || status.to_string().len() > 8000 {
            wrong.push(format!("{name}: {} instead of {expected}: {}", found.trim(), status["reasons"]));
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_cards_get_the_expected_probe_result() {
    let wrong = sweep(CARDS.iter()).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_agents_and_servers_get_the_expected_probe_result() {
    let wrong = sweep(AGENTS.iter().chain(SERVERS).chain(TOOLS)).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
