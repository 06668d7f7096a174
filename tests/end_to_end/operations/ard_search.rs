//! Tests `ard_search`: it finds Live listings for a query in plain words, returns their evidence, and handles
//! any input.

use tests::prelude::*;

use crate::fixtures::{LivePair, live_pair};

#[tokio::test]
async fn empty_search_returns_the_newest_listings() {
    let LivePair { registry, .. } = live_pair().await;
    let newest = registry.get("/api/ard/search").await.ok();
    assert_eq!(newest["hits"].as_array().unwrap().len(), 2);
    registry.post("/api/ard/search", &json!({})).await.assert_invalid("q");
    for (field, value) in
        [("limit", "0"), ("limit", "101"), ("limit", "many"), ("kind", "robot"), ("category", "nonsense")]
    {
        registry.get(&format!("/api/ard/search?q=x&{field}={value}")).await.assert_invalid(field);
    }
}

#[tokio::test]
async fn empty_registry_returns_a_note_and_a_next_step() {
    let registry = TestRegistry::start().await;
    for path in ["/api/ard/search?q=weather", "/api/ard/search", "/api/match?q=weather"] {
        let reply = registry.get(path).await;
        reply.assert_body(200, &json!({ "hits": [], "total": 0 }));
        assert!(reply.body["note"].as_str().unwrap().contains("No listing is Live"), "{reply:?}");
        let next = &reply.body["next"];
        assert_eq!((&next["method"], &next["url"]), (&json!("POST"), &json!(registry.url("/api/publish"))));
    }
    let strict = registry.post("/api/ard/search", &json!({ "query": { "text": "weather" } })).await;
    assert_eq!((strict.status, strict.body), (200, json!({ "results": [] })));
    for path in ["/agents/public", "/agents/search?q=x", "/.well-known/agents", "/.well-known/agents/public"]
    {
        let reply = registry.get(path).await;
        reply.assert_body(200, &json!({ "agents": [], "total": 0 }));
        assert!(reply.body["note"].is_string() && reply.body["register"]["list"].is_string());
    }
    let catalog = registry.get("/.well-known/ai-catalog.json").await.body;
    assert_eq!(catalog["entries"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn search_without_hits_suggests_a_next_step() {
    let LivePair { registry, .. } = live_pair().await;
    let body = registry.get("/api/ard/search?q=xyzzyqwertyplugh&kind=mcp").await.body;
    assert_eq!(body["hits"], json!([]), "{body}");
    assert!(body["note"].as_str().unwrap().contains("xyzzyqwertyplugh"));
    assert_eq!(body["next"]["url"], registry.url("/api/listings/active"));
    assert!(body["next"]["note"].as_str().unwrap().contains("without `kind`"));
    let all = registry.get("/api/ard/search?q=xyzzyqwertyplugh&access=all").await.body;
    assert!(!all["next"]["note"].as_str().unwrap().contains("without"), "no filter leaves out less: {all}");
}

/// No character in a search has a meaning as syntax.
#[tokio::test]
async fn unusual_input_returns_hits_or_a_clear_refusal() {
    let LivePair { registry, .. } = live_pair().await;
    let huge = "weather ".repeat(1300);
    let odd_inputs = [
        "",
        " ",
        "\"",
        "'; DROP TABLE x; --",
        "AND OR NOT",
        "NOT *",
        "weather AND (",
        "🦀🌦️",
        "\u{0}\u{7}\u{1b}[31m",
        "\u{202e}rehtaew",
        "../../etc/passwd",
        "<script>alert(1)</script>",
        "%",
        "{\"$gt\":\"\"}",
        "日本語",
        "a\u{301}",
        &huge,
    ];
    let queries = [
        "/api/ard/search?q",
        "/api/match?q",
        "/agents/search?q",
        "/agents/public?q",
        "/.well-known/agents?q",
        "/api/ard/agents?filter",
        "/api/ard/agents?orderBy",
        "/api/ard/agents?pageToken",
    ];
    for words in odd_inputs {
        let encoded: String = words.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let mut replies = Vec::new();
        for query in queries {
            replies.push((query, registry.get(&format!("{query}={encoded}")).await));
        }
        let facets = json!({ "facets": [{ "field": "type" }] });
        for (path, body) in [
            ("/api/ard/search", json!({ "q": words })),
            ("/api/ard/search", json!({ "query": words })),
            ("/agents/search", json!({ "q": words })),
            ("/agents/search", json!({ "query": words })),
            ("/api/ard/search", json!({ "query": { "text": words, "filter": { "tags": [words] } } })),
            ("/api/ard/explore", json!({ "query": { "text": words }, "resultType": facets })),
        ] {
            replies.push((path, registry.post(path, &body).await));
        }
        for (path, reply) in replies {
            let is_clear = match reply.status {
                200 => true,
                400 => reply.body["errorCode"] == "INVALID_ARGUMENT",
                422 => ["q", "query"].iter().any(|field| reply.body["field"] == *field),
                _ => false,
            };
            assert!(is_clear, "{path} {words:.40?}: {reply:?}");
        }
    }
}
