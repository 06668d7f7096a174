//! Tests `/status` and `/network`: the results of probes, with charts.

use tests::prelude::*;

#[tokio::test(flavor = "multi_thread")]
async fn network_page_shows_the_probes_of_today_and_is_cached() {
    let registry = TestRegistry::start().await;
    assert_contains(&registry.text("/network").await, &["No probes yet today"]);
    let (sound, broken) = (Peer::start(agents::newest).await, Peer::start(agents::only(404)).await);
    registry.publish_card(&sound.card()).await;
    registry.publish_card(&broken.card()).await;
    registry.publish(&json!({ "url": broken.url("/mcp") })).await;
    registry.deliver_events().await;
    registry.advance(HOUR);
    let page = registry.text("/network").await;
    assert_contains(&page, &["ok <b>1</b>", "failed <b>2</b>", "<a href=\"/list?kind=agent\">1</a>"]);
    let failed = "Failed probes of agents: 1. Failed probes of MCP servers: 1.";
    assert_contains(&page, &[failed, "card fail 404 (no card)"]);
    let (again, calls) = registry.counted(registry.text("/network")).await;
    assert_eq!((again, calls.total()), (page, 0), "the cached page read the table");
}

#[tokio::test(flavor = "multi_thread")]
async fn status_page_shows_the_statistics_and_is_cached() {
    let registry = TestRegistry::start().await;
    assert_contains(&registry.text("/status").await, &["There is not enough data for a chart yet"]);
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
    let (page, calls) = registry.counted(registry.text("/status")).await;
    assert!(calls.total() <= 16 && calls.of("Scan") == 0, "{calls:?}");
    assert_contains(&page, &["Live listings over time", "card fail 404 (no card)", "Weekly recheck"]);
    assert_contains(&page, &["Root hash", &format!("/list/{failing}")]);
    let (again, calls) = registry.counted(registry.text("/status")).await;
    assert_eq!((again, calls.total()), (page, 0), "the cached page read the table");
}
