//! On AWS, a process caches for seconds what nearly every request reads. Otherwise the requests of all processes would
//! exceed the throughput of single partition keys.

use std::time::Duration;

use tests::prelude::*;

use crate::fixtures::live_agent_with;

const SECOND: Duration = Duration::from_secs(1);

fn caching() -> TestOptions {
    TestOptions::default().with_cache_for_seconds()
}

#[tokio::test]
async fn requests_of_a_second_read_shared_items_once() {
    let (registry, _peer, _) = live_agent_with(caching()).await;
    registry.get("/api/ard/search?q=weather").await;
    registry.advance(2 * SECOND);
    let before = registry.observer.tally.snapshot();
    for query in ["weather forecast", "weather", "forecast"] {
        registry.get(&format!("/api/ard/search?q={query}")).await.ok();
    }
    let calls = registry.observer.tally.since(&before);
    assert_eq!(calls.of("Query"), 1, "the counts: {calls:?}");
    assert!(calls.of("GetItem") < 3, "not the index version for each request: {calls:?}");
}

#[tokio::test]
async fn manifest_is_read_again_only_if_its_version_changed() {
    let registry = TestRegistry::start_with(caching()).await;
    let other = registry.other_process();
    let peer = Peer::start(agents::newest).await;
    registry.first_probe(&registry.publish_card(&peer.card()).await).await;
    let before = other.recent_manifest().await.unwrap().version;
    registry.index().await;
    let now = registry.app.store.manifest().await.unwrap().version;
    assert!(now > before, "{now} > {before}");
    registry.advance(SECOND);
    assert_eq!(other.recent_manifest().await.unwrap().version, now);

    registry.forget("INDEX", "MANIFEST").await;
    registry.advance(SECOND);
    assert_eq!(other.recent_manifest().await.unwrap().version, now, "only its version is read");
    // A table of an earlier version has no such item.
    registry.forget("INDEX", "VERSION").await;
    registry.advance(SECOND);
    assert_eq!(other.recent_manifest().await.unwrap().version, 0);
}
