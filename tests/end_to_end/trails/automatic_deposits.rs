//! Tests the values that the registry itself adds to trails. When a listing is published or probed, or gets a
//! demo or feedback, the value is added in the same write. For matches and for reads of trails, a later
//! request adds the value. A repeated action adds the value only once.

use std::time::Duration;
use tests::prelude::*;

use super::{assert_close, number, trail};
use crate::fixtures::{forecaster, live_agent, live_pair, values_of};

#[tokio::test]
async fn each_publication_probe_and_funnel_step_changes_the_trail_once() {
    let (registry, peer, id) = live_agent().await;
    let row = trail(&registry, &id).await;
    // 2.5 for joining, 1 for the probe.
    assert_close(&row, "attraction", 3.5);
    assert_close(&row, "joined", 5.0);
    registry.publish_card(&peer.card()).await;
    registry.deliver_events().await;
    assert_close(&trail(&registry, &id).await, "joined", 5.0);

    for _ in 0..2 {
        registry.demo(&id).await;
        assert_close(&trail(&registry, &id).await, "attraction", 3.5);
    }
    let draft = registry.draft(&id).await;
    for status in [200, 409] {
        assert_eq!(registry.feedback(&draft).await.status, status);
    }
    let row = trail(&registry, &id).await;
    assert_close(&row, "attraction", 3.5);
    let counts = json!({ "lists": 1, "probes_ok": 1, "demos": 1, "feedback": 1 });
    assert_members(&row["event_counts"], &counts);
    let totals = &registry.call_tool("sense_traces", &json!({})).await["totals"];
    for event in ["list_yourself", "probe_ok", "take_demo", "leave_feedback", "founding_claim"] {
        assert_eq!(totals["events"][event], 1, "{event}: {totals}");
    }
}

#[tokio::test]
async fn failed_probe_raises_the_danger_value_and_successful_probe_lowers_it() {
    let registry = TestRegistry::start().await;
    let (gone, busy) = (Peer::start(agents::only(404)).await, Peer::start(agents::only(503)).await);
    let (failing, unclear) =
        (registry.publish_card(&gone.card()).await, registry.publish_card(&busy.card()).await);
    registry.deliver_events().await;
    // A 503 is no failed probe.
    for (id, danger, failed) in [(&failing, 10.0, 1), (&unclear, 0.0, 0)] {
        let row = trail(&registry, id).await;
        assert_close(&row, "danger", danger);
        assert_eq!(row["event_counts"]["probes_fail"], failed, "{row}");
    }
    let board = registry.call_tool("follow_trail", &json!({ "kind": "dangerous" })).await;
    assert_eq!(values_of(&board["items"], "listing_id"), [failing.as_str()]);
    assert_eq!(board["items"][0]["lane"], "needs_fix");
    let hot = registry.call_tool("follow_trail", &json!({ "kind": "hot" })).await;
    assert_eq!(hot["items"], json!([]), "only Live listings are hot");

    gone.answer_with(agents::newest);
    registry.advance(TICK);
    registry.publish_card(&gone.card()).await;
    registry.deliver_to_live(&failing).await;
    // 10, decayed for six minutes, minus 2.
    let danger = number(&trail(&registry, &failing).await["danger"]);
    assert!((danger - 8.0).abs() < 0.05, "{danger}");
}

#[tokio::test]
async fn trail_changes_of_a_match_are_written_by_a_later_request() {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let before = trail(registry, &pair.agent).await;
    registry.advance(HOUR);
    // Writes the deposit for reading the trail, so that no deposit is pending.
    registry.get("/api/feed").await;
    let quiet = trail(registry, &pair.agent).await;
    for _ in 0..3 {
        let (reply, calls) = registry.counted(registry.get("/api/match?q=weather")).await;
        assert_eq!((reply.status, calls.of("TransactWriteItems")), (200, 0), "{calls:?}");
    }
    assert_close(&trail(registry, &pair.agent).await, "demand", number(&quiet["demand"]));
    registry.advance(Duration::from_secs(30));
    registry.get("/api/feed").await;
    let after = trail(registry, &pair.agent).await;
    // One caller counts once: 2 for the hit, 1 for the query, 0.5 for reading the trail in this hour.
    assert_eq!(before["event_counts"]["match_hits"], 0);
    assert_eq!(after["event_counts"]["match_hits"], 1);
    let more = number(&after["demand"]) - number(&quiet["demand"]);
    assert!((more - 3.5).abs() < 0.02, "{more}: {after}");
    assert_close(&after, "attraction", number(&quiet["attraction"]) + 0.5);
    let board = registry.call_tool("follow_trail", &json!({ "kind": "demand" })).await;
    assert_eq!(board["items"][0]["listing_id"], json!(pair.agent), "{board}");
}

/// Of two equal hits, the one with the higher boost is shown first.
#[tokio::test]
async fn query_counts_for_the_hit_that_is_shown_first() {
    let registry = TestRegistry::start().await;
    let peers = [Peer::start(forecaster).await, Peer::start(forecaster).await];
    for peer in &peers {
        registry.live_card(&peer.card()).await;
    }
    registry.index().await;
    let hits = async || registry.settled("/api/match?q=weather").await["hits"].clone();
    let before = hits().await;
    assert_eq!(before[0]["score"], before[1]["score"], "{before}");
    let [first, second] = [0, 1].map(|at: usize| id_of(&before[at]));
    registry.call_tool("endorse", &json!({ "listing_id": second })).await;
    assert_eq!(id_of(&hits().await[0]), second);
    registry.advance(Duration::from_secs(30));
    registry.get("/api/feed").await;
    let demand = [trail(&registry, &first).await, trail(&registry, &second).await];
    let [first, second] = demand.map(|row| number(&row["demand"]));
    assert!((first - second).abs() < 0.1, "each was the first hit of one query: {first}, {second}");
}

#[tokio::test]
async fn trail_changes_that_failed_are_written_later() {
    let (registry, _peer, id) = live_agent().await;
    trail(&registry, &id).await;
    registry.advance(Duration::from_secs(30));
    let get = registry.get("/api/feed");
    registry.with_fault("TransactWriteItems", Fault::TransactionConflict, 100, get).await;
    registry.advance(Duration::from_secs(30));
    registry.get("/api/feed").await;
    assert_close(&trail(&registry, &id).await, "demand", 0.5);
}
