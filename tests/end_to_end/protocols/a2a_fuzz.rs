//! Fuzzes the A2A router with random bodies and with valid requests that were damaged. JSON-RPC replies
//! always have HTTP status 200. REST replies are a valid result or a valid error of A2A.

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
use registry::model::{CallerAddress, LimitedAction};
use serde_json::{Map, Value, json};
use tests::test_registry::{TestOptions, TestRegistry};
use tower::ServiceExt;

use super::fuzzing::{self, any_json, damaged};

/// Time limit of a request on a busy machine, with the wait for a first probe.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A closed port. A damaged copy of this URL contains no host name that could be looked up.
const CLOSED_PORT: &str = "http://127.0.0.1:1/card.json";

const METHODS: [&str; 17] = [
    "SendMessage",
    "SendMessage",
    "SendMessage",
    "message/send",
    "message/send",
    "message/send",
    "tasks/send",
    "tasks/send",
    "tasks/get",
    "tasks/cancel",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SendStreamingMessage",
    "CreateTaskPushNotificationConfig",
    "help",
    "no/such",
];

/// Words of the random texts. None of them starts a wait for a probe.
const PIECES: [&str; 26] = [
    "list",
    "please",
    "me",
    "my agent at",
    "don't",
    "score",
    "is",
    "live",
    "?",
    "what",
    "which MCP servers are live?",
    "status of",
    "agtpub_0123456789abcdef0123",
    "mcp-x",
    CLOSED_PORT,
    "gopher:x",
    "\"Weather Bot\"",
    "\u{202e}",
    "é",
    "help",
    "😀",
    "{\"tool\": \"check_status\"}",
    "\n",
    "'",
    "5",
    "check_status",
];

#[derive(Clone, Debug)]
struct FuzzRequest {
    path: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: Vec<u8>,
}

fn text() -> impl Strategy<Value = Value> {
    prop::collection::vec(select(PIECES.to_vec()), 0..7).prop_map(|pieces| pieces.join(" ").into())
}

fn part() -> impl Strategy<Value = Value> {
    let call = select(vec![
        json!({ "operation": "check_status", "arguments": { "id": "mcp-x" } }),
        json!({ "skill": "search-active", "arguments": { "limit": 5 } }),
        json!({ "tool": "search_active", "args": { "limit": -5 } }),
        json!({ "skill": "list-yourself", "arguments": { "url": "gopher:x" } }),
        json!({ "skill": "no-such-skill" }),
        json!({ "url": CLOSED_PORT }),
    ]);
    prop_oneof![
        4 => text().prop_map(|text| json!({ "text": text })),
        4 => text().prop_map(|text| json!({ "kind": "text", "text": text })),
        2 => text().prop_map(|text| json!({ "type": "text", "text": text })),
        3 => call.prop_map(|data| json!({ "data": data })),
        1 => any_json().prop_map(|data| json!({ "kind": "data", "data": data })),
        1 => Just(json!({ "url": CLOSED_PORT, "mediaType": "application/json" })),
        1 => Just(json!({ "kind": "file", "file": { "bytes": "aGk=", "name": "x" } })),
        1 => any_json(),
    ]
}

fn known_id() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => select(vec!["t1", "t2", "t3", "OF#127.0.0.1#t1", "TASK#t1", "é#\u{7f}", ""]).prop_map(Value::from),
        1 => any_json(),
    ]
}

fn message() -> impl Strategy<Value = Value> {
    let role = select(vec!["user", "ROLE_USER", "ROLE_USER", "agent", "king"]);
    let parts = prop_oneof![12 => prop::collection::vec(part(), 0..4).prop_map(Value::from), 1 => any_json()];
    let id = prop::option::weighted(0.9, prop_oneof![9 => Just(json!("m1")), 1 => any_json()]);
    let context = prop::option::weighted(0.2, known_id());
    let task = prop::option::weighted(0.15, known_id());
    (id, role, parts, context, task, prop::option::weighted(0.1, any_json())).prop_map(
        |(id, role, parts, context, task, metadata)| {
            let mut message = json!({ "role": role, "parts": parts });
            for (name, value) in
                [("messageId", id), ("contextId", context), ("taskId", task), ("metadata", metadata)]
            {
                if let Some(value) = value {
                    message[name] = value;
                }
            }
            message
        },
    )
}

