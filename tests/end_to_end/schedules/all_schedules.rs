//! Tests all schedules together. They run with different start times, at the same time, and over weeks.

use futures::future::join_all;
use tests::peers::{Peer, agents, servers};
use tests::test_registry::{DAY, HOUR, TestRegistry};

use crate::faults::disordered_events::comparable;
use crate::fixtures::live_agent;

#[tokio::test]
async fn expired_items_are_deleted_and_listings_stay() {
    let (registry, peer, id) = live_agent().await;
    for _ in 0..8 {
        registry.recheck_after(DAY * 6).await;
        registry.recheck_after(HOUR * 12).await;
        registry.tick().await;
    }
    assert!(registry.sweep_expired() > 0);
    assert!(registry.table().await.items_under("FEED").is_empty(), "feed items expire after thirty days");
    assert_eq!((registry.lane(&id).await.as_str(), registry.live_counts().await), ("active", (1, 0)));
    assert_eq!(registry.status(&id).await["checks_clean"], true);
    drop(peer);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_runs_have_the_effect_of_one_run() {
    let peers = [
        Peer::start(agents::fleet).await,
        Peer::start(servers::legacy).await,
        Peer::start(agents::only(404)).await,
    ];
    let mut tables = Vec::new();
    for concurrent_runs in [1, 6] {
        let registry = TestRegistry::start().await;
        let mut ids = registry.publish_fleet(&peers[0], 0..4).await;
        ids.push(registry.publish_mcp(&peers[1].url("/mcp")).await);
        ids.push(registry.publish_card(&peers[2].card()).await);
        let all = join_all((0..concurrent_runs).map(|_| async {
            let events = join_all(ids.iter().map(|id| registry.first_probe(id)));
            futures::join!(registry.tick(), registry.recheck(), events)
        }));
        all.await;
        assert_eq!(registry.live_counts().await, (4, 1));
        // Adds the remaining decisions to the evidence log.
        registry.tick().await;
        let table = registry.table().await;
        let counts = ["ECONOMY", "LOG#PENDING"].map(|kind| table.items_under(kind).len());
        let checkpoint = registry.get("/log/checkpoint").await.body;
        assert_eq!(checkpoint.as_str().and_then(|text| text.lines().nth(1)), Some("5"), "{checkpoint}");
        tables.push((counts, comparable(table, &[])));
    }
    assert_eq!(tables[0].0, tables[1].0);
    assert_eq!(tables[0].1.difference(&tables[1].1), [""; 0]);
}
