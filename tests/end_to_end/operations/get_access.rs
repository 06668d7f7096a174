//! Tests `get_access`: for a valid token, it returns the full product of the listing, generated again.

use tests::prelude::*;

use crate::fixtures::{demote, live_agent};

#[tokio::test]
async fn token_opens_the_full_product() {
    let (registry, peer, id) = live_agent().await;
    let demo = registry.post("/api/products/demo", &json!({ "listing_id": id })).await.body;
    let answer = registry.post("/api/products/feedback", &registry.draft(&id).await).await.body;
    let token = answer["access_token"].as_str().unwrap();
    let path = format!("/api/products/access?token={token}");
    let reply = registry.get(&path).await;
    reply.assert_body(200, &json!({ "sku": "alive", "source": "founding_seat" }));
    let length = |files: &Value| {
        files.as_array().unwrap().iter().map(|file| file["content"].as_str().unwrap().len()).sum::<usize>()
    };
    assert!(length(&reply.body["files"]) >= length(&demo["artifacts"]), "smaller than the demo");
    let by_tool = registry.call_tool("get_access", &json!({ "token": token })).await;
    assert_eq!(by_tool["files"], reply.body["files"]);

    demote(&registry, &peer, &id).await;
    let demoted = registry.get(&path).await.ok();
    assert_eq!(demoted["proved_at"], reply.body["proved_at"], "a failed probe is no proof");
}
