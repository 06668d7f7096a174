//! Hostile answers by the table: cards, agents and MCP servers that lie, flood, drip or break the form in one way each,
//! and what the registry says of each. It is Live where the proof was given in spite of all, and nowhere else.

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

/// What a peer does beside its harm.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// Its card is the harm; at its interface it is a sound agent.
    Card,
    /// Its card is sound; its interface is the harm.
    Agent,
    /// An MCP server whose every answer is the harm.
    Server,
    /// An MCP server that opens a conversation in good order; its tools are the harm.
    Tools,
}

/// A name, a role, what is sent, and the lane and first reason that it must get.
struct Case(&'static str, Role, fn(&RawRequest) -> Saying, &'static str);

/// So long a sweep may take: preflights side by side, probes side by side, and room for a busy machine.
const LONGEST_SWEEP: Duration = Duration::from_secs(30);

fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Bytes {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat().into()
}

fn once(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Saying {
    Saying::Once(http(status, headers, body))
}

fn bytes(text: impl Into<Vec<u8>>) -> Bytes {
    text.into().into()
}

fn json_body(body: impl AsRef<[u8]>) -> Saying {
    once("200 OK", "content-type: application/json\r\n", body)
}

fn stream(events: impl AsRef<[u8]>) -> Saying {
    once("200 OK", "content-type: text/event-stream\r\n", events)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    zipped.write_all(text).unwrap();
    zipped.finish().unwrap()
}

fn gzipped(text: &[u8]) -> Saying {
    once("200 OK", "content-type: application/json\r\ncontent-encoding: gzip\r\n", gzip(text))
}

/// `[0,0,…]`: two bytes a value.
fn zeros(values: usize) -> String {
    format!("[0{}]", ",0".repeat(values - 1))
}

fn redirect(status: &str, location: &str) -> Saying {
    once(status, &format!("location: {location}\r\n"), "")
}

/// A sound card of the peer itself.
fn card(asked: &RawRequest) -> Value {
    agents::card_at("Mallory", &format!("{}/rpc", asked.origin()))
}

/// The sound card with one member changed.
fn card_with(asked: &RawRequest, member: &str, value: Value) -> Value {
    let mut card = card(asked);
    card[member] = value;
    card
}

/// The sound card with a text put in before its first member.
fn card_after(asked: &RawRequest, members: &str) -> String {
    card(asked).to_string().replacen('{', &format!("{{{members},"), 1)
}

/// The reply that a sound agent gives to a call.
fn agents_reply(asked: &RawRequest) -> Value {
    match asked.method() {
        "SendMessage" => reply(
            asked,
            json!({ "message": { "messageId": "m-1", "role": "ROLE_AGENT", "parts": [{ "text": "Hi." }] } }),
        ),
        _ => {
            json!({ "jsonrpc": "2.0", "id": asked.body["id"], "error": { "code": -32001, "message": "Task not found" } })
        }
    }
}

fn reply(asked: &RawRequest, result: Value) -> Value {
    let mut reply = json!({ "jsonrpc": "2.0", "id": asked.body["id"] });
    reply["result"] = result;
    reply
}

fn initialized(asked: &RawRequest) -> Value {
    let info = json!({ "name": "mallory", "version": "1" });
    reply(
        asked,
        json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": info }),
    )
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "A tool.", "inputSchema": { "type": "object" } })
}

/// Opens a conversation as a server of 2025-06-18, or refuses what was not known then.
fn opens(asked: &RawRequest) -> Saying {
    match asked.method() {
        "initialize" => json_body(initialized(asked).to_string()),
        "notifications/initialized" => once("202 Accepted", "", ""),
        _ => json_body(
            json!({ "jsonrpc": "2.0", "id": asked.body["id"], "error": { "code": -32601, "message": "unknown" } })
                .to_string(),
        ),
    }
}

