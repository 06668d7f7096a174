//! Tests `check_liveness`: the age of a listing's last answer, whether this answer is recent enough, and a
//! freshness that halves with time. The tests set the clock.

use serde_json::{Value, json};
use tests::assertions::assert_members;
use tests::peers::{Peer, agents};
use tests::test_registry::{DAY, HOUR, TICK, TestOptions, TestRegistry};

use crate::fixtures::{live_agent, live_agent_with, recheck_at};

async fn liveness(registry: &TestRegistry, arguments: Value) -> Value {
    registry.call_tool("check_liveness", &arguments).await
}

#[tokio::test]
async fn listing_that_just_answered_is_live_with_the_full_freshness() {
    let (registry, _peer, id) = live_agent().await;
    let probed_at = registry.status(&id).await["probe"]["probed_at"].clone();
    let answer = liveness(&registry, json!({ "listing_id": id })).await;
    let latency = &answer["liveness"]["latency_p50_ms"];
    let expected = json!({
        "ok": true, "listing_id": id, "live": true, "lane": "active",
        "liveness": { "state": "proven", "asked_at": probed_at, "latency_p50_ms": latency, "latency_p95_ms": latency },
        "last_signal_at": probed_at, "age_hours": 0.0, "source": "handshake", "freshness": 1.0,
    });
    assert_eq!(answer, expected);
    let by_alias = liveness(&registry, json!({ "id": id })).await;
    assert_eq!(by_alias["listing_id"], json!(id), "`id` is not accepted as an alias of `listing_id`");
}

#[tokio::test]
async fn age_counts_from_the_last_successful_handshake() {
    let (registry, peer, id) = live_agent().await;
    let first = liveness(&registry, json!({ "listing_id": id })).await["last_signal_at"].clone();

    registry.advance_to(recheck_at(&registry, &id).await);
    peer.answer_with(agents::only(404));
    registry.recheck().await;
    let failed = liveness(&registry, json!({ "listing_id": id })).await;
    assert_eq!(failed["last_signal_at"], first, "a failed recheck was counted as a signal");
    assert!(failed["age_hours"].as_f64().unwrap() > 24.0, "{failed}");
    let text = registry.send_message(&json!({ "text": format!("is {id} alive?") })).await.to_string();
    for words in [
        "is active (Live); its last probe failed. Its probes have failed since 2026",
        "; this proof still counts.",
    ] {
        assert!(text.contains(words), "{text}");
    }

    peer.answer_with(agents::newest);
    registry.recheck_after(HOUR).await;
    let answered = liveness(&registry, json!({ "listing_id": id })).await;
    assert_eq!(answered["last_signal_at"], json!(registry.now()));
    assert_eq!((&answered["age_hours"], &answered["freshness"]), (&json!(0.0), &json!(1.0)));
}

#[tokio::test]
async fn listing_is_live_until_its_proof_expires() {
    let (registry, _peer, id) = live_agent().await;
    registry.advance(DAY * 7);
    let at_the_end = liveness(&registry, json!({ "listing_id": id })).await;
    assert_eq!((&at_the_end["live"], &at_the_end["age_hours"]), (&json!(true), &json!(168.0)));
    registry.advance(TICK);
    let after = liveness(&registry, json!({ "listing_id": id })).await;
    assert_eq!((&after["live"], &after["age_hours"]), (&json!(false), &json!(168.1)));
    assert_eq!(after["lane"], "queued", "it does not wait for the next probe");

    let options = TestOptions::default().with_setting("RECHECK_DAYS", 14);
    let (registry, _peer, id) = live_agent_with(options).await;
    registry.advance(DAY * 8);
    let after_a_week = liveness(&registry, json!({ "listing_id": id })).await;
    assert_members(&after_a_week, &json!({ "live": true, "lane": "active", "age_hours": 192.0 }));
}

#[tokio::test]
async fn max_hours_from_0_to_168_limits_the_age_of_the_last_signal() {
    let (registry, _peer, id) = live_agent().await;
    registry.advance(DAY);
    for (max_hours, live) in [
        (json!(168), true),
        (json!(24.5), true),
        (json!(24), true),
        (json!(23.5), false),
        (json!(0), false),
        (Value::Null, true),
    ] {
        let answer = liveness(&registry, json!({ "listing_id": id, "max_hours": max_hours })).await;
        assert_eq!(answer["live"], live, "within {max_hours}: {answer}");
        let evidence = (&answer["age_hours"], &answer["freshness"]);
        assert_eq!(evidence, (&json!(24.0), &json!(1.0)), "`max_hours` changed the evidence");
    }
    for (max_hours, code) in [
        (json!(-1), "out_of_range"),
        (json!(168.1), "out_of_range"),
        (json!(1e300), "out_of_range"),
        (json!("a day"), "invalid_argument"),
        (json!([24]), "invalid_argument"),
    ] {
        let arguments = json!({ "listing_id": id, "max_hours": max_hours });
        let problem = registry.refused_tool("check_liveness", &arguments).await;
        assert_members(&problem, &json!({ "status": 422, "field": "max_hours", "code": code }));
        let detail = problem["detail"].as_str().unwrap();
        assert!(code == "out_of_range" || detail.ends_with("expected a number."), "{max_hours}: {detail}");
    }
}

#[tokio::test]
async fn listing_that_never_answered_has_no_signal() {
    let registry = TestRegistry::start().await;
    let (silent, waiting) = (Peer::start(agents::only(404)).await, Peer::start(agents::newest).await);
    let failed = registry.publish_card(&silent.card()).await;
    registry.deliver_events().await;
    let queued = registry.publish_card(&waiting.card()).await;
    let asked = registry.status(&failed).await["probe"]["probed_at"].clone();
    let of_failed = json!({ "state": "absent", "asked_at": asked, "failing_since": asked });
    for (id, lane, shown) in
        [(failed, "needs_fix", of_failed), (queued, "queued", json!({ "state": "absent" }))]
    {
        let expected = json!({
            "ok": true, "listing_id": id, "live": false, "lane": lane, "liveness": shown,
            "last_signal_at": null, "age_hours": null, "source": "none", "freshness": 0.0,
        });
        assert_eq!(liveness(&registry, json!({ "listing_id": id })).await, expected);
    }
}
