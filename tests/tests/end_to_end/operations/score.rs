//! `score`: asks a peer and explains each point, without listing anything.

use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::TestRegistry;

#[tokio::test]
async fn a_score_asks_and_lists_nothing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let score = registry.get(&format!("/api/score?url={}", peer.card())).await;
    assert_eq!((score.status, &score.body["would_go_live"]), (200, &json!(true)), "{score:?}");
    let points = |part: &Value| part["points"].as_u64().unwrap();
    let sum: u64 = score.body["breakdown"].as_array().unwrap().iter().map(points).sum();
    assert_eq!(score.body["score"], sum);
    assert_eq!(
        peer.request_names(),
        ["GET /.well-known/agent-card.json", "GetTask"],
        "anybody may ask: no message is sent"
    );
    assert_eq!(registry.table().await.keys(), [""; 0], "nothing is kept");
}
