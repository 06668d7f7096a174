//! Tests the MCP endpoint over HTTP for clients of every revision. The tests send plain HTTP requests,
//! because a client library would hide statuses, codes and headers.

use axum::response::Response;
use http::HeaderMap;
use registry::operations::CATALOGUE;
use serde_json::{Value, json};
use tests::peers::{Peer, PeerRequest, agents, json_answer, servers};
use tests::test_registry::{TestOptions, TestRegistry, client};

const NEWEST: &str = "2026-07-28";

/// Status, headers and JSON body of a reply. The body is null if it is empty.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    fn code(&self) -> (u16, i64) {
        (self.status, self.body["error"]["code"].as_i64().unwrap_or_default())
    }
}

async fn send(registry: &TestRegistry, headers: &[(&str, &str)], body: impl Into<String>) -> Answer {
    send_to(registry, "/api/protocol", headers, body).await
}

async fn send_to(
    registry: &TestRegistry,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<String>,
) -> Answer {
    let mut request = client().post(registry.url(path)).body(body.into());
    for (name, value) in [&[("content-type", "application/json")], headers].concat() {
        request = request.header(name, value);
    }
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() };
    Answer { status, headers, body }
}

pub(crate) async fn modern(registry: &TestRegistry, method: &str, params: Value) -> Answer {
    modern_at(registry, "/api/protocol", method, params).await
}

async fn modern_at(registry: &TestRegistry, path: &str, method: &str, params: Value) -> Answer {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(str::to_owned);
    let mut headers = vec![("mcp-protocol-version", NEWEST), ("mcp-method", method)];
    headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
    send_to(registry, path, &headers, request(method, &params)).await
}

async fn legacy(registry: &TestRegistry, version: &str, method: &str, params: Value) -> Answer {
    send(registry, &[("mcp-protocol-version", version)], request(method, &params)).await
}

fn request(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
}

async fn call(registry: &TestRegistry, name: &str, arguments: Value) -> Value {
    let answer = modern(registry, "tools/call", json!({ "name": name, "arguments": arguments })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["result"].clone()
}

#[tokio::test]
async fn newest_revision_supports_server_discover_tools_list_and_tools_call() {
    let registry = TestRegistry::start().await;
    let discovered = modern(&registry, "server/discover", json!({})).await;
    let result = &discovered.body["result"];
    assert_eq!(result["supportedVersions"], json!([NEWEST, "2025-11-25", "2025-06-18", "2025-03-26"]));
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    assert!(
        result["instructions"].as_str().unwrap().contains("for a task, call match_capability"),
        "{result}"
    );
    let refused = registry.refused_tool("search_active", &json!({ "limits": 5 })).await;
    assert!(refused["detail"].as_str().unwrap().contains("`limit`"), "{refused}");

    let listed = modern(&registry, "tools/list", json!({})).await;
    let called = modern(&registry, "tools/call", json!({ "name": "search_active" })).await;
    for (answer, cacheable) in [(&discovered, true), (&listed, true), (&called, false)] {
        let result = &answer.body["result"];
        assert_eq!((answer.status, &answer.body["id"]), (200, &json!(7)));
        assert_eq!(result["resultType"], "complete");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["title"], "Agent and MCP Registry");
        assert_eq!(result["ttlMs"].is_u64() && result["cacheScope"] == "public", cacheable, "{result}");
        assert!(!answer.headers.contains_key("mcp-session-id"), "the endpoint has no sessions");
        assert_eq!(answer.headers["content-type"], "application/json");
    }
    assert_eq!(modern(&registry, "no/such", json!({})).await.code(), (404, -32601));
    assert_eq!(modern(&registry, "initialize", json!({})).await.code(), (404, -32601));
    assert_eq!(modern(&registry, "tools/call", json!({ "name": "nope" })).await.code(), (200, -32602));
    assert_eq!(modern(&registry, "tools/list", json!({ "cursor": "x" })).await.code(), (200, -32602));
}