/// A sound MCP server with these headers in every answer.
fn server_with(asked: &RawRequest, headers: &str) -> Saying {
    let headers = format!("content-type: application/json\r\n{headers}");
    match asked.method() {
        "tools/list" => once("200 OK", &headers, reply(asked, json!({ "tools": [tool("a")] })).to_string()),
        "initialize" => once("200 OK", &headers, initialized(asked).to_string()),
        _ => opens(asked),
    }
}

fn page(asked: &RawRequest, tools: Value, next: Option<&str>) -> Saying {
    let mut result = json!({});
    result["tools"] = tools;
    if let Some(next) = next {
        result["nextCursor"] = json!(next);
    }
    json_body(reply(asked, result).to_string())
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

const TICKING: Duration = Duration::from_millis(20);
const DEEP: usize = 100_000;

#[rustfmt::skip]
const CARDS: &[Case] = &[
    Case("HTTP/0.9", Role::Card, |asked| Saying::Once(bytes(card(asked).to_string())), "queued conn_lost"),
    Case("a status line of 1 MB", Role::Card, |_| Saying::Once(bytes(format!("HTTP/1.1 200 {}\r\n\r\n{{}}", "O".repeat(1 << 20)))), "queued conn_lost"),
    Case("a status that is no number", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 two OK\r\n\r\n{}")), "queued conn_lost"),
    Case("headers byte by byte", Role::Card, |_| Saying::Drip(bytes("HTTP/1.1 200 OK\r\n"), bytes("x-a: b\r\n".repeat(9000)), TICKING), "queued preflight_timeout"),
    Case("headers without end", Role::Card, |_| Saying::Flood(bytes("HTTP/1.1 200 OK\r\n"), bytes("x-a: b\r\n".repeat(999))), "queued conn_lost"),
    Case("ten thousand headers", Role::Card, |asked| once("200 OK", &"x-a: b\r\n".repeat(10_000), card(asked).to_string()), "queued conn_lost"),
    Case("a header of 1 MB", Role::Card, |asked| once("200 OK", &format!("x-a: {}\r\n", "b".repeat(1 << 20)), card(asked).to_string()), "queued conn_lost"),
    Case("a challenge of 1 MB", Role::Card, |_| once("401 No", &format!("www-authenticate: Bearer {}\r\n", "b".repeat(1 << 20)), ""), "queued conn_lost"),
    Case("a header without a colon", Role::Card, |asked| once("200 OK", "nonsense\r\n", card(asked).to_string()), "queued conn_lost"),
    Case("100 Continue twenty thousand times", Role::Card, |_| Saying::Held(bytes("HTTP/1.1 100 Continue\r\n\r\n".repeat(20_000))), "queued preflight_timeout"),
    Case("five early hints, then a card", Role::Card, |asked| Saying::Once([bytes("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(5)), http("200 OK", "", card(asked).to_string())].concat().into()), "active"),
    Case("101 Switching Protocols", Role::Card, |_| Saying::Held(bytes("HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n")), "needs_fix card_101"),
    Case("a length that is too short", Role::Card, |asked| Saying::Once(bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n{}", card(asked)))), "needs_fix not_a_card"),
    Case("a length that is too long", Role::Card, |asked| Saying::Once(bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n{}", card(asked)))), "queued conn_lost"),
    Case("two lengths", Role::Card, |asked| once("200 OK", "content-length: 3\r\n", card(asked).to_string()), "queued conn_lost"),
    Case("chunks of no size", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n")), "queued conn_lost"),
    Case("a chunk of 2^64 bytes", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n")), "queued conn_lost"),
    Case("a chunk extension of 1 MB", Role::Card, |_| Saying::Once(bytes(format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(1 << 20)))), "queued conn_lost"),
    Case("chunks of one byte, with trailers", Role::Card, |asked| Saying::Once(chunked(card(asked).to_string().bytes().map(|byte| vec![byte]), "trailer: x-a\r\n", "0\r\nx-a: b\r\n\r\n")), "active"),
    Case("chunks without the last", Role::Card, |asked| Saying::Once(chunked([card(asked).to_string().into_bytes()].into_iter(), "", "")), "queued conn_lost"),
    Case("trailers without end", Role::Card, |asked| Saying::Flood(chunked([card(asked).to_string().into_bytes()].into_iter(), "", "0\r\n"), bytes("x-a: b\r\n".repeat(99))), "queued conn_lost"),
    Case("gzip in gzip", Role::Card, |asked| once("200 OK", "content-encoding: gzip, gzip\r\n", gzip(&gzip(card(asked).to_string().as_bytes()))), "needs_fix bad_encoding"),
    Case("a bomb in gzip in gzip", Role::Card, |_| once("200 OK", "content-encoding: gzip, gzip\r\n", gzip(&gzip(&[b' '; 4 << 20]))), "needs_fix bad_encoding"),
    Case("a bomb of many members", Role::Card, |_| once("200 OK", "content-encoding: gzip\r\n", gzip(&[b' '; 64 << 10]).repeat(50)), "needs_fix bad_encoding"),
    Case("half a gzip", Role::Card, |asked| once("200 OK", "content-encoding: gzip\r\n", &gzip(card(asked).to_string().as_bytes())[..40]), "needs_fix bad_encoding"),
    Case("an encoding nobody asked for", Role::Card, |asked| once("200 OK", "content-encoding: br\r\n", card(asked).to_string()), "needs_fix bad_encoding"),
    Case("gzip in name only", Role::Card, |asked| once("200 OK", "content-encoding: gzip\r\n", card(asked).to_string()), "needs_fix bad_encoding"),
    Case("UTF-16", Role::Card, |asked| json_body([vec![0xFF, 0xFE], card(asked).to_string().encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()), "needs_fix not_a_card"),
    Case("a byte order mark", Role::Card, |asked| json_body(format!("\u{FEFF}{}", card(asked))), "active"),
    Case("invalid UTF-8 in the name", Role::Card, |asked| json_body(card(asked).to_string().bytes().map(|byte| if byte == b'y' { 0xC0 } else { byte }).collect::<Vec<_>>()), "needs_fix not_a_card"),
    Case("nesting without end", Role::Card, |asked| json_body(card_after(asked, &format!("\"x\":{}", "[".repeat(DEEP)))), "needs_fix not_a_card"),
    Case("nesting that ends", Role::Card, |asked| json_body(card_after(asked, &format!("\"x\":{}{}", "[".repeat(DEEP), "]".repeat(DEEP)))), "needs_fix not_a_card"),
    Case("members twice", Role::Card, |asked| json_body(card_after(asked, "\"name\":0,\"supportedInterfaces\":7")), "active"),
    Case("a number out of range", Role::Card, |asked| json_body(card_after(asked, "\"x\":1e999999")), "needs_fix not_a_card"),
    Case("a number of 200 KB", Role::Card, |asked| json_body(card_after(asked, &format!("\"x\":{}", "9".repeat(200_000)))), "needs_fix not_a_card"),
    Case("skills of zeros", Role::Card, |asked| json_body(card_after(asked, &format!("\"skills\":{}", zeros(120_000)))), "needs_fix not_a_card"),
    Case("interfaces of zeros", Role::Card, |asked| json_body(card_after(asked, &format!("\"x\":{}", zeros(120_000)))), "needs_fix not_a_card"),
    Case("nothing, as 204", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 204 No Content\r\n\r\n")), "needs_fix not_a_card"),
    Case("a card within 204", Role::Card, |asked| Saying::Once(bytes(format!("HTTP/1.1 204 No Content\r\n\r\n{}", card(asked)))), "needs_fix not_a_card"),
    Case("304 to no condition", Role::Card, |_| Saying::Once(bytes("HTTP/1.1 304 Not Modified\r\n\r\n")), "needs_fix redirected"),
    Case("a part, as 206", Role::Card, |asked| once("206 Partial", "content-range: bytes 0-39/999\r\n", &card(asked).to_string()[..40]), "needs_fix not_a_card"),
    Case("a redirect in a ring of two", Role::Card, |asked| redirect("302 Found", if asked.path() == CARD { "/b" } else { CARD }), "needs_fix redirected"),
    Case("a redirect to a file", Role::Card, |_| redirect("302 Found", "file:///etc/passwd"), "needs_fix redirected"),
    Case("a redirect to loopback in hex", Role::Card, |_| redirect("302 Found", "https://0xa9fea9fe/"), "needs_fix url_refused"),
    Case("a redirect with a password", Role::Card, |_| redirect("302 Found", "http://user:pw@127.0.0.1/"), "needs_fix url_refused"),
    Case("a redirect to nowhere", Role::Card, |_| once("302 Found", "", ""), "needs_fix redirected"),
    Case("a redirect that ends in control bytes", Role::Card, |_| redirect("302 Found", "/a\u{7f}b"), "queued conn_lost"),
    Case("a reset within the body", Role::Card, |_| Saying::Reset(bytes("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"name\"")), "queued conn_lost"),
    Case("a TLS alert on a plain port", Role::Card, |_| Saying::Once(bytes([0x15, 3, 3, 0, 2, 2, 40])), "queued conn_lost"),
    Case("a card that signs itself", Role::Card, |asked| json_body(card_with(asked, "signatures", json!([{ "protected": "eyJqa3UiOiJ4In0", "signature": "AA", "header": { "jku": asked.origin() } }])).to_string()), "active"),
];

#[rustfmt::skip]
const AGENTS: &[Case] = &[
    Case("an interface that is the card", Role::Agent, |asked| json_body(card(asked).to_string()), "needs_fix not_a2a"),
    Case("an echo", Role::Agent, |asked| json_body(asked.body.to_string()), "needs_fix bad_jsonrpc"),
    Case("another id", Role::Agent, |asked| json_body({ let mut other = agents_reply(asked); other["id"] = json!(0); other }.to_string()), "needs_fix bad_jsonrpc"),
    Case("an id that is a list", Role::Agent, |asked| json_body({ let mut other = agents_reply(asked); other["id"] = json!([asked.body["id"]]); other }.to_string()), "needs_fix bad_jsonrpc"),
    Case("an id to nobody", Role::Agent, |asked| json_body(json!({ "jsonrpc": "2.0", "id": null, "result": agents_reply(asked)["result"] }).to_string()), "needs_fix bad_jsonrpc"),
    Case("a batch of a thousand others", Role::Agent, |_| json_body(json!(vec![json!({ "jsonrpc": "2.0", "id": 0, "result": {} }); 1000]).to_string()), "needs_fix not_a2a"),
    Case("a result of nothing", Role::Agent, |asked| json_body(reply(asked, Value::Null).to_string()), "needs_fix answer_shape"),
    Case("a result and an error", Role::Agent, |asked| json_body({ let mut both = reply(asked, json!({ "status": { "state": "x" } })); both["error"] = json!({ "code": 1, "message": "x" }); both }.to_string()), "needs_fix bad_jsonrpc"),
    Case("a result of zeros", Role::Agent, |asked| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}", asked.body["id"], zeros(400_000))), "needs_fix answers_too_large"),
    Case("members without end", Role::Agent, |asked| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{{}\"z\":0}}}}", asked.body["id"], "\"a\":0,".repeat(150_000))), "needs_fix answers_too_large"),
    Case("a task that never ends", Role::Agent, |asked| json_body(match asked.method() { "SendMessage" => reply(asked, json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } } })), _ => agents_reply(asked) }.to_string()), "active"),
    Case("events that never answer", Role::Agent, |_| Saying::Flood(bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), bytes("data: {\"id\":0,\"result\":{}}\n\n".repeat(99))), "needs_fix answer_too_large"),
    Case("comments that never end", Role::Agent, |_| Saying::Drip(bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), bytes(":\n".repeat(9000)), TICKING), "queued timeout"),
    Case("blanks that never end", Role::Agent, |_| Saying::Drip(bytes("HTTP/1.1 200 OK\r\n\r\n"), bytes(" ".repeat(9000)), TICKING), "queued timeout"),
    Case("a field that never ends", Role::Agent, |_| Saying::Flood(bytes("HTTP/1.1 200 OK\r\n\r\ndata: "), bytes("x".repeat(999))), "needs_fix answer_too_large"),
    Case("an event in chunks of one byte", Role::Agent, |asked| { let held = chunked(format!(": hi\r\rdata:\r\rdata: {}\r\r", agents_reply(asked)).bytes().map(|byte| vec![byte]), "content-type: text/event-stream\r\n", ""); Saying::Held(held) }, "active"),
    Case("an event after a byte order mark", Role::Agent, |asked| stream(format!("\u{FEFF}data: {}\n\n", agents_reply(asked))), "active"),
    Case("a reply in two data lines", Role::Agent, |asked| stream(format!("data: {}\n\n", agents_reply(asked).to_string().replacen(',', ",\ndata: ", 1))), "active"),
    Case("a page", Role::Agent, |_| once("200 OK", "content-type: text/html\r\n", "<!doctype html><title>Hi</title>"), "needs_fix not_a2a"),
    Case("a reply that says it is a page", Role::Agent, |asked| once("200 OK", "content-type: text/html\r\n", agents_reply(asked).to_string()), "active"),
    Case("a gate without end", Role::Agent, |_| once("401 No", "www-authenticate: Basic realm=x\r\n", ""), "needs_fix auth_required"),
    Case("a redirect to another origin", Role::Agent, |_| redirect("308 Permanent", "http://127.0.0.2:9/rpc"), "needs_fix redirected"),
    Case("a redirect to itself", Role::Agent, |asked| redirect("307 Temporary", asked.path()), "needs_fix redirected"),
    Case("a redirect as the answer", Role::Agent, |_| redirect("302 Found", "/rpc"), "needs_fix redirected"),
    Case("an empty answer", Role::Agent, |_| once("200 OK", "", ""), "needs_fix not_a2a"),
    Case("a reset after the request", Role::Agent, |_| Saying::Reset(Bytes::new()), "queued conn_lost"),
    Case("a message that is an order", Role::Agent, |asked| json_body(match asked.method() { "SendMessage" => reply(asked, json!({ "message": { "role": "agent", "parts": "text" } })), _ => agents_reply(asked) }.to_string()), "needs_fix answer_shape"),
];

#[rustfmt::skip]
const SERVERS: &[Case] = &[
    Case("a session id of 64 KB", Role::Server, |asked| server_with(asked, &format!("mcp-session-id: {}\r\n", "s".repeat(64 << 10))), "active"),
    Case("a session id of control bytes", Role::Server, |asked| server_with(asked, "mcp-session-id: a\u{1}b\r\n"), "queued conn_lost"),
    Case("a session id of no ASCII", Role::Server, |asked| server_with(asked, "mcp-session-id: ä\u{202e}\r\n"), "active"),
    Case("an opening of zeros", Role::Server, |asked| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}", asked.body["id"], zeros(400_000))), "needs_fix answers_too_large"),
    Case("an opening without end", Role::Server, |asked| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}", asked.body["id"], "{\"a\":".repeat(DEEP))), "needs_fix bad_jsonrpc"),
    Case("a revision of tomorrow", Role::Server, |asked| json_body(reply(asked, json!({ "protocolVersion": "2999-01-01", "capabilities": {} })).to_string()), "needs_fix nonconforming:revision"),
    Case("an error of 900 KB", Role::Server, |asked| json_body(json!({ "jsonrpc": "2.0", "id": asked.body["id"], "error": { "code": -32000, "message": "x".repeat(900_000) } }).to_string()), "needs_fix initialize_refused"),
    Case("ten thousand versions instead", Role::Server, |asked| json_body(json!({ "jsonrpc": "2.0", "id": asked.body["id"], "error": { "code": -32022, "message": "x", "data": { "supported": vec!["2024-11-05"; 10_000] } } }).to_string()), "needs_fix initialize_refused"),
    Case("an error code that is a text", Role::Server, |asked| json_body(json!({ "jsonrpc": "2.0", "id": asked.body["id"], "error": { "code": "x", "message": "x" } }).to_string()), "needs_fix bad_jsonrpc"),
    Case("a bare 401", Role::Server, |_| once("401 No", "", ""), "needs_fix gated_unproven"),
    Case("metadata at a private address", Role::Server, |_| once("401 No", "www-authenticate: Bearer resource_metadata=\"http://10.0.0.1/\"\r\n", ""), "needs_fix auth_required"),
    Case("metadata of zeros", Role::Server, |asked| if asked.body.is_null() { json_body(zeros(120_000)) } else { once("401 No", "", "") }, "needs_fix gated_unproven"),
    Case("429 for ever", Role::Server, |_| once("429 Slow", "retry-after: 99999999999\r\n", ""), "queued rate_limited"),
    Case("a retry after no number", Role::Server, |_| once("503 Busy", "retry-after: -1\r\n", ""), "queued http_5xx"),
    Case("events that ask and never answer", Role::Server, |asked| Saying::Flood(bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), bytes(format!("data: {{\"id\":{},\"method\":\"ping\"}}\n\n", asked.body["id"]).repeat(99))), "needs_fix answer_too_large"),
    Case("a hundred thousand events", Role::Server, |_| stream("data:1\n\n".repeat(120_000)), "needs_fix answers_too_large"),
    Case("a request to us, then the reply", Role::Server, |asked| match asked.method() {
        "initialize" => stream(format!("data: {}\n\ndata: {}\n\n", json!({ "jsonrpc": "2.0", "id": asked.body["id"], "method": "sampling/createMessage" }), initialized(asked))),
        _ => server_with(asked, ""),
    }, "active"),
    Case("an endpoint of another origin", Role::Server, |asked| if asked.body.is_null() { stream("event: endpoint\ndata: http://10.0.0.1/\n\n") } else { once("405 No", "", "") }, "needs_fix sse_legacy"),
    Case("a stream of another name", Role::Server, |asked| if asked.body.is_null() { Saying::Flood(bytes("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"), bytes("event: start\ndata: x\n\n".repeat(99))) } else { once("405 No", "", "") }, "needs_fix not_mcp"),
    Case("plain text that is the reply", Role::Server, |asked| server_with(asked, "content-type: text/plain\r\n"), "active"),
];

#[rustfmt::skip]
const TOOLS: &[Case] = &[
    Case("pages of zeros in gzip", Role::Tools, |asked| gzipped(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":{},\"nextCursor\":\"{}\"}}}}", asked.body["id"], zeros(500_000), asked.body["id"]).as_bytes()), "needs_fix answers_too_large"),
    Case("three thousand tools", Role::Tools, |asked| page(asked, (0..3000).map(|n| tool(&format!("t{n}"))).collect(), None), "needs_fix answers_too_large"),
    Case("pages that are too long together", Role::Tools, |asked| page(asked, json!([{ "name": asked.body["id"].to_string(), "description": "x".repeat(1_000_000), "inputSchema": {} }]), Some(&asked.body["id"].to_string())), "needs_fix answers_too_large"),
    Case("pages without end", Role::Tools, |asked| page(asked, json!([tool(&format!("t{}", asked.body["id"]))]), Some(&asked.body["id"].to_string())), "active"),
    Case("a cursor that comes again", Role::Tools, |asked| page(asked, json!([tool(&format!("t{}", asked.body["id"]))]), Some("again")), "needs_fix nonconforming:cursor"),
    Case("a cursor of 500 KB", Role::Tools, |asked| page(asked, json!([tool(&format!("t{}", asked.body["id"]))]), Some(&format!("{}{}", asked.body["id"], "c".repeat(500_000)))), "active"),
    Case("tools of one name", Role::Tools, |asked| page(asked, json!([tool("a"), tool("a")]), None), "needs_fix nonconforming:tool_names"),
    Case("a name of 500 KB", Role::Tools, |asked| page(asked, json!([tool(&"n".repeat(500_000))]), None), "needs_fix nonconforming:tool_shape"),
    Case("a name of control characters", Role::Tools, |asked| page(asked, json!([tool("a\u{202e}\u{0}b")]), None), "needs_fix text_sane"),
    Case("a schema that refers to itself", Role::Tools, |asked| page(asked, json!([{ "name": "a", "inputSchema": { "type": "object", "$ref": "#", "allOf": [{ "$ref": "#/allOf/0" }] } }]), None), "active"),
    Case("a schema without end", Role::Tools, |asked| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":[{{\"name\":\"a\",\"inputSchema\":{}", asked.body["id"], "{\"items\":".repeat(DEEP))), "needs_fix nonconforming:id_echo"),
    Case("a schema of zeros", Role::Tools, |asked| json_body(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"tools\":[{{\"name\":\"a\",\"inputSchema\":{{\"enum\":{}}}}}]}}}}", asked.body["id"], zeros(400_000))), "needs_fix answers_too_large"),
    Case("tools that are no list", Role::Tools, |asked| page(asked, json!({ "a": tool("a") }), None), "needs_fix tools_failed"),
    Case("the tools of another id", Role::Tools, |asked| json_body(json!({ "jsonrpc": "2.0", "id": 0, "result": { "tools": [], "asked": asked.body["id"] } }).to_string()), "needs_fix nonconforming:id_echo"),
    Case("a gate behind the opening", Role::Tools, |_| once("403 No", "", ""), "needs_fix auth_required"),
    Case("silence behind the opening", Role::Tools, |_| Saying::Held(Bytes::new()), "queued timeout"),
];

