//! Tests `score`: it probes a peer and explains each point, but does not add the peer to the registry.

use tests::prelude::*;

use crate::fixtures::refused_queries;

#[tokio::test]
async fn score_operation_sends_no_message_and_creates_no_listing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let score = registry.get(&format!("/api/score?url={}", peer.card())).await;
    assert_eq!((score.status, &score.body["would_go_live"]), (200, &json!(true)), "{score:?}");
    let points = |part: &Value| part["points"].as_u64().unwrap();
    let sum: u64 = score.body["breakdown"].as_array().unwrap().iter().map(points).sum();
    assert_eq!(score.body["score"], sum);
    // No message is sent for an anonymous caller.
    assert_eq!(peer.request_names(), ["GET /.well-known/agent-card.json", "GetTask"]);
    let table = registry.table().await;
    let stored = table.keys();
    let is_allowed = |key: &&str| key.starts_with("CALLER_KEYS ") || key.starts_with("SCORED#");
    assert!(stored.iter().all(is_allowed), "a score created a listing: {stored:?}");
}

#[tokio::test]
async fn score_of_a_live_listing_probes_where_its_card_is() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    registry.publish(&json!({ "url": peer.url("/") })).await;
    assert_eq!(registry.delivered_counts().await, (1, 0));
    for path in ["/", "/rpc"] {
        let score = registry.get(&format!("/api/score?url={}", peer.url(path))).await.body;
        let (goes_live, reasons) = (&score["would_go_live"], &score["reasons"]);
        assert_eq!((goes_live, reasons), (&json!(true), &json!([])), "{path}: {score}");
    }
}

#[tokio::test]
async fn score_probes_the_query_that_was_asked() {
    let by_query = |request: &PeerRequest| match request.query.as_str() {
        "server=broken" => empty(500),
        _ => servers::modern(request),
    };
    let (registry, peer) = (TestRegistry::start().await, Peer::start(by_query).await);
    registry.publish_mcp(&peer.url("/mcp?server=mail")).await;
    assert_eq!(registry.delivered_counts().await, (0, 1));
    let other = peer.url("/mcp?server=broken");
    let score = registry.call_tool("score", &json!({ "url": other })).await;
    assert_eq!((&score["would_go_live"], &score["handshake"]), (&json!(false), &json!("fail")), "{score}");
    let answer = registry.publish(&json!({ "mcp_url": other })).await;
    assert!(answer["message"].as_str().unwrap().contains("another query is the same listing"), "{answer}");
}

#[tokio::test]
async fn only_a_public_url_is_scored() {
    let refused = refused_queries(&["/api/score?url=", "/api/score?url=http%3A%2F%2F127.0.0.1%2F"]).await;
    insta::assert_snapshot!(refused);
}