#[tokio::test]
async fn older_revisions_start_with_a_handshake() {
    let registry = TestRegistry::start().await;
    for version in ["2025-11-25", "2025-06-18", "2025-03-26"] {
        let hello = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } });
        let hello = send(&registry, &[], request("initialize", &hello)).await;
        let result = &hello.body["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["version"], registry::VERSION);
        assert!(result.get("resultType").is_none() && !hello.headers.contains_key("mcp-session-id"));

        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
        let accepted = send(&registry, &[("mcp-protocol-version", version)], initialized).await;
        assert_eq!((accepted.status, accepted.body), (202, Value::Null));

        assert_eq!(legacy(&registry, version, "ping", json!({})).await.body["result"], json!({}));
        let listed = legacy(&registry, version, "tools/list", json!({})).await;
        assert!(listed.body["result"]["tools"].as_array().is_some_and(|tools| tools.len() == 37));
        let called = legacy(&registry, version, "tools/call", json!({ "name": "search_active" })).await;
        assert_eq!(called.body["result"]["structuredContent"]["ok"], true);
        assert_eq!(legacy(&registry, version, "no/such", json!({})).await.code(), (200, -32601));
        assert_eq!(legacy(&registry, version, "server/discover", json!({})).await.code(), (200, -32601));

        let invalid = legacy(
            &registry,
            version,
            "tools/call",
            json!({ "name": "check_status", "arguments": { "id": 5 } }),
        )
        .await;
        if version == "2025-11-25" {
            assert_eq!(invalid.body["result"]["isError"], true);
        } else {
            assert_eq!(
                (invalid.code(), &invalid.body["error"]["data"]["field"]),
                ((200, -32602), &json!("id"))
            );
        }
    }
    assert_eq!(legacy(&registry, "2099-01-01", "ping", json!({})).await.code(), (400, -32022));
}

#[tokio::test]
async fn invalid_requests_get_json_rpc_errors() {
    let registry = TestRegistry::start().await;
    let kind = |kind: &'static str| [("content-type", kind)];
    let ping = request("ping", &json!({}));
    assert_eq!(send(&registry, &[], r#"{"jsonrpc":"2.0","#).await.code(), (400, -32700));
    assert_eq!(send(&registry, &[], "").await.code(), (400, -32700));
    assert_eq!(send(&registry, &[], "7").await.code(), (400, -32600));
    assert_eq!(
        send(&registry, &[], r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#).await.code(),
        (400, -32600)
    );
    let huge = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "x": "x".repeat(300_000) } });
    assert_eq!(send(&registry, &[], huge.to_string()).await.code(), (413, -32600));
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(send(&registry, &[], response).await.status, 202);
    assert_eq!(send(&registry, &[("mcp-protocol-version", NEWEST)], response).await.code(), (400, -32600));
    assert_eq!(
        send(&registry, &[("accept", "text/plain")], ping.as_str()).await.status,
        200,
        "the accept header is ignored"
    );

    let text = client().post(registry.url("/mcp")).header("content-type", kind("text/plain")[0].1).body(ping);
    let refused = text.send().await.unwrap();
    assert_eq!(refused.status(), 415);
    assert_eq!(refused.headers()["content-type"], "application/json");
}

#[tokio::test]
async fn batches_are_accepted_only_in_2025_03_26() {
    let registry = TestRegistry::start().await;
    let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let initialize = json!({ "jsonrpc": "2.0", "id": 2, "method": "initialize", "params": { "protocolVersion": "2025-03-26" } });
    let batch = json!([ping(1), notification, initialize, 5, ping(3)]).to_string();
    for headers in [vec![], vec![("mcp-protocol-version", "2025-03-26")]] {
        let answer = send(&registry, &headers, batch.clone()).await;
        let ids: Vec<&Value> = answer.body.as_array().unwrap().iter().map(|reply| &reply["id"]).collect();
        assert_eq!((answer.status, ids), (200, vec![&json!(1), &json!(2), &Value::Null, &json!(3)]));
        assert_eq!(answer.body[1]["error"]["code"], -32600, "a batch may not contain a handshake");
    }
    for version in ["2025-06-18", "2025-11-25", NEWEST] {
        let answer = send(&registry, &[("mcp-protocol-version", version)], batch.clone()).await;
        assert_eq!(answer.code(), (400, -32600), "{version}");
    }
    let only_notifications = send(&registry, &[], json!([notification]).to_string()).await;
    assert_eq!((only_notifications.status, only_notifications.body), (202, Value::Null));
    assert_eq!(send(&registry, &[], "[]").await.code(), (400, -32600));
    let too_long: Value = (0..11).map(ping).collect();
    assert_eq!(send(&registry, &[], too_long.to_string()).await.code(), (400, -32600));
}

/// Otherwise one request of a batch could start ten handshakes.
#[tokio::test]
async fn each_message_of_a_batch_counts_as_a_request_of_the_caller() {
    let options =
        TestOptions::public().with_setting("CALLER_REQUESTS_PER_SECOND", 1).with_requests_at_once(4);
    let registry = TestRegistry::start_with(options).await;
    let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let batch: Value = (0..6).map(ping).collect();
    let answer = send(&registry, &[], batch.to_string()).await;
    let codes: Vec<i64> = answer
        .body
        .as_array()
        .unwrap()
        .iter()
        .map(|reply| reply["error"]["code"].as_i64().unwrap_or(0))
        .collect();
    assert_eq!((answer.status, codes), (200, vec![0, 0, 0, 0, -32000, -32000]), "{:?}", answer.body);
    assert_eq!(answer.body[4]["error"]["data"]["retry_after_s"], 2);
    assert_eq!(send(&registry, &[], ping(1).to_string()).await.status, 429);
}