/// Answers by the role: what is not the harm is sound.
async fn start(role: Role, harm: fn(&RawRequest) -> Saying) -> String {
    raw::start(move |asked| match role {
        Role::Card if asked.method().is_empty() => harm(asked),
        Role::Card => json_body(agents_reply(asked).to_string()),
        Role::Agent if asked.path() == CARD => json_body(card(asked).to_string()),
        Role::Tools if asked.method() != "tools/list" => opens(asked),
        Role::Agent | Role::Server | Role::Tools => harm(asked),
    })
    .await
}

/// One sweep over all of them; tells what did not come out as the table says.
async fn sweep(cases: impl Iterator<Item = &'static Case>) -> Vec<String> {
    let options = TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000);
    let registry = TestRegistry::start_with(options).await;
    let mut listed = Vec::new();
    for Case(name, role, harm, expected) in cases {
        let origin = start(*role, *harm).await;
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
        let took = began.elapsed();
        println!("{} of {} hostile answers in {took:?}", report["claimed"], listed.len());
        assert!(took < LONGEST_SWEEP, "the sweep took {took:?}: {report}");
        wrong = differing(&registry, &listed).await;
        if wrong.is_empty() {
            break;
        }
        // On a busy machine an answer may come too late, which is told as such and tried again early.
        registry.advance(TICK);
    }
    wrong
}

/// What is not as the table says.
async fn differing(registry: &TestRegistry, listed: &[(&str, &str, ListingId)]) -> Vec<String> {
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
async fn hostile_cards_get_the_verdict_that_they_deserve() {
    let wrong = sweep(CARDS.iter()).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_agents_and_servers_get_the_verdict_that_they_deserve() {
    let wrong = sweep(AGENTS.iter().chain(SERVERS).chain(TOOLS)).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
