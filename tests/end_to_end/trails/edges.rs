//! Tests that the pairs of listings that were used together are limited: they expire, and a listing has few of them. The
//! cost of reading trails does not depend on the number of marks and pairs of the listing.

use futures::stream::{self, StreamExt as _};
use tests::instrumented::Calls;
use tests::prelude::*;

use super::STIGMERGY;
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

/// Compositions of one listing; each also leaves a mark. The bench measures 1,000 and 10,000.
const PAIRS: usize = 120;

async fn cost(registry: &TestRegistry, body: &Value) -> Calls {
    let (reply, calls) = registry.counted(registry.post(STIGMERGY, body)).await;
    assert_eq!(reply.status, 200, "{body}: {reply:?}");
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn cost_of_a_read_is_bounded_for_many_marks_and_compositions() {
    let registry = TestRegistry::start().await;
    let servers = tests::fixtures::insert_live_listings(&registry.app, Kind::Mcp, PAIRS + 1).await;
    let (centre, others) = servers.split_first().unwrap();
    let bodies = [
        json!({ "action": "sense_traces", "listing_id": centre, "limit": 50 }),
        json!({ "action": "follow_trail", "kind": "hot", "limit": 40 }),
        json!({ "action": "follow_trail", "kind": "composition", "limit": 40 }),
    ];
    let mut costs = Vec::new();
    for pairs in [&others[..2], &others[2..]] {
        let uses = (0..).zip(pairs).map(|(source, other)| use_together(&registry, source, (centre, other)));
        stream::iter(uses).buffer_unordered(4).collect::<()>().await;
        for body in &bodies {
            costs.push(cost(&registry, body).await);
        }
    }
    for (calls, body) in costs.iter().zip(bodies.iter().cycle()) {
        assert!(calls.total() <= 4 && calls.of("Scan") == 0, "{body} cost {calls:?}");
    }
    let sensed = registry.post(STIGMERGY, &bodies[0]).await.body;
    let shown = |name: &str| sensed[name].as_array().unwrap().len();
    assert_eq!((shown("marks"), shown("compositions")), (50, 50));
    assert_eq!(sensed["totals"]["compositions"], PAIRS);
}
