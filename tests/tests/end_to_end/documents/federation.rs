//! `/api/catalog`: the whole catalogue, page by page, for another registry.

use serde_json::json;

use crate::fixtures::{ids, live_fleet, texts};

#[tokio::test]
async fn another_registry_can_take_over_the_whole_catalogue() {
    let (registry, _peers, [agents, servers]) = live_fleet(7, 4).await;
    let (mut taken, mut cursor) = (Vec::new(), String::new());
    for _ in 0..10 {
        let page = registry.get(&format!("/api/catalog?limit=3{cursor}")).await.body;
        assert_eq!(page["counts"], json!({ "agents_active": 7, "mcp_active": 4 }));
        assert_eq!((&page["role"], &page["origin"]), (&json!("sub-registry"), &json!(registry.url(""))));
        for kind in ["agents", "mcp"] {
            taken.extend(ids(&page[kind], "listing_id"));
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    taken.sort_unstable();
    assert_eq!(taken, texts(agents.into_iter().chain(servers)));
    for wrong in ["limit=0", "limit=x", "cursor=nonsense"] {
        assert_eq!(registry.get(&format!("/api/catalog?{wrong}")).await.status, 422, "{wrong}");
    }
}
