//! Tests `get_access`: for a valid token, it returns the full product of the listing, generated again.

use tests::prelude::*;

use crate::fixtures::{demote, live_agent};

#[tokio::test]
async fn token_opens_the_full_product() {
    let (registry, peer, id) = live_agent().await;
    let demo = registry.demo(&id).await;
    let token = registry.complete(&id).await["access_token"].clone();
    let opened = registry.access(&token).await.ok();
    assert_members(&opened, &json!({ "sku": "alive", "source": "founding_seat" }));
    let length = |files: &Value| {
        files.as_array().unwrap().iter().map(|file| file["content"].as_str().unwrap().len()).sum::<usize>()
    };
    assert!(length(&opened["files"]) >= length(&demo["artifacts"]), "smaller than the demo");
    demote(&registry, &peer, &id).await;
    let demoted = registry.access(&token).await.ok();
    assert_eq!(demoted["proved_at"], opened["proved_at"], "a failed probe is no proof");
}