/// The gateway gives up after 29 s, and the results of all messages would be lost.
#[tokio::test(flavor = "multi_thread")]
async fn slow_batch_answers_what_ran_and_refuses_the_rest() {
    let registry = TestRegistry::start().await;
    let slow = Peer::start(|request| {
        std::thread::sleep(std::time::Duration::from_millis(2500));
        agents::newest(request)
    })
    .await;
    let score = |id: u32| {
        let arguments = json!({ "url": slow.url(&format!("/{id}/agent-card.json")) });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "score", "arguments": arguments } })
    };
    let batch: Value = (0..10).map(score).collect();
    let began = std::time::Instant::now();
    let answer = send(&registry, &[], batch.to_string()).await;
    assert!(began.elapsed() < std::time::Duration::from_secs(25), "{:?}", began.elapsed());
    let replies = answer.body.as_array().unwrap();
    assert_eq!(replies.len(), 10);
    let ran = replies.iter().take_while(|reply| reply["result"].is_object()).count();
    assert!((1..10).contains(&ran), "{ran}");
    for refused in &replies[ran..] {
        assert_eq!(refused["error"]["code"], -32000, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("Send it again"), "{refused}");
    }
}

#[tokio::test]
async fn foreign_web_pages_cannot_reach_a_loopback_registry() {
    let registry = TestRegistry::start().await;
    let ping = request("ping", &json!({}));
    let refused = async |registry, name, value| {
        let reply = send(registry, &[(name, value)], ping.as_str()).await;
        (reply.status, reply.body["code"].as_str().unwrap_or_default().to_owned())
    };
    let code = |code: &str| (403, code.to_owned());
    assert_eq!(refused(&registry, "origin", "https://evil.example.com").await, code("foreign_origin"));
    assert_eq!(refused(&registry, "host", "evil.example.com").await, code("foreign_host"));
    assert_eq!(send(&registry, &[("origin", "http://localhost:6274")], ping.as_str()).await.status, 200);

    let public = TestRegistry::start_with(
        TestOptions::default().with_setting("BASE_URL", "https://registry.example.com"),
    )
    .await;
    assert_eq!(send(&public, &[("origin", "https://app.example.org")], ping.as_str()).await.status, 200);
    assert_eq!(refused(&public, "origin", "nonsense").await, code("foreign_origin"));
}

#[tokio::test]
async fn get_request_returns_a_description_and_refuses_streams() {
    let registry = TestRegistry::start().await;
    for path in ["/api/protocol", "/mcp"] {
        let description = registry.get(path).await;
        assert_eq!(
            (description.status, &description.body["ok"], &description.body["session"]),
            (200, &json!(true), &Value::Null)
        );
        assert_eq!(description.body["server_card"], registry.url("/mcp/server-card"));
        let stream = registry.get_with(path, ("accept", "text/event-stream")).await;
        stream.assert_problem();
        assert_eq!((stream.status, stream.header("allow")), (405, "POST"));
        let deleted = client().delete(registry.url(path)).send().await.unwrap();
        assert_eq!(deleted.status(), 405);
        assert!(deleted.headers()["allow"].to_str().unwrap().contains("POST"));
    }
}

/// The example of an operation, with listings that are Live in this test.
fn with_live_listings(example: &Value, url: &str, [agent, server]: [&str; 2]) -> Value {
    let within = |value: &Value| with_live_listings(value, url, [agent, server]);
    match example {
        Value::String(text) if text.starts_with("http") => json!(url),
        Value::String(text) if text.starts_with("agtpub_") => json!(agent),
        Value::String(text) if text.starts_with("mcp-") => json!(server),
        Value::Array(items) => items.iter().map(within).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, member)| (name.clone(), within(member))).collect())
        }
        other => other.clone(),
    }
}

