//! Tests `talk_inbox` and `talk`: reading an inbox in pages, posting to it within limits, closed inboxes of
//! withdrawn listings, and the public feed of posts.

mod inbox;
mod posting;
mod visits;

use tests::prelude::*;

async fn inbox(registry: &TestRegistry, id: &ListingId) -> Value {
    registry.get(&format!("/api/talk?listing_id={id}")).await.ok()
}

async fn post(registry: &TestRegistry, id: &ListingId, action: &str, text: &str) -> Reply {
    // Messages of the same millisecond have no defined order.
    registry.advance(std::time::Duration::from_millis(1));
    registry.post("/api/talk", &json!({ "listing_id": id, "action": action, "text": text })).await
}

async fn post_ok(registry: &TestRegistry, id: &ListingId, action: &str, text: &str) -> Value {
    post(registry, id, action, text).await.ok()
}

async fn feed(registry: &TestRegistry, query: &str) -> Value {
    registry.get(&format!("/api/talk/feed{query}")).await.ok()
}
