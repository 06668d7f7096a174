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
async fn pages_of_the_list_are_read_again_after_five_seconds() {
    let (registry, _peer, _) = live_agent_with(caching()).await;
    let calls = async |limit: u32| {
        let arguments = serde_json::json!({ "kind": "agent", "limit": limit });
        let (page, calls) = registry.counted(registry.call_tool("search_active", &arguments)).await;
        assert_eq!(page["listings"].as_array().unwrap().len(), 1, "{page}");
        calls.of("Query")
    };
    registry.advance(5 * SECOND);
    assert_eq!(calls(7).await, 2, "the counts and the page");
    // The validator of the rendered page changes with the minute.
    registry.advance(4 * SECOND);
    assert!(calls(7).await <= 1, "at most the counts");
    registry.advance(60 * SECOND);
    assert_eq!(calls(7).await, 2);
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
