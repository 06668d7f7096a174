//! Fuzzes the MCP router with random bodies and with valid requests that were damaged. The reply is always
//! JSON-RPC, or it is empty with status 202.

use axum::Router;
use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};
use tests::test_registry::TestRegistry;
use tower::ServiceExt;

use super::fuzzing::{self, any_json, damaged};

/// Time limit of a request on a busy machine.
const TIME_LIMIT: std::time::Duration = std::time::Duration::from_secs(5);

const VERSIONS: [&str; 7] =
    ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2099-01-01", "=?base64?Mg==?="];

const METHODS: [&str; 11] = [
    "server/discover",
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "tools/call",
    "tools/call",
    "prompts/get",
    "resources/read",
    "notifications/initialized",
    "",
];

const TOOLS: [&str; 9] = [
    "search_active",
    "check_status",
    "get_listing_status",
    "list_yourself",
    "list_on_registry",
    "probe_clean",
    "check_liveness",
    "score",
    "nope",
];

#[derive(Clone, Debug)]
struct FuzzRequest {
    path: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

fn arguments() -> impl Strategy<Value = Value> {
    let good = select(vec![
        json!({}),
        json!({ "kind": "mcp", "limit": 5 }),
        json!({ "limit": 0 }),
        json!({ "limit": 1e30, "cursor": "x" }),
        json!({ "id": "agtpub_0123456789abcdef0123" }),
        json!({ "listing_id": "mcp-x" }),
        json!({ "url": "gopher:x" }),
        json!({ "mcp_url": "https://mcp.example.com/mcp", "name": "\u{202e}x" }),
        json!({ "agent_card_url": "https://a.example.com/.well-known/agent-card.json", "contact_email": "x" }),
        json!({ "server_json": { "name": "com.example/x", "version": "1.0.0", "description": "x" } }),
    ]);
    prop_oneof![4 => good, 1 => any_json()]
}

fn meta() -> impl Strategy<Value = Value> {
    let whole = select(VERSIONS.to_vec()).prop_map(|version| {
        json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    });
    prop_oneof![
        4 => whole,
        1 => Just(json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" })),
        1 => any_json(),
    ]
}

fn params() -> impl Strategy<Value = Value> {
    let named =
        (select(TOOLS.to_vec()), arguments(), prop::option::weighted(0.6, meta()), select(VERSIONS.to_vec()))
            .prop_map(|(name, arguments, meta, version)| {
                let mut params = json!({ "name": name, "arguments": arguments, "protocolVersion": version });
                if let Some(meta) = meta {
                    params["_meta"] = meta;
                }
                params
            });
    let listed = prop_oneof![Just(json!({})), any_json().prop_map(|cursor| json!({ "cursor": cursor }))];
    prop_oneof![6 => named, 2 => listed, 1 => any_json()]
}

fn id() -> impl Strategy<Value = Option<Value>> {
    let good = prop_oneof![any::<i64>().prop_map(Value::from), "[a-z\u{e9}\"]{0,6}".prop_map(Value::from)];
    prop_oneof![6 => good.prop_map(Some), 1 => Just(None), 1 => any_json().prop_map(Some)]
}

fn message() -> impl Strategy<Value = Value> {
    let version = prop_oneof![12 => Just(json!("2.0")), 1 => any_json()];
    let method = prop_oneof![12 => select(METHODS.to_vec()).prop_map(Value::from), 1 => any_json()];
    (version, id(), method, prop::option::weighted(0.9, params()), prop::option::weighted(0.05, any_json()))
        .prop_map(|(version, id, method, params, result)| {
            let mut message = json!({ "jsonrpc": version, "method": method });
            for (name, value) in [("id", id), ("params", params), ("result", result)] {
                if let Some(value) = value {
                    message[name] = value;
                }
            }
            message
        })
}

fn body() -> impl Strategy<Value = (Value, Vec<u8>)> {
    let plain = |value: Value| (value.clone(), value.to_string().into_bytes());
    let edits = prop::collection::vec(any::<(Index, Index, u8)>(), 1..4);
    let without_value = |bytes| (Value::Null, bytes);
    prop_oneof![
        8 => message().prop_map(plain),
        2 => prop::collection::vec(message(), 0..6).prop_map(move |batch| plain(batch.into())),
        3 => (message(), edits).prop_map(move |(message, edits)| without_value(damaged(message.to_string().into_bytes(), &edits))),
        1 => any_json().prop_map(plain),
        1 => prop::collection::vec(any::<u8>(), 0..200).prop_map(without_value),
    ]
}

/// A request whose headers mostly match the body, as a client would send them.
fn fuzz_request() -> impl Strategy<Value = FuzzRequest> {
    let header = |matching: f64| (prop::bool::weighted(matching), prop::option::of(select(METHODS.to_vec())));
    let extra_header = select(vec![
        ("origin", "https://evil.example.com"),
        ("origin", "null"),
        ("mcp-session-id", "s"),
        ("last-event-id", "7"),
    ]);
    let kind = prop_oneof![20 => Just("application/json"), 1 => Just("application/json; charset=latin-1"), 1 => Just("text/plain")];
    let path = select(vec!["/api/protocol", "/mcp"]);
    let version = (prop::bool::weighted(0.7), prop::option::of(select(VERSIONS.to_vec())));
    (path, body(), version, header(0.85), header(0.85), prop::option::weighted(0.1, extra_header), kind)
        .prop_map(|(path, (value, body), version, method, name, extra_header, kind)| {
            let params = &value["params"];
            let header_sources = [
                (
                    "mcp-protocol-version",
                    &params["_meta"]["io.modelcontextprotocol/protocolVersion"],
                    version,
                ),
                ("mcp-method", &value["method"], method),
                ("mcp-name", &params["name"], name),
            ];
            let mut headers = vec![("content-type", kind.to_owned())];
            for (header, in_body, (matches_body, other)) in header_sources {
                let value = if matches_body { in_body.as_str() } else { other };
                headers
                    .extend(value.filter(|value| value.is_ascii()).map(|value| (header, value.to_owned())));
            }
            headers.extend(extra_header.map(|(header, value)| (header, value.to_owned())));
            headers.retain(|(_, value)| http::HeaderValue::from_str(value).is_ok());
            FuzzRequest { path, headers, body }
        })
}

async fn reply_to(router: Router, sent: &FuzzRequest) -> (StatusCode, String, Vec<u8>) {
    let mut request = Request::post(sent.path);
    for (name, value) in &sent.headers {
        request = request.header(*name, value);
    }
    let request = request.body(Body::from(sent.body.clone())).unwrap();
    let in_time = tokio::time::timeout(TIME_LIMIT, router.oneshot(request)).await;
    let response = in_time.unwrap_or_else(|_| panic!("no reply within {TIME_LIMIT:?}: {sent:?}")).unwrap();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, kind.unwrap_or_default(), body.into())
}

/// Whether a reply follows JSON-RPC 2.0 §5. The id of an error may be null.
fn is_response(reply: &Value) -> bool {
    let id = &reply["id"];
    // A whole number may be written as 7.0 and is returned unchanged.
    let has_id = id.is_string() || id.as_f64().is_some_and(|number| number.fract() == 0.0);
    let members = reply.as_object().map_or(0, Map::len);
    let result = reply.get("result").is_some_and(Value::is_object) && has_id;
    let error =
        reply.get("error").is_some_and(|error| error["code"].is_i64() && error["message"].is_string())
            && (has_id || reply.get("id").is_some_and(Value::is_null));
    reply["jsonrpc"] == "2.0" && members == 3 && (result || error)
}

#[test]
fn any_request_gets_a_valid_json_rpc_reply() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let registry = runtime.block_on(TestRegistry::start());
    let router = protocol::router(registry.app.clone());
    let outcomes = std::cell::RefCell::new(std::collections::BTreeMap::<(u16, i64), u32>::new());
    fuzzing::runner()
        .run(&fuzz_request(), |sent| {
            let (status, kind, body) = runtime.block_on(reply_to(router.clone(), &sent));
            prop_assert!(!status.is_server_error(), "{status}");
            if status == StatusCode::ACCEPTED {
                prop_assert!(body.is_empty());
                *outcomes.borrow_mut().entry((202, 0)).or_default() += 1;
                return Ok(());
            }
            // The middleware of all functions refuses foreign pages, before the request reaches MCP.
            if status == StatusCode::FORBIDDEN && sent.headers.iter().any(|(name, _)| *name == "origin") {
                prop_assert_eq!(kind, "application/problem+json");
                *outcomes.borrow_mut().entry((403, 0)).or_default() += 1;
                return Ok(());
            }
            prop_assert_eq!(kind, "application/json");
            let reply: Value =
                serde_json::from_slice(&body).map_err(|error| TestCaseError::fail(error.to_string()))?;
            match &reply {
                Value::Array(replies) => {
                    prop_assert!(status == StatusCode::OK && !replies.is_empty());
                    prop_assert!(replies.iter().all(is_response), "{reply}");
                }
                reply => {
                    prop_assert!(is_response(reply), "{reply}");
                    let request: Option<Value> = serde_json::from_slice(&sent.body).ok();
                    let id = request.as_ref().map_or(&Value::Null, |request| &request["id"]);
                    prop_assert!(reply.get("result").is_none() || reply["id"] == *id, "another id: {reply}");
                }
            }
            let code = reply["error"]["code"].as_i64().unwrap_or(0);
            *outcomes.borrow_mut().entry((status.as_u16(), code)).or_default() += 1;
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));

    let expected = [
        (200, 0),
        (200, -32601),
        (200, -32602),
        (202, 0),
        (400, -32600),
        (400, -32602),
        (400, -32700),
        (400, -32020),
        (400, -32022),
        (403, 0),
        (404, -32601),
        (415, -32600),
    ];
    fuzzing::assert_all_occur(&outcomes.into_inner(), expected);
}
