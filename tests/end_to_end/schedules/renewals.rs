//! Tests what ticks do with the budget that is left: they renew the oldest proofs of Live listings. Also tests what a
//! failed renewal leads to, and how the liveness of a listing is shown.

use tests::prelude::*;

use super::talk::kinds;
use crate::fixtures::{live_agent, live_fleet, queued_agent, time};

/// The state in the status. The test `every_surface_states_the_same_facts` compares it with other operations.
async fn state(registry: &TestRegistry, id: &ListingId) -> String {
    registry.status(id).await["liveness"]["state"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn tick_renews_a_proof_that_is_no_longer_fresh() {
    let (registry, peer, id) = live_agent().await;
    let before = registry.status(&id).await;
    registry.advance(HOUR * 5);
    peer.forget_requests();
    assert_eq!(registry.tick().await["claimed"], 0, "the proof is fresh");
    let report = registry.tick_after(HOUR * 4).await;
    assert_eq!((&report["renewed"], &report["ok"]), (&json!(1), &json!(1)), "{report}");
    let sent = ["GET /.well-known/agent-card.json", "GetTask"];
    assert_eq!(peer.request_names(), sent, "an agent gets no message for a renewal");
    let after = registry.status(&id).await;
    let (now, score) = (registry.now(), &before["probe"]["score"]);
    let renewed = json!({ "/probe/probed_at": now, "/liveness/asked_at": now, "/probe/score": score,
        "/log/event": "confirmed" });
    assert_members(&after, &renewed);
    assert_eq!(after["evidence"]["answers"], Value::Null);
    assert!(time(&after["recheck_at"]) > time(&before["recheck_at"]));
    assert_eq!(registry.feed_types().await, ["listing_live", "listing_queued"]);
    assert_eq!(kinds(&registry, &id).await, ["welcome"]);
}

/// The message may cost the agent money.
#[tokio::test]
async fn agent_gets_the_message_once_a_week() {
    let (registry, peer, id) = live_agent().await;
    peer.forget_requests();
    for _ in 0..14 * 4 {
        registry.tick_after(HOUR * 6).await;
        registry.recheck().await;
    }
    assert_eq!(peer.request_count("SendMessage"), 2);
    assert!(peer.request_count("GetTask") > 20, "{}", peer.request_count("GetTask"));
    let (week, status) = (&registry.probe_statistics().await["weekly_recheck"], registry.status(&id).await);
    assert_eq!((&week["rechecked_this_week"], &week["still_ok_this_week"]), (&json!(1), &json!(1)));
    assert_eq!(status["liveness"]["uptime_7d_percent"], json!(100.0));
    assert_eq!(kinds(&registry, &id).await, ["recheck", "recheck", "welcome"], "one message a week");
    let trail = registry.app.store.traces_at(&id, 1, registry.now()).await.unwrap().0.unwrap();
    assert!(trail.values.attraction < 3.0, "renewals are not use: {trail:?}");
}

#[tokio::test]
async fn failed_renewal_leads_to_a_demotion_within_hours() {
    let (registry, peer, id) = live_agent().await;
    assert_eq!(state(&registry, &id).await, "proven");
    peer.answer_with(agents::only(404));
    assert_eq!(registry.tick_after(HOUR * 9).await["rejected"], 1);
    let failed = registry.now();
    assert_eq!(registry.lane(&id).await, "active");
    assert_eq!(state(&registry, &id).await, "failing");
    let status = registry.status(&id).await;
    assert_eq!(time(&status["liveness"]["failing_since"]), failed);
    assert!(time(&status["probe"]["probed_at"]) < failed, "the last proof is still shown");
    let arguments = json!({ "listing_id": id, "type": "probe_clean" });
    let signed = registry.call_tool("attest", &arguments).await["attestation"]["claims"].clone();
    assert_eq!((&signed["clean"], &signed["asked_at"]), (&json!(false), &json!(failed)), "{signed}");
    let clean = registry.call_tool("probe_clean", &json!({ "listing_id": id })).await;
    assert_eq!(clean["clean"], false, "{clean}");
    let page = registry.text(&format!("/list/{id}")).await;
    assert_contains(&page, &["Fails since", "Live, last probe failed"]);
    // The recheck runs at each full hour, and takes some seconds.
    for hour in 1..=3 {
        assert_eq!(registry.lane(&id).await, "active", "hour {hour}");
        registry.tick_after(TICK * 10).await;
        assert_eq!(registry.recheck().await["claimed"], 1, "hour {hour}");
        assert_eq!(registry.status(&id).await["liveness"]["failing_since"], json!(failed));
    }
    assert_eq!(registry.lane(&id).await, "demoted");
    assert_eq!(state(&registry, &id).await, "absent");
    peer.answer_with(agents::newest);
    registry.tick_after(DAY).await;
    // It answered for 9 hours, and did not for the next 27.
    let proven = json!({ "state": "proven", "/failing_since": null, "uptime_90d_percent": 25.0 });
    let status = registry.status(&id).await;
    assert_eq!(status["lane"], "active");
    assert_members(&status["liveness"], &proven);
}

#[tokio::test]
async fn renewal_that_finds_a_server_out_of_order_does_not_demote_when_it_recovers() {
    let (registry, peer, id) = live_agent().await;
    peer.answer_with(agents::only(404));
    registry.tick_after(HOUR * 9).await;
    peer.answer_with(agents::newest);
    assert_eq!(registry.recheck_after(HOUR).await["ok"], 1);
    let status = registry.status(&id).await;
    assert_eq!((&status["liveness"]["state"], status.get("failed_recheck_hours")), (&json!("proven"), None));
    assert_eq!(peer.request_count("SendMessage"), 2, "the recheck is whole");
}

#[tokio::test]
async fn stale_failing_and_absent_are_different_states() {
    let (registry, peer, id) = live_agent().await;
    let liveness = async |hours: f64| {
        let arguments = json!({ "listing_id": id, "max_hours": hours });
        let answer = registry.call_tool("check_liveness", &arguments).await;
        (answer["live"].clone(), answer["liveness"]["state"].clone())
    };
    registry.advance(HOUR * 3);
    assert_eq!(liveness(4.0).await, (json!(true), json!("proven")));
    assert_eq!(liveness(2.0).await, (json!(false), json!("stale")), "older than the caller accepts");
    // Nothing runs for a week.
    registry.advance(DAY * 7);
    assert_eq!(registry.lane(&id).await, "queued");
    assert_eq!(state(&registry, &id).await, "stale");
    peer.answer_with(agents::only(503));
    registry.tick().await;
    assert_eq!(state(&registry, &id).await, "failing");
    let new = registry.publish_card(&peer.url("/other/card.json")).await;
    assert_eq!(state(&registry, &new).await, "absent");
}

#[tokio::test]
async fn renewals_leave_budget_for_new_listings_and_come_last() {
    let (registry, [peer, _servers], _ids) = live_fleet(40, 0).await;
    let mut settings = registry.app.settings.clone();
    (settings.probe_window_cap, settings.probes_per_tick) = (16, 16);
    let app = registry.app.with_settings(settings);
    registry.advance(HOUR * 9);
    registry.publish_card(&peer.url("/new-1/card.json")).await;
    registry.publish_card(&peer.url("/new-2/card.json")).await;
    registry.events();
    let tick = json!({ "detail-type": "probe-tick" });
    let report = probe_tick::handle(&app, tick).await.unwrap();
    assert_eq!(report["probed"], 14, "two of 16 are left: {report}");
    assert_eq!(report["renewed"], 12, "{report}");
    let late = registry.publish_card(&peer.url("/new-3/card.json")).await;
    let event = tests::test_registry::listing_queued_event(&late);
    registry.advance(std::time::Duration::from_secs(1));
    assert_eq!(probe_tick::handle(&app, event).await.unwrap()["ok"], 1);
}

#[tokio::test]
async fn oldest_proofs_are_renewed_first() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with(|settings| settings.probes_per_tick = 1)).await;
    let peer = Peer::start(agents::fleet).await;
    for folder in ["a", "b", "c"] {
        registry.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
        registry.advance(HOUR * 3);
    }
    registry.advance(HOUR * 9);
    peer.forget_requests();
    for _ in 0..4 {
        registry.tick().await;
        registry.advance(TICK);
    }
    let served: Vec<String> =
        peer.request_names().into_iter().filter(|what| what.starts_with("GET")).collect();
    assert_eq!(served, ["a", "b", "c"].map(|folder| format!("GET /{folder}/card.json")), "each once");
}

