//! Tests the connector of the day (a listing that connects other listings). Each day has one connector. The
//! same connector is not picked again within thirty days.

use serde_json::json;
use tests::peers::Peer;
use tests::test_registry::{DAY, TestRegistry};

use super::{message_count, router, without_rechecks};

#[tokio::test]
async fn connector_of_a_day_does_not_change() {
    let (registry, peer) = (TestRegistry::start_with(without_rechecks()).await, Peer::start(router).await);
    let first = registry.live_card(&peer.card()).await;
    registry.index().await;
    let daily = async || registry.get("/api/products/connectors/daily").await.body;
    let before = daily().await;
    let partner = &before["today"]["partner"];
    assert_eq!(
        (&partner["id"], &partner["status"]),
        (&json!(first), &json!("chosen")),
        "its lane can change"
    );
    assert_eq!(before["prep"]["already"], false);
    assert_eq!(message_count(&registry, &first).await, 0, "reading the connector sends no message");
    registry.live_agents(&peer, 0..2).await;
    registry.index().await;
    registry.reach_out().await;
    let after = daily().await;
    assert_eq!(before["today"], after["today"]);
    assert_eq!((&after["prep"]["already"], &after["history"]), (&json!(true), &json!([])));
    assert_eq!(registry.feed_types().await.iter().filter(|what| *what == "connector_of_the_day").count(), 1);
    registry.advance(DAY);
    assert_ne!(daily().await["today"]["day"], before["today"]["day"]);
}