fn violations(schema: &Value, structured: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    validator.iter_errors(structured).map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

/// Covers every operation of the catalogue: whole answers follow the schema of the operation, and short answers and errors that
/// of the tool.
#[tokio::test]
async fn tool_results_follow_their_output_schema() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let server = Peer::start(servers::modern).await;
    let ids = [registry.live_card(&peer.card()).await, registry.publish_mcp(&server.url("/mcp")).await];
    registry.deliver_events().await;
    let tools =
        modern_at(&registry, "/mcp?toolsets=all", "tools/list", json!({})).await.body["result"]["tools"]
            .clone();
    let tool_of = |name: &str| tools.as_array().unwrap().iter().find(|tool| tool["name"] == name);
    for entry in CATALOGUE {
        let name = entry.name;
        let Some(tool) = tool_of(name) else {
            assert!(entry.refusals.contains(&401), "only the operator lists {name}");
            continue;
        };
        let example = with_live_listings(
            &serde_json::from_str(entry.example).unwrap(),
            &peer.card(),
            [ids[0].as_str(), ids[1].as_str()],
        );
        assert!(jsonschema::is_valid(&tool["inputSchema"], &example), "{name}: {example}");
        let full = json!({ "detail": "full" });
        for more in [Value::Null, full].iter().take(1 + usize::from(!entry.short.is_empty())) {
            let mut arguments = example.clone();
            arguments.as_object_mut().unwrap().extend(more.as_object().cloned().into_iter().flatten());
            let result = call(&registry, name, arguments.clone()).await;
            let structured = &result["structuredContent"];
            // Payments are not open yet. The tokens and the order of an example do not exist, and feedback can be given once.
            let is_expected_refusal = ["bad_token", "order_not_found", "already_completed"]
                .map(Value::from)
                .contains(&structured["code"]);
            let fails = name == "checkout" || is_expected_refusal;
            assert_eq!(result["isError"], fails, "{name} {arguments}: {result}");
            let is_whole = entry.short.is_empty() || !more.is_null();
            if is_whole && !fails {
                assert_eq!(violations(&(entry.output_schema)(), structured), [""; 0], "{name}");
            }
            if let Some(schema) = tool.get("outputSchema") {
                assert_eq!(violations(schema, structured), [""; 0], "{name}");
            }
            let [content] = result["content"].as_array().unwrap().as_slice() else {
                panic!("{name}: {result}")
            };
            let text = content["text"].as_str().unwrap();
            if is_whole || fails {
                assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), structured, "{name}");
            } else {
                assert!(text.len() < structured.to_string().len(), "{name}: {text}");
            }
        }
        let wrong = call(&registry, name, json!({ "no_such_argument": [] })).await;
        assert_eq!(wrong["isError"], true, "{name}: {wrong}");
        assert!(wrong["structuredContent"]["next"].is_object(), "{name}: the error has no `next`: {wrong}");
    }
}

/// The agents of a fleet, with long descriptions.
fn weather_fleet(request: &PeerRequest) -> Response {
    let Some(folder) = request.path.strip_suffix("/card.json").filter(|_| request.verb == "GET") else {
        return agents::fleet(request);
    };
    let mut card =
        agents::card_at(&format!("Weather forecast {folder}"), &format!("{}{folder}/rpc", request.origin()));
    let text = "Reads the forecast of the weather for a town and a day, and warns of storms and floods. ";
    card["description"] = json!(text.repeat(5));
    json_answer(200, &card)
}

#[tokio::test]
async fn search_for_ten_listings_is_short() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000)).await;
    let peer = Peer::start(weather_fleet).await;
    for number in 0..10 {
        registry.publish_card(&peer.url(&format!("/{number}/card.json"))).await;
    }
    registry.deliver_events().await;
    let sent = json!({ "name": "match_capability", "arguments": { "q": "weather forecast", "limit": 10 } });
    let reply = modern_at(&registry, "/mcp", "tools/call", sent).await.body;
    let found = &reply["result"];
    assert_eq!(found["structuredContent"]["hits"].as_array().map(Vec::len), Some(10), "{found}");
    let bytes = reply.to_string().len();
    assert!(bytes <= 6144, "{bytes} bytes: {reply}");
}

#[tokio::test]
async fn listing_published_with_a_tool_goes_live_and_publishing_is_rate_limited() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_rates().with_setting("PUBLISH_PER_HOUR", 2))
            .await;
    let peer = Peer::start(agents::newest).await;
    let listed = call(&registry, "list_on_registry", json!({ "url": peer.card() })).await;
    assert_eq!(listed["structuredContent"]["status"], "queued");
    registry.deliver_events().await;
    let id = listed["structuredContent"]["listing_id"].clone();
    let status = call(&registry, "get_listing_status", json!({ "id": id })).await;
    assert_eq!(status["structuredContent"]["lane"], "active");
    let found = call(&registry, "search_active", json!({ "kind": "agent" })).await;
    assert_eq!(found["structuredContent"]["listings"][0]["listing_id"], id);

    call(&registry, "list_yourself", json!({ "url": peer.card() })).await;
    let refused = call(&registry, "list_yourself", json!({ "url": peer.card() })).await;
    let problem = &refused["structuredContent"];
    assert_eq!((&refused["isError"], &problem["code"]), (&json!(true), &json!("rate_limited")));
    assert!(problem["retry_after_s"].as_u64().is_some_and(|seconds| seconds <= 3600));
    assert_eq!(problem["next"]["action"], "wait");
}