#[tokio::test]
async fn publishing_a_live_listing_again_probes_it_unless_its_proof_is_fresh() {
    let (registry, peer, id) = live_agent().await;
    registry.advance(HOUR * 5);
    registry.events();
    let fresh = registry.publish(&json!({ "url": peer.card() })).await;
    let message = "This listing is already Live. Nothing was changed.";
    assert_members(&fresh, &json!({ "status": "active", "message": message }));
    assert!(registry.events().is_empty());
    registry.advance(HOUR * 4);
    let old = registry.publish(&json!({ "url": peer.card() })).await;
    assert_eq!((&old["status"], &old["next"]["wait_s"]), (&json!("active"), &json!(2)), "{old}");
    assert!(old["message"].as_str().unwrap().contains("probed again now"), "{old}");
    peer.forget_requests();
    registry.deliver_events().await;
    assert_eq!(peer.request_count("SendMessage"), 1, "the probe is whole");
    assert_eq!(time(&registry.status(&id).await["probe"]["probed_at"]), registry.now());
    peer.forget_requests();
    registry.advance(HOUR);
    registry.first_probe(&id).await;
    assert_eq!(peer.request_names(), [""; 0], "a late event of a fresh listing probes nothing");
}

/// Otherwise anybody could delay the demotion of a listing.
#[tokio::test]
async fn publishing_a_failing_listing_again_does_not_delay_its_recheck() {
    let (registry, peer, id) = live_agent().await;
    peer.answer_with(agents::only(404));
    registry.tick_after(HOUR * 9).await;
    for _ in 0..3 {
        for _ in 0..9 {
            registry.advance(TICK);
            registry.publish(&json!({ "url": peer.card() })).await;
            registry.deliver_events().await;
            registry.first_probe(&id).await;
        }
        registry.recheck_after(TICK * 2).await;
    }
    assert_eq!(registry.lane(&id).await, "demoted");
}