fn params() -> impl Strategy<Value = Value> {
    let configuration = prop_oneof![
        3 => select(vec![json!({}), json!({ "blocking": false }), json!({ "historyLength": 0 }), json!({ "pushNotificationConfig": {} })]),
        1 => any_json(),
    ];
    let sent =
        (message(), prop::option::weighted(0.4, known_id()), prop::option::weighted(0.3, configuration))
            .prop_map(|(message, id, configuration)| {
                let mut params = json!({ "message": message });
                for (name, value) in [("id", id), ("configuration", configuration)] {
                    if let Some(value) = value {
                        params[name] = value;
                    }
                }
                params
            });
    let named = known_id().prop_map(|id| json!({ "id": id, "historyLength": 1 }));
    let listed = (any_json(), any_json(), known_id()).prop_map(|(size, token, context)| {
        json!({ "pageSize": size, "pageToken": token, "contextId": context, "includeArtifacts": true })
    });
    prop_oneof![8 => sent, 3 => named, 1 => listed, 1 => Just(json!({ "pageSize": 2 })), 1 => any_json()]
}

fn request() -> impl Strategy<Value = Value> {
    let good = prop_oneof![any::<i64>().prop_map(Value::from), "[a-z\u{e9}\"]{0,6}".prop_map(Value::from)];
    let id = prop_oneof![8 => good.prop_map(Some), 1 => Just(None), 1 => any_json().prop_map(Some)];
    let version = prop_oneof![16 => Just(json!("2.0")), 1 => any_json()];
    let method = prop_oneof![16 => select(METHODS.to_vec()).prop_map(Value::from), 1 => any_json()];
    (version, id, method, prop::option::weighted(0.95, params())).prop_map(|(version, id, method, params)| {
        let mut request = json!({ "jsonrpc": version, "method": method });
        for (name, value) in [("id", id), ("params", params)] {
            if let Some(value) = value {
                request[name] = value;
            }
        }
        request
    })
}

fn fuzz_request() -> impl Strategy<Value = FuzzRequest> {
    let bytes = |value: Value| value.to_string().into_bytes();
    let edits = || prop::collection::vec(any::<(Index, Index, u8)>(), 1..4);
    let rpc = prop_oneof![
        9 => request().prop_map(bytes),
        4 => (request(), edits()).prop_map(move |(request, edits)| damaged(bytes(request), &edits)),
        1 => prop::collection::vec(request(), 0..3).prop_map(move |batch| bytes(batch.into())),
        1 => any_json().prop_map(bytes),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ];
    let rest = prop_oneof![
        3 => params().prop_map(bytes),
        1 => (params(), edits()).prop_map(move |(params, edits)| damaged(bytes(params), &edits)),
    ];
    let at = prop_oneof![
        8 => rpc.prop_map(|body| ("/api/a2a", body)),
        1 => rest.prop_map(|body| ("/api/a2a/message:send", body)),
    ];
    let version = prop::option::weighted(0.5, select(vec!["1.0", "1.0", "0.3", "", "99.0", "x"]));
    let kind = prop_oneof![24 => Just("application/json"), 1 => Just("application/a2a+json"), 1 => Just("text/plain")];
    (at, version, kind).prop_map(|((path, body), version, kind)| {
        let headers =
            std::iter::once(("content-type", kind)).chain(version.map(|version| ("a2a-version", version)));
        FuzzRequest { path, headers: headers.collect(), body }
    })
}

