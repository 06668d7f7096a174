//! Tests `/api/catalog`: the whole catalog in pages, for other registries.

use serde_json::json;

use crate::fixtures::{live_fleet, texts, values_of};

#[tokio::test]
async fn peer_can_copy_the_whole_catalog() {
    let (registry, _peers, [agents, servers]) = live_fleet(7, 4).await;
    let (mut copied, mut cursor) = (Vec::new(), String::new());
    for _ in 0..10 {
        let page = registry.get(&format!("/api/catalog?limit=3{cursor}")).await.body;
        assert_eq!(page["counts"], json!({ "agents_active": 7, "mcp_active": 4, "as_of": registry.now() }));
        assert_eq!((&page["role"], &page["origin"]), (&json!("sub-registry"), &json!(registry.url(""))));
        for kind in ["agents", "mcp"] {
            copied.extend(values_of(&page[kind], "listing_id"));
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    copied.sort_unstable();
    assert_eq!(copied, texts(agents.into_iter().chain(servers)));
    for wrong in ["limit=0", "limit=x", "cursor=nonsense"] {
        assert_eq!(registry.get(&format!("/api/catalog?{wrong}")).await.status, 422, "{wrong}");
    }
}
