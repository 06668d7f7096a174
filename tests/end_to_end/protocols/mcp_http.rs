//! Tests the MCP endpoint over HTTP for clients of every revision. The tests send plain HTTP requests,
//! because a client library would hide statuses, codes and headers.

use axum::response::Response;
use registry::features::CATALOGUE;
use tests::prelude::*;

use super::all_protocols::example;
use crate::fixtures::live_pair;

const NEWEST: &str = "2026-07-28";

pub(crate) async fn modern(registry: &TestRegistry, method: &str, params: Value) -> Reply {
    modern_at(registry, "/api/protocol", method, params).await
}

async fn modern_at(registry: &TestRegistry, path: &str, method: &str, mut params: Value) -> Reply {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let mut headers =
        vec![("content-type", "application/json"), ("mcp-protocol-version", NEWEST), ("mcp-method", method)];
    headers.extend(params["name"].as_str().map(|name| ("mcp-name", name)));
    registry.send("POST", path, &headers, &body.to_string()).await
}

async fn call(registry: &TestRegistry, name: &str, arguments: Value) -> Value {
    let answer = modern(registry, "tools/call", json!({ "name": name, "arguments": arguments })).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["result"].clone()
}

/// Otherwise one request of a batch could start ten handshakes.
#[tokio::test]
async fn each_message_of_a_batch_counts_as_a_request_of_the_caller() {
    let options =
        TestOptions::public().with_setting("CALLER_REQUESTS_PER_SECOND", 1).with_requests_at_once(4);
    let registry = TestRegistry::start_with(options).await;
    let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let batch: Value = (0..6).map(ping).collect();
    let answer = registry.post("/api/protocol", &batch).await;
    let replies = answer.body.as_array().unwrap().iter();
    let codes: Vec<i64> = replies.map(|reply| reply["error"]["code"].as_i64().unwrap_or(0)).collect();
    assert_eq!((answer.status, codes), (200, vec![0, 0, 0, 0, -32000, -32000]), "{:?}", answer.body);
    assert_eq!(answer.body[4]["error"]["data"]["retry_after_s"], 2);
    assert_eq!(registry.post("/api/protocol", &ping(1)).await.status, 429);
    registry.advance(std::time::Duration::from_secs(60));
    let too_long: Value = (0..11).map(ping).collect();
    let refused = registry.post("/api/protocol", &too_long).await;
    assert_eq!((refused.status, &refused.body["error"]["code"]), (400, &json!(-32600)));
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
    let answer = registry.post("/api/protocol", &batch).await;
    assert!(began.elapsed() < std::time::Duration::from_secs(25), "{:?}", began.elapsed());
    let replies = answer.body.as_array().unwrap();
    assert_eq!(replies.len(), 10);
    let ran = replies.iter().take_while(|reply| reply["result"].is_object()).count();
    assert!((1..10).contains(&ran), "{ran}");
    for refused in &replies[ran..] {
        assert_eq!(refused["error"]["code"], -32000, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("Send again"), "{refused}");
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
    let pair = live_pair().await;
    let registry = &pair.registry;
    let listed = modern_at(registry, "/mcp?toolsets=all", "tools/list", json!({})).await;
    let tools = &listed.body["result"]["tools"];
    let tool_of = |name: &str| tools.as_array().unwrap().iter().find(|tool| tool["name"] == name);
    for entry in CATALOGUE {
        let name = entry.name;
        let Some(tool) = tool_of(name) else {
            assert!(
                entry.refusals.contains(&registry::error::ErrorKind::Unauthenticated),
                "only the operator lists {name}"
            );
            continue;
        };
        let example = example(&pair, entry);
        assert!(jsonschema::is_valid(&tool["inputSchema"], &example), "{name}: {example}");
        let full = json!({ "detail": "full" });
        for more in [Value::Null, full].iter().take(1 + usize::from(!entry.short.is_empty())) {
            let mut arguments = example.clone();
            arguments.as_object_mut().unwrap().extend(more.as_object().cloned().into_iter().flatten());
            let result = call(registry, name, arguments.clone()).await;
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
        let wrong = call(registry, name, json!({ "no_such_argument": [] })).await;
        assert_eq!(wrong["isError"], true, "{name}: {wrong}");
        assert!(wrong["structuredContent"]["next"].is_object(), "{name}: the error has no `next`: {wrong}");
    }
}

#[tokio::test]
async fn described_endpoint_lists_the_described_tools() {
    let registry = TestRegistry::start().await;
    let described = registry.get("/mcp?toolsets=trails").await.body;
    let path = described["endpoint"].as_str().unwrap().strip_prefix(&registry.url("")).unwrap();
    let listed = modern_at(&registry, path, "tools/list", json!({})).await.body["result"]["tools"].clone();
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(described["tools"], json!(names));
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
    let registry = TestRegistry::start_for_fleet().await;
    let peer = Peer::start(weather_fleet).await;
    registry.publish_fleet(&peer, 0..10).await;
    registry.deliver_events().await;
    let sent = json!({ "name": "match_capability", "arguments": { "q": "weather forecast", "limit": 10 } });
    let reply = modern_at(&registry, "/mcp", "tools/call", sent).await.body;
    let found = &reply["result"];
    assert_eq!(found["structuredContent"]["hits"].as_array().map(Vec::len), Some(10), "{found}");
    assert!(found["structuredContent"]["hits"][0]["match_reasons"][0].is_string(), "{found}");
    let bytes = reply.to_string().len();
    assert!(bytes <= 6656, "{bytes} bytes: {reply}");
}
