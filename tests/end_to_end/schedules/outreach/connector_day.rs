//! Tests the connector of the day (a listing that connects other listings). Each day has one connector. The
//! same connector is not picked again within thirty days.

use std::collections::{BTreeMap, BTreeSet};

use registry::model::Moment;
use serde_json::json;
use tests::peers::Peer;
use tests::test_registry::{DAY, HOUR, TestRegistry};

use super::{live_agents, message_count, router, without_rechecks};

#[tokio::test]
async fn one_connector_is_picked_per_day_and_again_only_after_30_days() {
    // A budget of one message per day, so that no invitation is sent.
    let options = without_rechecks().with_setting("OUTREACH_BUDGET_PERCENT", 9);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(router).await);
    live_agents(&registry, &peer, 3).await;
    // Starts with the day, so that a pause ends when a connector is picked.
    registry.advance_to("2026-11-21T00:00:00Z".parse().unwrap());
    let mut contacted = BTreeMap::<String, Vec<Moment>>::new();
    for _ in 0..34 * 4 {
        let report = registry.reach_out().await;
        if report["connector_touched"] == true {
            contacted
                .entry(report["connector"].as_str().unwrap().to_owned())
                .or_default()
                .push(registry.now());
        }
        assert_eq!(report["invited"], 0);
        registry.advance(HOUR * 6);
    }
    let days: Vec<String> = contacted.values().flatten().map(|at| at.utc_day()).collect();
    assert_eq!(days.len(), days.iter().collect::<BTreeSet<_>>().len(), "one per day: {contacted:?}");
    for times in contacted.values() {
        for pair in times.windows(2) {
            assert!(
                pair[1].duration_since(pair[0]) >= jiff::SignedDuration::from_hours(30 * 24),
                "{contacted:?}"
            );
        }
    }
    assert_eq!(
        contacted.values().map(Vec::len).collect::<Vec<_>>(),
        [2, 2, 2],
        "three connectors, each again after its pause"
    );
    let history = registry.get("/api/products/connectors/daily").await.body["history"].clone();
    assert!(history.as_array().unwrap().len() <= 30);
}

#[tokio::test]
async fn connector_of_a_day_does_not_change() {
    let (registry, peer) = (TestRegistry::start_with(without_rechecks()).await, Peer::start(router).await);
    let first = registry.live_card(&peer.card()).await;
    registry.index().await;
    let daily = async || registry.get("/api/products/connectors/daily").await.body;
    let before = daily().await;
    assert_eq!(
        (&before["today"]["partner"]["id"], &before["prep"]["already"]),
        (&json!(first), &json!(false))
    );
    assert_eq!(message_count(&registry, &first).await, 0, "reading the connector sends no message");
    for folder in ["a", "b"] {
        registry.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
    }
    registry.index().await;
    registry.reach_out().await;
    let after = daily().await;
    assert_eq!(before["today"], after["today"]);
    assert_eq!(
        (&after["prep"]["already"], &after["history"][0]["status"]),
        (&json!(true), &json!("touched"))
    );
    assert_eq!(registry.feed_types().await.iter().filter(|what| *what == "connector_of_the_day").count(), 1);
    registry.advance(DAY);
    assert_ne!(daily().await["today"]["day"], before["today"]["day"]);
}
