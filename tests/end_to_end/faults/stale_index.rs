//! Tests queries of a secondary index that return an older state of the table. This does not cause a second probe of a
//! listing, or a demo for a withdrawn listing. All results are exact as soon as the index is up to date.

use tests::prelude::*;

use crate::fixtures::{live_fleet, values_of};

async fn active_ids(registry: &TestRegistry) -> Vec<String> {
    let page = registry.get("/api/listings/active?limit=100").await.ok();
    values_of(&page["agents"], "listing_id")
}

/// The index may lag behind the version that pages are cached under.
#[tokio::test]
async fn page_that_was_rendered_from_a_stale_index_is_rendered_again() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    let first = registry.live_card(&peer.url("/1/card.json")).await;
    let older = registry.copy_of_table().await;
    let second = registry.live_card(&peer.url("/2/card.json")).await;
    registry.observer.faults.read_indexes_from(older);
    assert_eq!(active_ids(&registry).await, [first.to_string()]);
    registry.observer.faults.disarm();
    registry.advance(std::time::Duration::from_secs(60));
    assert_eq!(active_ids(&registry).await, [second.to_string(), first.to_string()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn stale_index_delays_only_the_active_list() {
    let (registry, [peer, _servers], [live, _]) = live_fleet(8, 0).await;
    let queued = registry.publish_fleet(&peer, 8..12).await;
    registry.events();
    let older = registry.copy_of_table().await;

    // Changes that the index does not contain: two withdrawals, the queued listings go Live, and new listings.
    for id in &live[..2] {
        registry.withdraw(id, "Spam.").await;
    }
    registry.advance(std::time::Duration::from_secs(1));
    for id in &queued {
        registry.first_probe(id).await;
    }
    let new = registry.publish_fleet(&peer, 12..15).await;
    registry.events();
    peer.forget_requests();
    registry.observer.faults.read_indexes_from(older);
    for _ in 0..5 {
        registry.tick().await;
        registry.recheck().await;
        registry.advance(TICK);
    }
    let stale = active_ids(&registry).await;
    for id in &live[..2] {
        assert!(stale.contains(&id.to_string()), "the list was read from the older index");
        assert_eq!(registry.lane(id).await, "withdrawn", "a read by key is not stale");
        let refused = registry.post("/api/products/demo", &json!({ "listing_id": id })).await;
        assert_eq!(refused.status, 409, "{refused:?}");
    }
    // The stale queue still contains listings that have a verdict, and not yet the new ones.
    assert_eq!(peer.request_names(), [""; 0], "the items of the listings in the stale queue are not due");

    registry.observer.faults.disarm();
    registry.tick().await;
    registry.index().await;
    let mut expected: Vec<String> =
        live[2..].iter().chain(&queued).chain(&new).map(ToString::to_string).collect();
    let mut exact = active_ids(&registry).await;
    expected.sort();
    exact.sort();
    assert_eq!(exact, expected);
    assert_eq!(registry.live_counts().await, (expected.len() as u64, 0));
}
