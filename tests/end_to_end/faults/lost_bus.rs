//! Tests an event bus that is down. No event about a published listing or a probe result is delivered. No
//! listing is lost, because the schedules find the work in the table.

use tests::peers::{Peer, agents, servers};
use tests::test_registry::{TICK, TestRegistry};

use super::print_row;

const AGENTS: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn schedules_find_all_listings_without_the_event_bus() {
    let registry = TestRegistry::start_for_fleet().await;
    let (agents, server) = (Peer::start(agents::fleet).await, Peer::start(servers::modern).await);
    registry.cut_bus();
    let mut ids = registry.publish_fleet(&agents, 0..AGENTS).await;
    ids.push(registry.publish_mcp(&server.url("/mcp")).await);
    assert_eq!(registry.live_counts().await, (0, 0), "no event was delivered");
    let mut ticks = 0;
    while registry.live_counts().await != (AGENTS as u64, 1) {
        assert!(ticks < 10, "the tick does not find the listings");
        registry.tick_after(TICK).await;
        ticks += 1;
    }
    registry.index().await;
    for id in &ids {
        assert_eq!(registry.lane(id).await, "active");
        let found = registry.get(&format!("/api/ard/search?q={id}&limit=1")).await;
        assert_eq!(found.body["hits"][0]["listing_id"], id.as_str(), "{}", found.body);
    }
    assert!(registry.events().is_empty());
    print_row(
        "the bus down",
        &format!(
            "{} publishes, all acknowledged, {ticks} tick(s) until all are Live and searchable, 0 lost",
            ids.len()
        ),
    );
}
