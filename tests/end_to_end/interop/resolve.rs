//! Tests how a caller finds a call for a task. The answer contains the matching listing and a request. The
//! peer accepts this request unchanged.

use tests::prelude::*;
use tests::test_registry::client;

use super::INTEROP;
use crate::fixtures::{LivePair, demote, live_agent, live_pair, refused_arguments};

/// Sends a call unchanged and returns the answer.
async fn send(call: &Value) -> Value {
    let mut request = client().post(call["url"].as_str().unwrap());
    for (name, value) in call["headers"].as_object().unwrap() {
        request = request.header(name, value.as_str().unwrap());
    }
    let answer = request.body(call["body"].to_string()).send().await.unwrap();
    assert!(answer.status().is_success(), "{call}: {answer:?}");
    answer.json().await.unwrap()
}

#[tokio::test]
async fn resolve_returns_a_working_call() {
    let LivePair { registry, agent, server, peers } = live_pair().await;
    let resolve = async |q: &str, prefer: &str| {
        let answer = registry.call_tool("interop_resolve", &json!({ "q": q, "prefer": prefer })).await;
        (answer["matches"][0].clone(), answer["invocations"][0].clone())
    };
    let (node, invocation) = resolve("adder", "mcp").await;
    let url = peers[1].url("/mcp");
    assert_members(&node, &json!({ "listing_id": server, "clean": true, "/endpoints/mcp": url }));
    let call = json!({ "node_id": node["id"], "first": "mcp", "/mcp/body/method": "tools/call",
        "/mcp/body/params/name": node["mcp_tools"][0] });
    assert_members(&invocation, &call);
    // The peer receives the call when it is sent with the returned headers and body.
    peers[1].forget_requests();
    send(&invocation["mcp"]).await;
    assert_eq!(peers[1].requests()[0].method(), Some("tools/call"));

    let (node, invocation) = resolve("weather", "a2a").await;
    assert_eq!(node["listing_id"], json!(agent), "{node}");
    assert_members(&invocation, &json!({ "first": "a2a", "/a2a/version": "1.0" }));
    let answered = send(&invocation["a2a"]).await;
    assert!(answered["result"].is_object(), "the agent refused the message: {answered}");
    let found = send(&invocation["ard"]).await;
    assert_eq!(found["results"][0]["displayName"], "Nimbus", "{found}");
}

#[tokio::test]
async fn tools_and_skills_are_matched_against_the_evidence() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    let resolved = async |arguments: Value| registry.call_tool("interop_resolve", &arguments).await;
    let of_server = resolved(json!({ "listing_id": server })).await;
    let tool = of_server["matches"][0]["mcp_tools"][0].as_str().unwrap().to_uppercase();
    let answer = resolved(json!({ "tool": tool })).await;
    assert_members(&answer, &json!({ "/matches/0/listing_id": server, "/matches/1": null }));
    assert!(answer["note"].as_str().unwrap().starts_with("Returned 1 Live listing."), "{answer}");
    let text = "/invocations/0/a2a/body/params/message/parts/0/text";
    let answer = resolved(json!({ "skill": "weather-forecast", "q": "Paris" })).await;
    assert_members(&answer, &json!({ "/matches/0/listing_id": agent, text: "Weather forecast: Paris" }));
    for absent in [json!({ "tool": "absent" }), json!({ "listing_id": server, "tool": "absent" })] {
        let answer = resolved(absent).await;
        assert_members(&answer, &json!({ "matches": [], "/next/action": "browse" }));
        assert_contains(&answer["note"].to_string(), &["can be missed"]);
    }
    let invalid = [
        json!({}),
        json!({ "limit": 0 }),
        json!({ "limit": 21 }),
        json!({ "tool": "" }),
        json!({ "prefer": "gopher" }),
    ];
    insta::assert_snapshot!(refused_arguments(&registry, "interop_resolve", &json!({}), invalid).await);
}

#[tokio::test]
async fn only_live_listings_are_resolved() {
    let (registry, peer, id) = live_agent().await;
    demote(&registry, &peer, &id).await;
    let refused = registry.refused_tool("interop_resolve", &json!({ "listing_id": id })).await;
    assert_members(&refused, &json!({ "code": "not_active", "lane": "demoted" }));
    registry.call_tool("interop_resolve", &json!({ "need": "add numbers" })).await;
}

#[tokio::test]
async fn every_tool_in_the_interop_overview_exists() {
    let LivePair { registry, .. } = live_pair().await;
    let overview = registry.get(INTEROP).await;
    assert_eq!((overview.status, &overview.body["version"]), (200, &json!("2.7.0")), "{overview:?}");
    assert_eq!(overview.body["graph"]["nodes"], 2);
    for tool in overview.body["tools"].as_array().unwrap() {
        assert!(registry::features::named(tool.as_str().unwrap()).is_some(), "{tool}");
    }
}
