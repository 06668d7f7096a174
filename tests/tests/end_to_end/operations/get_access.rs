//! `get_access`: a token opens the full product of its own listing, made anew; anything else opens nothing.

use serde_json::{Value, json};
use tests::test_registry::TestRegistry;

use crate::fixtures::{demote, live_agent};

/// Walks a Live listing to its token.
async fn token(registry: &TestRegistry, id: &registry::model::ListingId) -> String {
    let demo = registry.post("/api/products/demo", &json!({ "listing_id": id })).await.body;
    let answer = registry.post("/api/products/feedback", &demo["next_steps"]["example_body"]).await.body;
    answer["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_token_opens_the_whole_product() {
    let (registry, peer, id) = live_agent().await;
    let demo = registry.post("/api/products/demo", &json!({ "listing_id": id })).await.body;
    let token = token(&registry, &id).await;
    let path = format!("/api/products/access?token={token}");
    let reply = registry.get(&path).await;
    assert_eq!(
        (reply.status, &reply.body["sku"], &reply.body["source"]),
        (200, &json!("alive"), &json!("founding_seat"))
    );
    let length = |files: &Value| {
        files.as_array().unwrap().iter().map(|file| file["content"].as_str().unwrap().len()).sum::<usize>()
    };
    assert!(length(&reply.body["files"]) >= length(&demo["artifacts"]), "the whole is no less than its part");
    assert_eq!(
        registry.call_tool("get_access", &json!({ "token": token })).await["files"],
        reply.body["files"]
    );

    demote(&registry, &peer, &id).await;
    assert_eq!(registry.get(&path).await.status, 200, "a product is kept, also by who is no longer Live");
}

#[tokio::test]
async fn anything_else_opens_nothing() {
    let (registry, _peer, _) = live_agent().await;
    for (path, status) in [
        ("/api/products/access", 422),
        ("/api/products/access?token=nonsense", 401),
        (&format!("/api/products/access?token=at_{}", "A".repeat(43)), 401),
    ] {
        let reply = registry.get(path).await;
        reply.assert_problem();
        assert_eq!(reply.status, status, "{path}");
    }
}