/// A silent server is not asked every hour for a week.
#[tokio::test]
async fn silent_server_is_asked_less_often_until_its_proof_expires() {
    let (registry, peer, id) = live_agent().await;
    registry.advance(HOUR * 9);
    peer.answer_with(agents::only(503));
    peer.forget_requests();
    registry.tick().await;
    let reason = registry.status(&id).await["lane_reason"].to_string();
    assert!(reason.contains("proof expires"), "{reason}");
    let mut hours = 0;
    while registry.lane(&id).await == "active" {
        registry.recheck_after(HOUR).await;
        hours += 1;
    }
    assert!((24 * 7 - 11..24 * 7 - 8).contains(&hours), "fell after {hours} hours");
    let asked = peer.request_count("GET /.well-known/agent-card.json");
    assert!((20..40).contains(&asked), "asked {asked} times");
}

#[tokio::test(flavor = "multi_thread")]
async fn renewal_costs_one_claim_and_one_transaction() {
    let registry = TestRegistry::start_with(TestOptions::default().delivered_once()).await;
    let peer = Peer::start(agents::fleet).await;
    registry.publish_fleet(&peer, 0..20).await;
    registry.deliver_events().await;
    // The first renewal is also counted in its week.
    registry.tick_after(HOUR * 9).await;
    registry.tick_after(HOUR * 5).await;
    registry.advance(TICK);
    let cost = async |renewed: u64| {
        let before = registry.observer.tally.snapshot();
        registry.observer.meter.start();
        assert_eq!(registry.tick().await.get("renewed").and_then(Value::as_u64).unwrap_or(0), renewed);
        (registry.observer.tally.since(&before), registry.observer.meter.stop())
    };
    let (idle, _) = cost(0).await;
    registry.advance(HOUR * 4);
    let (calls, units) = cost(20).await;
    let looks = calls.total() - idle.total();
    // A claim and the verdict of each, and at worst the budget of each alone. Together they take one batch of the due queue and
    // some batches of the log. The slots of their host are leased, and the leases are ended: eight calls.
    assert!(looks <= 20 * 3 + 22 + 8, "{calls:?}");
    // How many leaves share a batch of the log depends on the time, so the six units of each batch are left out.
    let batches = calls.of("TransactWriteItems") - 20;
    let per_look = (units.write - 6.0 * batches as f64) / 20.0;
    assert!(per_look < 38.0, "{per_look} write units for each renewal");
}

#[tokio::test]
async fn due_time_is_never_shown_in_the_past() {
    let (registry, _peer, id) = queued_agent(|_: &PeerRequest| empty(503)).await;
    registry.first_probe(&id).await;
    registry.advance(HOUR);
    let status = registry.status(&id).await;
    assert_eq!(time(&status["retry_at"]), registry.now(), "a due time is never in the past");
    registry.advance(std::time::Duration::from_secs(1));
    let status = registry.status(&id).await;
    assert_eq!(status["next"]["wait_s"], TICK.as_secs() - 1, "the next tick decides: {status}");
    let live = Peer::start(agents::newest).await;
    let id = registry.live_card(&live.card()).await;
    registry.advance(DAY * 7 - HOUR);
    let wait = time(&registry.status(&id).await["recheck_at"]).duration_since(registry.now());
    assert!(wait.is_positive() && wait.as_secs() <= 360, "the next tick renews it: {wait:?}");
    let page = registry.text(&format!("/list/{id}")).await;
    assert_contains(&page, &["The next probe is at the latest"]);
}
