//! Tests that the pairs of listings that were used together are limited: they expire, and a listing has few of them.

use registry::model::{Kind, ListingId};
use serde_json::json;
use tests::test_registry::{DAY, TestRegistry};

use crate::fixtures::call_as;

/// The limit of a listing, in `trail_edges.rs`.
const MAX_EDGES: usize = 200;

async fn use_together(registry: &TestRegistry, source: u8, pair: (&ListingId, &ListingId)) {
    let pair = json!({ "listing_id": pair.0, "listing_b": pair.1 });
    let answer = call_as(registry, source, "used_with", pair).await.unwrap();
    assert_eq!(answer["counted"], true, "{answer}");
}

/// The sort keys of the pairs of a listing.
async fn edges(registry: &TestRegistry, id: &ListingId) -> Vec<String> {
    let table = registry.table().await;
    let partition = format!("TRAIL#{id}");
    // The id of another listing can begin with this one.
    let items = table.items_under(&partition).into_iter().filter(|item| item["pk"] == json!(partition));
    let keys = items.map(|item| item["sk"].as_str().unwrap().to_owned());
    keys.filter(|key| key.starts_with("EDGE#")).collect()
}

#[tokio::test]
async fn composition_expires_when_its_strength_is_gone() {
    let registry = TestRegistry::start().await;
    let servers = tests::fixtures::insert_live_listings(&registry.app, Kind::Mcp, 3).await;
    use_together(&registry, 1, (&servers[0], &servers[1])).await;
    registry.advance(60 * DAY);
    use_together(&registry, 1, (&servers[0], &servers[2])).await;
    registry.sweep_expired();
    assert_eq!(edges(&registry, &servers[0]).await.len(), 2, "0.06 of 4.0 is left");
    // 4.0 is less than 0.05 after 63.2 days.
    registry.advance(6 * DAY);
    registry.sweep_expired();
    for (id, left) in [(&servers[0], 1), (&servers[1], 0), (&servers[2], 1)] {
        assert_eq!(edges(&registry, id).await.len(), left, "{id}");
    }
}

#[tokio::test]
async fn new_composition_replaces_the_weakest_of_a_full_listing() {
    const EXTRA: usize = 5;
    let registry = TestRegistry::start().await;
    let servers =
        tests::fixtures::insert_live_listings(&registry.app, Kind::Mcp, MAX_EDGES + EXTRA + 1).await;
    let (centre, others) = servers.split_first().unwrap();
    // The oldest pair is the strongest, because two sources reported it.
    use_together(&registry, 1, (centre, &others[0])).await;
    use_together(&registry, 2, (centre, &others[0])).await;
    for other in &others[1..] {
        registry.advance(std::time::Duration::from_secs(60));
        use_together(&registry, 1, (centre, other)).await;
    }
    let stored = edges(&registry, centre).await;
    assert_eq!(stored.len(), MAX_EDGES);
    let has = |other: &ListingId| stored.contains(&format!("EDGE#{other}"));
    assert!(has(&others[0]) && has(others.last().unwrap()));
    for removed in &others[1..=EXTRA] {
        assert!(!has(removed), "{removed}");
        assert_eq!(edges(&registry, removed).await.len(), 0, "{removed}");
    }
}
