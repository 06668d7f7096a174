//! Tests the statistics of the network: the hourly count, and the documents and pages that show it.

use serde_json::{Value, json};
use tests::peers::{Peer, agents, servers};
use tests::test_registry::{DAY, HOUR, TestOptions, TestRegistry};

async fn statistics(registry: &TestRegistry) -> Value {
    let reply = registry.get("/network.json").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.body
}

async fn table(registry: &TestRegistry) -> String {
    let reply = registry.get("/network.csv").await;
    assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8; header=present");
    reply.body.as_str().unwrap().to_owned()
}

/// The values of a figure with their counts and percentages.
fn values(figure: &Value) -> Vec<(&str, u64, f64)> {
    let row = |row: &'_ Value| (row["count"].as_u64().unwrap(), row["percent"].as_f64().unwrap());
    let rows = figure["values"].as_array().unwrap().iter();
    rows.map(|value| (value["value"].as_str().unwrap(), row(value).0, row(value).1)).collect()
}

#[tokio::test]
async fn network_without_a_count_has_zero_figures_and_no_time() {
    let registry = TestRegistry::start().await;
    let shown = statistics(&registry).await;
    assert_eq!((&shown["as_of"], &shown["weeks"]), (&Value::Null, &json!([])));
    for kind in ["agents", "mcps"] {
        assert_eq!((&shown[kind]["probed"], &shown[kind]["outcomes"]["of"]), (&json!(0), &json!(0)));
        assert_eq!(shown[kind]["latency"], json!({ "of": 0, "p50_ms": null, "p95_ms": null }));
    }
    assert_eq!(table(&registry).await, "period,as_of,kind,figure,value,count,of,percent\r\n");
    let page = registry.get_with("/network", ("accept", "text/html")).await;
    assert!(page.body.as_str().unwrap().contains("Nothing was counted yet"), "{page:?}");

    // A count of no listings has a time.
    registry.recheck().await;
    assert_eq!(statistics(&registry).await["as_of"], json!(registry.now()));
    assert!(!table(&registry).await.contains("NaN"));
}

#[tokio::test(flavor = "multi_thread")]
async fn network_is_counted_once_an_hour_from_the_last_probes() {
    let options = TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000);
    let registry = TestRegistry::start_with(options).await;
    let newest = Peer::start(agents::newest).await;
    let broken = Peer::start(agents::only(404)).await;
    let modern = [Peer::start(servers::modern).await, Peer::start(servers::modern).await];
    let legacy = Peer::start(servers::legacy).await;
    registry.publish_card(&newest.card()).await;
    registry.publish_card(&broken.card()).await;
    for server in &modern {
        registry.publish_mcp(&server.url("/mcp")).await;
    }
    let withdrawn = registry.publish_mcp(&legacy.url("/mcp")).await;
    registry.publish_mcp(&legacy.url("/other/mcp")).await;
    registry.deliver_events().await;
    registry
        .run("operator", json!({ "command": "withdraw", "listing_id": withdrawn, "reason": "Spam." }))
        .await;
    registry.recheck().await;

    let shown = statistics(&registry).await;
    assert_eq!(shown["as_of"], json!(registry.now()));
    let (agents, mcps) = (&shown["agents"], &shown["mcps"]);
    assert_eq!((&agents["probed"], &agents["live"]), (&json!(2), &json!(1)));
    assert_eq!(values(&agents["outcomes"]), [("fail", 1, 50.0), ("ok", 1, 50.0)]);
    assert_eq!(values(&agents["reasons"]), [("no_card", 1, 100.0)]);
    assert_eq!(
        (&agents["versions"]["of"], values(&agents["versions"])),
        (&json!(1), vec![("1.0", 1, 100.0)])
    );
    assert!(values(&agents["capabilities"]).contains(&("answers_messages", 1, 100.0)), "{agents}");
    assert_eq!((&mcps["probed"], values(&mcps["outcomes"])), (&json!(3), vec![("ok", 3, 100.0)]), "{mcps}");
    assert!(values(&mcps["versions"]).contains(&("2026-07-28", 2, 66.7)), "{mcps}");
    assert!(values(&mcps["capabilities"]).contains(&("tools", 3, 100.0)), "{mcps}");
    assert_eq!((&mcps["access"]["of"], values(&mcps["access"])), (&json!(3), vec![("open", 3, 100.0)]));
    assert_eq!(mcps["latency"]["of"], 3);
    assert!(mcps["latency"]["p95_ms"].as_u64() >= mcps["latency"]["p50_ms"].as_u64(), "{mcps}");

    // Each row of the table has eight columns, and the same figures.
    let rows = table(&registry).await;
    assert!(rows.lines().all(|row| row.split(',').count() == 8), "{rows}");
    for row in [
        format!("current,{},agents,outcomes,ok,1,2,50.0", registry.now()),
        format!("current,{},mcps,versions,2026-07-28,2,3,66.7", registry.now()),
        format!("2026-W47,{},mcps,live,live,3,3,100.0", registry.now()),
    ] {
        assert!(rows.contains(&row), "{row}: {rows}");
    }

    // Documents and page cost one read each; a figure does not change before the next count.
    registry.publish_card(&newest.url("/again/.well-known/agent-card.json")).await;
    registry.deliver_events().await;
    registry.recheck().await;
    for path in ["/network.json", "/network.csv", "/network"] {
        let before = registry.observer.tally.snapshot();
        let reply = registry.get_with(path, ("accept", "*/*")).await;
        assert_eq!((reply.status, registry.observer.tally.since(&before).total()), (200, 1), "{path}");
    }
    assert_eq!(statistics(&registry).await["agents"]["probed"], 2);
    let page = registry.get_with("/network", ("accept", "text/html")).await.body;
    for text in ["Agents: of 2", "MCP servers: of 3", "2026-07-28", "66.7 %", "2026-W47"] {
        assert!(page.as_str().unwrap().contains(text), "{text}: {page}");
    }
    let status = registry.get_with("/status", ("accept", "text/html")).await.body;
    assert!(status.as_str().unwrap().contains("MCP servers: of 3"), "{status}");

    registry.advance(HOUR);
    registry.recheck().await;
    let next = statistics(&registry).await;
    assert_eq!((&next["agents"]["probed"], next["weeks"].as_array().unwrap().len()), (&json!(3), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn trend_keeps_the_last_count_of_each_week() {
    let registry = TestRegistry::start().await;
    let server = Peer::start(servers::modern).await;
    registry.recheck().await;
    registry.publish_mcp(&server.url("/mcp")).await;
    registry.deliver_events().await;
    registry.advance(DAY);
    registry.recheck().await;
    registry.advance(DAY * 7);
    registry.recheck().await;
    let weeks = statistics(&registry).await["weeks"].clone();
    let rows: Vec<_> =
        weeks.as_array().unwrap().iter().map(|week| (&week["week"], &week["mcps"]["ok"])).collect();
    assert_eq!(rows, [(&json!("2026-W47"), &json!(1)), (&json!("2026-W48"), &json!(1))]);

    let page = registry.get_with("/network", ("accept", "text/html")).await.body;
    assert!(page.as_str().unwrap().contains("Live listings</p>\n<svg class=\"plot\""), "{page}");
}
