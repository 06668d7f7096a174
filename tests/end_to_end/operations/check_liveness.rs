//! Tests `check_liveness`: the age of a listing's last answer, whether this answer is recent enough, and a
//! freshness that halves with time. The tests set the clock.

use insta::assert_snapshot;
use tests::prelude::*;

use crate::fixtures::{live_agent, live_agent_with, recheck_at, refused_arguments, shown};

async fn liveness(registry: &TestRegistry, arguments: Value) -> Value {
    registry.call_tool("check_liveness", &arguments).await
}

#[tokio::test]
async fn listing_that_just_answered_is_live_with_the_full_freshness() {
    let (registry, _peer, id) = live_agent().await;
    let answer = liveness(&registry, json!({ "listing_id": id })).await;
    let probe = registry.status(&id).await["probe"]["probed_at"].clone();
    assert_eq!((&answer["liveness"]["asked_at"], &answer["last_signal_at"]), (&probe, &probe));
    assert_snapshot!(shown(&registry, &answer));
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
    let words = "is active (Live); its last probe failed. Its probes have failed since 2026";
    assert_contains(&text, &[words, "; this proof still counts."]);

    peer.answer_with(agents::newest);
    registry.recheck_after(HOUR).await;
    let answered = liveness(&registry, json!({ "listing_id": id })).await;
    let fresh = json!({ "last_signal_at": registry.now(), "age_hours": 0.0, "freshness": 1.0 });
    assert_members(&answered, &fresh);
}

#[tokio::test]
async fn listing_is_live_until_its_proof_expires() {
    for (days, wait, live, age) in
        [(7, DAY * 7, true, 168.0), (7, DAY * 7 + TICK, false, 168.1), (14, DAY * 8, true, 192.0)]
    {
        let options = TestOptions::default().with_setting("RECHECK_DAYS", days);
        let (registry, _peer, id) = live_agent_with(options).await;
        registry.advance(wait);
        // A listing whose proof has expired waits for the next probe.
        let lane = if live { "active" } else { "queued" };
        let answer = liveness(&registry, json!({ "listing_id": id })).await;
        assert_members(&answer, &json!({ "live": live, "lane": lane, "age_hours": age }));
    }
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
    let invalid = [json!(-1), json!(168.1), json!(1e300), json!("a day"), json!([24])];
    let invalid = invalid.map(|hours| json!({ "max_hours": hours }));
    assert_snapshot!(
        refused_arguments(&registry, "check_liveness", &json!({ "listing_id": id }), invalid).await
    );
}

#[tokio::test]
async fn listing_that_never_answered_has_no_signal() {
    let registry = TestRegistry::start().await;
    let (silent, waiting) = (Peer::start(agents::only(404)).await, Peer::start(agents::newest).await);
    let failed = registry.publish_card(&silent.card()).await;
    registry.deliver_events().await;
    let queued = registry.publish_card(&waiting.card()).await;
    let of_failed = liveness(&registry, json!({ "listing_id": failed })).await;
    let of_queued = liveness(&registry, json!({ "listing_id": queued })).await;
    assert_snapshot!(shown(&registry, &json!({ "failed": of_failed, "queued": of_queued })));
}
