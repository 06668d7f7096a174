//! The connector of the day as the schedule meets it: one a day, none twice within thirty days, and one pick a day.

use std::collections::{BTreeMap, BTreeSet};

use registry::model::Moment;
use serde_json::json;
use tests::peers::Peer;
use tests::test_registry::{DAY, HOUR, TestRegistry};

use super::{lasting, live_agents, message_count, router};

#[tokio::test]
async fn one_connector_is_met_a_day_and_none_twice_within_thirty_days() {
    // One touch a day, so that no invitation comes before.
    let options = lasting().with_setting("OUTREACH_BUDGET_PERCENT", 9);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(router).await);
    live_agents(&registry, &peer, 3).await;
    // With the day, so that a pause ends when a pick is made.
    registry.advance_to("2026-11-21T00:00:00Z".parse().unwrap());
    let mut met = BTreeMap::<String, Vec<Moment>>::new();
    for _ in 0..34 * 4 {
        let report = registry.reach_out().await;
        if report["connector_touched"] == true {
            met.entry(report["connector"].as_str().unwrap().to_owned()).or_default().push(registry.now());
        }
        assert_eq!(report["invited"], 0);
        registry.advance(HOUR * 6);
    }
    let days: Vec<String> = met.values().flatten().map(|at| at.utc_day()).collect();
    assert_eq!(days.len(), days.iter().collect::<BTreeSet<_>>().len(), "one a day: {met:?}");
    for times in met.values() {
        for pair in times.windows(2) {
            assert!(pair[1].duration_since(pair[0]) >= jiff::SignedDuration::from_hours(30 * 24), "{met:?}");
        }
    }
    assert_eq!(
        met.values().map(Vec::len).collect::<Vec<_>>(),
        [2, 2, 2],
        "three, and again after their pause"
    );
    let history = registry.get("/api/products/connectors/daily").await.body["history"].clone();
    assert!(history.as_array().unwrap().len() <= 30);
}

#[tokio::test]
async fn the_pick_of_a_day_stays_whatever_changes_meanwhile() {
    let (registry, peer) = (TestRegistry::start_with(lasting()).await, Peer::start(router).await);
    let first = registry.live_card(&peer.card()).await;
    registry.index().await;
    let daily = async || registry.get("/api/products/connectors/daily").await.body;
    let before = daily().await;
    assert_eq!(
        (&before["today"]["partner"]["id"], &before["prep"]["already"]),
        (&json!(first), &json!(false))
    );
    assert_eq!(message_count(&registry, &first).await, 0, "a reader writes to nobody");
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
