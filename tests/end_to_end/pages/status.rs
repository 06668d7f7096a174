//! Tests `/status` and `/network`: the results of probes, with charts.

use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, Reply, TestRegistry};

async fn read(registry: &TestRegistry) -> Reply {
    registry.get_with("/status", ("accept", "text/html")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn network_page_shows_the_probes_of_today_and_is_cached() {
    let registry = TestRegistry::start().await;
    let read = async || registry.get_with("/network", ("accept", "text/html")).await.body;
    let young = read().await;
    assert!(young.as_str().unwrap().contains("No probes yet today"), "{young}");
    let (sound, broken) = (Peer::start(agents::newest).await, Peer::start(agents::only(404)).await);
    registry.publish_card(&sound.card()).await;
    registry.publish_card(&broken.card()).await;
    registry.publish(&json!({ "url": broken.url("/mcp") })).await;
    registry.deliver_events().await;
    registry.advance(HOUR);
    let page = read().await;
    let agents = "<a href=\"/list?kind=agent\">1</a>";
    for text in [
        "ok <b>1</b>",
        "failed <b>2</b>",
        "Failed probes of agents: 1. Failed probes of MCP servers: 1.",
        "card fail 404 (no card)",
        agents,
    ] {
        assert!(page.as_str().unwrap().contains(text), "{text}: {page}");
    }
    let (again, calls) = registry.counted(read()).await;
    assert_eq!((again, calls.total()), (page, 0), "the cached page read the table");
}

#[tokio::test(flavor = "multi_thread")]
async fn status_page_shows_the_statistics_and_is_cached() {
    let registry = TestRegistry::start().await;
    let young = read(&registry).await.body.as_str().unwrap().to_owned();
    assert!(young.contains("There is not enough data for a chart yet"), "{young}");
    let peers = [Peer::start(agents::fleet).await, Peer::start(agents::only(404)).await];
    for hour in 0..3 {
        registry.publish_card(&peers[0].url(&format!("/{hour}/card.json"))).await;
        registry.deliver_events().await;
        registry.tick().await;
        registry.advance(HOUR);
    }
    let failing = registry.publish_card(&peers[1].card()).await;
    registry.first_probe(&failing).await;
    registry::log::sequence(&registry.app).await.unwrap();
    registry.advance(HOUR);
    let (shown, calls) = registry.counted(read(&registry)).await;
    let page = shown.body.as_str().unwrap();
    assert!(calls.total() <= 16 && calls.of("Scan") == 0, "{calls:?}");
    for text in [
        "Live listings over time",
        "card fail 404 (no card)",
        "Weekly recheck",
        "Root hash",
        &format!("/list/{failing}"),
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let (again, calls) = registry.counted(read(&registry)).await;
    assert_eq!((again.body, calls.total()), (shown.body, 0), "the cached page read the table");
}
