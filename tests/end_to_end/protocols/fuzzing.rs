//! Fuzzes the routers of A2A and MCP with random bodies, and with valid requests in which one value, header or some bytes
//! were changed. The reply is JSON-RPC (or a result or error of the REST binding of A2A, or empty with status 202), and
//! every kind of reply occurs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use registry::model::{CallerAddress, LimitedAction};
use serde::Deserialize;
use serde_json::Map;
use tests::prelude::*;
use tower::ServiceExt;

const CASES: u32 = 4_000;

/// Requests that all fail in the parser would prove little, so every kind of reply must occur this often.
const MIN_OCCURRENCES: u32 = 4;

/// Time limit of a request on a busy machine, with the wait for a first probe.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Valid requests, one in a line. Their URLs lead to a closed port or need no look-up, so that nothing is sent to other hosts.
const A2A: &str = include_str!("../../harness/fixtures/fuzz/a2a.jsonl");
const MCP: &str = include_str!("../../harness/fixtures/fuzz/mcp.jsonl");

/// Headers that may replace or join those of a valid request.
const HEADERS: [(&str, &str); 10] = [
    ("content-type", "text/plain"),
    ("content-type", "application/json; charset=latin-1"),
    ("a2a-version", "99.0"),
    ("a2a-version", ""),
    ("mcp-protocol-version", "2099-01-01"),
    ("mcp-protocol-version", "2025-03-26"),
    ("mcp-method", "ping"),
    ("mcp-name", "=?base64?Mg==?="),
    ("mcp-session-id", "s"),
    ("origin", "https://evil.example.com"),
];

/// A request; the body of a valid one is a document.
#[derive(Clone, Debug, Deserialize)]
struct Sent<B> {
    path: String,
    headers: Vec<(String, String)>,
    body: B,
}

type Seed = Sent<Value>;

fn seeds(lines: &str) -> Vec<Seed> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Any JSON without URLs, so that nothing sends a request to another host.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z\u{e9}\u{1f600}\"\\\\\u{0}]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[a-zA-Z_]{0,8}", inner, 0..5)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

/// Replaces one value at any depth, or removes it from its object.
fn edited(mut document: Value, at: Index, with: Option<Value>) -> Value {
    fn walk(value: &Value, path: &str, places: &mut Vec<String>) {
        places.push(path.to_owned());
        let mut below = |name: &str, value: &Value| {
            walk(value, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), places);
        };
        match value {
            Value::Object(members) => members.iter().for_each(|(name, value)| below(name, value)),
            Value::Array(items) => items.iter().enumerate().for_each(|(n, item)| below(&n.to_string(), item)),
            _ => {}
        }
    }
    let mut places = Vec::new();
    walk(&document, "", &mut places);
    let place = at.get(&places);
    let parent = place.rsplit_once('/').filter(|_| with.is_none());
    let parent =
        parent.and_then(|(parent, name)| Some((document.pointer_mut(parent)?.as_object_mut()?, name)));
    if let Some((members, name)) = parent {
        members.shift_remove(&name.replace("~1", "/").replace("~0", "~"));
    } else {
        *document.pointer_mut(place).unwrap() = with.unwrap_or_default();
    }
    document
}

/// Removes, repeats or inserts bytes.
fn damaged(text: Vec<u8>, edits: &[(Index, Index, u8)]) -> Vec<u8> {
    edits.iter().fold(text, |mut text, (from, to, with)| {
        let (from, to) = (from.index(text.len() + 1), to.index(text.len() + 1));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
        match with % 3 {
            0 => drop(text.drain(from..to)),
            1 => text.extend_from_within(from..to),
            _ => text.insert(from, *with),
        }
        text
    })
}

fn requests(seeds: Vec<Seed>) -> impl Strategy<Value = Sent<Vec<u8>>> {
    let value_edits = prop::collection::vec((any::<Index>(), prop::option::of(any_json())), 0..3);
    let byte_edits = prop::option::weighted(0.15, prop::collection::vec(any::<(Index, Index, u8)>(), 1..4));
    let garbage = prop::option::weighted(0.03, prop::collection::vec(any::<u8>(), 0..200));
    let header = prop::option::weighted(0.25, select(HEADERS.to_vec()));
    (select(seeds), value_edits, byte_edits, garbage, header).prop_map(
        |(seed, value_edits, byte_edits, garbage, header)| {
            let body = value_edits.into_iter().fold(seed.body, |body, (at, with)| edited(body, at, with));
            let body = damaged(body.to_string().into_bytes(), &byte_edits.unwrap_or_default());
            let mut headers = seed.headers;
            if let Some((name, value)) = header {
                headers.retain(|(other, _)| other != name);
                headers.push((name.to_owned(), value.to_owned()));
            }
            Sent { path: seed.path, headers, body: garbage.unwrap_or(body) }
        },
    )
}

