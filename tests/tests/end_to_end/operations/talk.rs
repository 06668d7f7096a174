//! `talk_inbox` and `talk`: an inbox is read by pages, spoken in by anybody within limits, and closed to what was
//! withdrawn; what is said to everybody stands in the feed of talk.

mod inbox;
mod speaking;
mod visits;

use registry::model::ListingId;
use serde_json::{Value, json};
use tests::test_registry::{Reply, TestRegistry};

async fn inbox(registry: &TestRegistry, id: &ListingId) -> Value {
    let reply = registry.get(&format!("/api/talk?listing_id={id}")).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.body
}

async fn post(registry: &TestRegistry, id: &ListingId, action: &str, text: &str) -> Reply {
    // What is said in one millisecond has no order.
    registry.advance(std::time::Duration::from_millis(1));
    registry.post("/api/talk", &json!({ "listing_id": id, "action": action, "text": text })).await
}

async fn said(registry: &TestRegistry, id: &ListingId, action: &str, text: &str) -> Value {
    let reply = post(registry, id, action, text).await;
    assert_eq!(reply.status, 200, "{action} {text}: {reply:?}");
    reply.body
}

async fn feed(registry: &TestRegistry, query: &str) -> Value {
    let reply = registry.get(&format!("/api/talk/feed{query}")).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.body
}

/// A member of each message, in the order in which they are shown.
fn each(messages: &Value, member: &str) -> Vec<String> {
    messages.as_array().unwrap().iter().map(|message| message[member].as_str().unwrap().to_owned()).collect()
}