async fn reply_to(router: Router, sent: FuzzRequest) -> (StatusCode, Value) {
    let mut request = Request::post(sent.path);
    // Many callers, each with a few tasks of its own.
    let caller = Ipv4Addr::new(192, 0, 2, u8::try_from(sent.body.len() % 50).unwrap());
    request.extensions_mut().unwrap().insert(CallerAddress(caller.into()));
    for (name, value) in &sent.headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(sent.body.clone())).unwrap();
    let in_time = tokio::time::timeout(TIME_LIMIT, router.oneshot(request)).await;
    let response = in_time.unwrap_or_else(|_| panic!("no reply within {TIME_LIMIT:?}: {sent:?}")).unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_else(|_| panic!("no JSON: {body:?}")))
}

/// Whether a reply follows JSON-RPC 2.0 §5.
fn is_response(reply: &Value) -> bool {
    let id = reply.get("id").is_some_and(|id| id.is_null() || id.is_string() || id.is_number());
    let result = reply.get("result").is_some_and(Value::is_object);
    let error =
        reply.get("error").is_some_and(|error| error["code"].is_i64() && error["message"].is_string());
    reply["jsonrpc"] == "2.0" && id && reply.as_object().map_or(0, Map::len) == 3 && (result != error)
}

/// Whether a reply follows the REST binding: a message, a task, or an error with its status.
fn is_rest(status: StatusCode, reply: &Value) -> bool {
    match status {
        StatusCode::OK => reply["message"].is_object() != reply["task"].is_object(),
        status => reply["error"]["code"] == status.as_u16() && reply["error"]["details"].is_array(),
    }
}

/// Stack size for the strategies, which nest deeply in a debug build. Requests run on the threads of the runtime.
const STACK_SIZE: usize = 64 * 1024 * 1024;

#[test]
fn any_request_gets_a_valid_a2a_reply() {
    std::thread::Builder::new().stack_size(STACK_SIZE).spawn(fuzz).unwrap().join().unwrap();
}

fn fuzz() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    // Each publish waits for a probe that does not come in this test, so few of them are allowed.
    let options = TestOptions::default()
        .with_rates()
        .with_setting("PUBLISH_PER_HOUR", 2)
        .with_rate(LimitedAction::Score, |rate| rate.caller = 50)
        .with_rate(LimitedAction::Task, |rate| (rate.caller, rate.everybody) = (1_000_000, 1_000_000));
    let registry = runtime.block_on(TestRegistry::start_with(options));
    let router = a2a::router(registry.app.clone());
    let outcomes = RefCell::new(BTreeMap::<(&'static str, i64), u32>::new());
    fuzzing::runner()
        .run(&fuzz_request(), |sent| {
            let (status, reply) =
                runtime.block_on(runtime.spawn(reply_to(router.clone(), sent.clone()))).unwrap();
            prop_assert!(!status.is_server_error(), "{status}");
            let outcome = if sent.path == "/api/a2a" {
                prop_assert_eq!(status, StatusCode::OK);
                prop_assert!(is_response(&reply), "{}", reply);
                let request: Option<Value> = serde_json::from_slice(&sent.body).ok();
                let id = request.as_ref().map_or(&Value::Null, |request| &request["id"]);
                prop_assert!(reply.get("result").is_none() || reply["id"] == *id, "another id: {}", reply);
                ("rpc", reply["error"]["code"].as_i64().unwrap_or(0))
            } else {
                prop_assert!(is_rest(status, &reply), "{} {}", status, reply);
                ("rest", i64::from(status.as_u16()))
            };
            *outcomes.borrow_mut().entry(outcome).or_default() += 1;
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));

    let rpc =
        [0, -32700, -32600, -32601, -32602, -32001, -32003, -32004, -32005, -32009].map(|code| ("rpc", code));
    let rest = [200, 400, 415].map(|status| ("rest", status));
    fuzzing::assert_all_occur(&outcomes.into_inner(), rpc.into_iter().chain(rest));
}