/// Status, content type and body of the reply.
async fn reply_to(router: Router, sent: Sent<Vec<u8>>) -> (StatusCode, String, Vec<u8>) {
    let mut request = Request::post(&sent.path);
    // Many callers, each with a few tasks of its own.
    let caller = Ipv4Addr::new(192, 0, 2, u8::try_from(sent.body.len() % 50).unwrap());
    request.extensions_mut().unwrap().insert(CallerAddress(caller.into()));
    for (name, value) in &sent.headers {
        request = request.header(name, value);
    }
    let request = request.body(Body::from(sent.body.clone())).unwrap();
    let in_time = tokio::time::timeout(TIME_LIMIT, router.oneshot(request)).await;
    let response = in_time.unwrap_or_else(|_| panic!("no reply within {TIME_LIMIT:?}: {sent:?}")).unwrap();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let status = response.status();
    (status, kind.unwrap_or_default(), response.into_body().collect().await.unwrap().to_bytes().into())
}

/// Whether a reply follows JSON-RPC 2.0 §5. The id of an error may be null.
fn is_response(reply: &Value) -> bool {
    let id = reply.get("id").is_some_and(|id| id.is_null() || id.is_string() || id.is_number());
    let result = reply.get("result").is_some_and(Value::is_object);
    let error =
        reply.get("error").is_some_and(|error| error["code"].is_i64() && error["message"].is_string());
    reply["jsonrpc"] == "2.0" && id && reply.as_object().map_or(0, Map::len) == 3 && result != error
}

/// Sends requests until each kind of reply (status, and code of the error or 0) has occurred.
fn fuzz(runtime: &tokio::runtime::Runtime, router: &Router, seeds: Vec<Seed>, expected: &[(u16, i64)]) {
    let config = ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Default::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcomes = RefCell::new(BTreeMap::<(u16, i64), u32>::new());
    let run = runner.run(&requests(seeds), |sent| {
        let (status, kind, body) =
            runtime.block_on(runtime.spawn(reply_to(router.clone(), sent.clone()))).unwrap();
        prop_assert!(!status.is_server_error(), "{status}");
        let reply: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut code = 0;
        if status == StatusCode::ACCEPTED {
            prop_assert!(body.is_empty());
        } else if status == StatusCode::FORBIDDEN {
            // The middleware of all functions refuses foreign pages, before the request reaches a protocol.
            prop_assert_eq!(kind, "application/problem+json");
            prop_assert!(sent.headers.iter().any(|(name, _)| name == "origin"));
        } else if sent.path.ends_with("message:send") {
            let result = reply["message"].is_object() != reply["task"].is_object();
            let error = reply["error"]["code"] == status.as_u16() && reply["error"]["details"].is_array();
            prop_assert!(if status == StatusCode::OK { result } else { error }, "{} {}", status, reply);
        } else {
            prop_assert_eq!(kind, "application/json");
            let replies = reply.as_array().cloned().unwrap_or_else(|| vec![reply.clone()]);
            prop_assert!(!replies.is_empty() && replies.iter().all(is_response), "{}", reply);
            let request: Option<Value> = serde_json::from_slice(&sent.body).ok();
            let id = request.as_ref().map_or(&Value::Null, |request| &request["id"]);
            prop_assert!(reply.get("result").is_none() || reply["id"] == *id, "another id: {}", reply);
            code = reply["error"]["code"].as_i64().unwrap_or(0);
        }
        *outcomes.borrow_mut().entry((status.as_u16(), code)).or_default() += 1;
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
    let outcomes = outcomes.into_inner();
    for outcome in expected {
        let count = outcomes.get(outcome).copied().unwrap_or_default();
        assert!(count >= MIN_OCCURRENCES, "{outcome:?} is rare: {outcomes:?}");
    }
}

#[test]
fn any_a2a_request_gets_a_valid_reply() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    // Each publish waits for a probe that does not come in this test, so few of them are allowed.
    let options = TestOptions::default()
        .with_setting("PUBLISH_PER_HOUR", 2)
        .with_rate(LimitedAction::Score, |rate| rate.caller = 50)
        .with_rate(LimitedAction::Task, |rate| (rate.caller, rate.everybody) = (1_000_000, 1_000_000));
    let registry = runtime.block_on(TestRegistry::start_with(options));
    let codes = [0, -32700, -32600, -32601, -32602, -32001, -32003, -32004, -32005, -32009];
    let expected: Vec<(u16, i64)> =
        codes.map(|code| (200, code)).into_iter().chain([(400, 0), (415, 0)]).collect();
    fuzz(&runtime, &a2a::router(registry.app.clone()), seeds(A2A), &expected);
}

#[test]
fn any_mcp_request_gets_a_valid_reply() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let registry = runtime.block_on(TestRegistry::start());
    let mut expected = vec![(200, 0), (202, 0), (403, 0), (200, -32601), (404, -32601), (415, -32600)];
    expected.extend([
        (200, -32602),
        (400, -32602),
        (400, -32600),
        (400, -32700),
        (400, -32020),
        (400, -32022),
    ]);
    fuzz(&runtime, &protocol::router(registry.app.clone()), seeds(MCP), &expected);
}
