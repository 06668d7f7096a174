//! What is deposited without being asked for: by publishing, probes, demos and feedback within their own writes, by matches
//! and looks with a later request. What is done twice deposits once.

use std::time::Duration;

use local::engine::instrumented::Fault;
use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, TICK, TestOptions, TestRegistry};

use super::{STIGMERGY, is_about, number, trail};
use crate::fixtures::{live_agent, live_pair};

#[tokio::test]
async fn publishing_probing_and_the_funnel_leave_their_deposits_once() {
    let (registry, peer, id) = live_agent().await;
    let row = trail(&registry, &id).await;
    // 2.5 for joining, 1 for the probe.
    is_about(&row, "attraction", 3.5);
    is_about(&row, "joined", 5.0);
    assert_eq!((&row["event_counts"]["lists"], &row["event_counts"]["probes_ok"]), (&json!(1), &json!(1)));
    registry.publish_card(&peer.card()).await;
    registry.deliver_events().await;
    is_about(&trail(&registry, &id).await, "joined", 5.0);

    let demo = json!({ "listing_id": id });
    for _ in 0..2 {
        let draft =
            registry.post("/api/products/demo", &demo).await.body["next_steps"]["example_body"].clone();
        is_about(&trail(&registry, &id).await, "attraction", 3.5 + 8.0);
        assert!(draft.is_object());
    }
    let draft = registry.post("/api/products/demo", &demo).await.body["next_steps"]["example_body"].clone();
    assert_eq!(registry.post("/api/products/feedback", &draft).await.status, 200);
    assert_eq!(registry.post("/api/products/feedback", &draft).await.status, 409);
    let row = trail(&registry, &id).await;
    is_about(&row, "attraction", 3.5 + 8.0 + 20.0);
    assert_eq!((&row["event_counts"]["demos"], &row["event_counts"]["feedback"]), (&json!(1), &json!(1)));
    let events = &registry.call_tool("sense_traces", &json!({})).await["totals"]["events"];
    let told: Vec<&Value> = ["list_yourself", "probe_ok", "take_demo", "leave_feedback", "founding_claim"]
        .map(|name| &events[name])
        .into();
    assert!(told.iter().all(|count| **count == json!(1)), "{events}");
}

#[tokio::test]
async fn a_failed_probe_is_a_danger_and_an_answered_one_relieves() {
    let registry = TestRegistry::start().await;
    let (gone, busy) = (Peer::start(agents::only(404)).await, Peer::start(agents::only(503)).await);
    let (failing, unclear) =
        (registry.publish_card(&gone.card()).await, registry.publish_card(&busy.card()).await);
    registry.deliver_events().await;
    let row = trail(&registry, &failing).await;
    is_about(&row, "danger", 10.0);
    assert_eq!(row["event_counts"]["probes_fail"], 1);
    let row = trail(&registry, &unclear).await;
    assert_eq!(
        (number(&row["danger"]), &row["event_counts"]["probes_fail"]),
        (0.0, &json!(0)),
        "nothing was judged"
    );
    let board = registry.get(&format!("{STIGMERGY}?action=follow&kind=dangerous")).await.body;
    assert_eq!(super::ids(&board["items"]), [failing.as_str()]);

    gone.answer_with(agents::newest);
    registry.advance(TICK);
    registry.publish_card(&gone.card()).await;
    registry.deliver_events().await;
    assert_eq!(registry.lane(&failing).await, "active");
    let row = trail(&registry, &failing).await;
    // What six minutes left of ten, less two.
    assert!((number(&row["danger"]) - 8.0).abs() < 0.05, "{row}");
}

#[tokio::test]
async fn a_match_deposits_with_a_later_request_and_costs_no_write_itself() {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let before = trail(registry, &pair.agent).await;
    registry.advance(HOUR);
    // The look at the trail is written now, and nothing is pending.
    registry.get("/api/feed").await;
    let quiet = trail(registry, &pair.agent).await;
    let tally = registry.observer.tally.snapshot();
    for _ in 0..3 {
        assert_eq!(registry.get("/api/match?q=weather").await.status, 200);
    }
    let calls = registry.observer.tally.since(&tally);
    assert_eq!(calls.of("TransactWriteItems"), 0, "{calls:?}");
    is_about(&trail(registry, &pair.agent).await, "demand", number(&quiet["demand"]));
    registry.advance(Duration::from_secs(10));
    registry.get("/api/feed").await;
    let after = trail(registry, &pair.agent).await;
    // One caller counts once: 2 as a hit, 1 for the query, 0.5 for the look of this hour.
    assert_eq!(
        (&after["event_counts"]["match_hits"], &before["event_counts"]["match_hits"]),
        (&json!(1), &json!(0))
    );
    let more = number(&after["demand"]) - number(&quiet["demand"]);
    assert!((more - 3.5).abs() < 0.02, "{more}: {after}");
    is_about(&after, "attraction", number(&quiet["attraction"]) + 0.5);
    let board = registry.get(&format!("{STIGMERGY}?action=follow&kind=demand")).await.body;
    assert_eq!(board["items"][0]["listing_id"], json!(pair.agent), "{board}");
}

#[tokio::test]
async fn what_could_not_be_written_waits() {
    let options = TestOptions::default().without_read_cache();
    let registry = TestRegistry::start_with(options).await;
    let peer = Peer::start(agents::newest).await;
    let id = registry.live_card(&peer.card()).await;
    trail(&registry, &id).await;
    registry.advance(Duration::from_secs(10));
    registry.observer.faults.arm("TransactWriteItems", Fault::TransactionConflict, 100);
    registry.get("/api/feed").await;
    registry.observer.faults.disarm();
    registry.advance(Duration::from_secs(10));
    registry.get("/api/feed").await;
    let row = trail(&registry, &id).await;
    assert!((number(&row["demand"]) - 0.5).abs() < 0.01, "{row}");
}
