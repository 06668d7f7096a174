//! Tests the `weekly-recheck` schedule. The tests move the clock. Every Live listing is probed again within a week. A listing
//! that fails in three different hours is demoted. A failed score and reports of failures bring a recheck forward.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use registry::model::{Lane, Listing};
use tests::peers::error;
use tests::prelude::*;
use tests::template::sample_event;

use crate::fixtures::{demote, go_live_again, live_agent, live_fleet, recheck_at, recheck_due, time};

#[tokio::test]
async fn rechecks_happen_within_a_week_and_are_spread_over_two_hours() {
    let registry = TestRegistry::start_for_fleet().await;
    let peer = Peer::start(agents::fleet).await;
    let mut minutes = BTreeSet::new();
    for folder in 0..30 {
        let id = registry.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
        let ahead = recheck_at(&registry, &id).await.duration_since(registry.now());
        assert!(ahead >= jiff::SignedDuration::from_hours(6 * 24), "{ahead}: too early");
        assert!(ahead <= jiff::SignedDuration::from_hours(6 * 24 + 2), "{ahead}: too late");
        minutes.insert(ahead.as_mins());
    }
    assert!(minutes.len() >= 15, "thirty listings are due in only {minutes:?}");
    registry.advance(DAY * 6);
    for hour in 0..24 {
        registry.advance(HOUR);
        if hour % 6 == 0 {
            registry.tick().await;
        }
        registry.recheck().await;
    }
    let rows = registry.get("/api/listings/active?limit=100").await.body["agents"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 30);
    for row in rows.as_array().unwrap() {
        assert!(row["probe"]["age_hours"].as_f64().unwrap() < 7.0 * 24.0, "{row}");
    }
}

#[tokio::test]
async fn recheck_parts_cover_each_listing_once() {
    let (registry, _peers, _) = live_fleet(24, 0).await;
    registry.advance(DAY * 7);
    let mut event = sample_event("recheck-part");
    let mut probed = Vec::new();
    for part in ["01-00000000", "01-00000001"] {
        event["detail"]["part"] = json!(part);
        for is_repeated in [false, true] {
            let ok = registry.run("weekly-recheck", event.clone()).await["ok"].as_u64().unwrap();
            assert!(!is_repeated || ok == 0, "a repeated part probes no listing again");
            probed.push(ok);
        }
    }
    assert_eq!(probed.iter().sum::<u64>(), 24);
    assert!(probed[0] > 0 && probed[2] > 0, "{probed:?}");
    assert_eq!(registry.recheck().await["claimed"], 0);
    event["detail"]["part"] = json!("all of it");
    assert!(weekly_recheck::handle(&registry.app, event).await.is_err());
}

#[tokio::test]
async fn failures_in_three_different_hours_demote_a_listing() {
    let (registry, peer, id) = live_agent().await;
    registry.advance_to(recheck_at(&registry, &id).await);
    peer.answer_with(agents::only(404));
    for failed in 1..=2 {
        registry.recheck().await;
        let status = registry.status(&id).await;
        // The last proof is still shown, and what failed since.
        let failing = json!({ "lane": "active", "failed_recheck_hours": failed, "/probe/handshake": "ok",
            "/reasons/0/code": "card_404", "/next/action": "fix" });
        assert_members(&status, &failing);
        // Only the recheck probes it again, at a full hour.
        let next = time(&status["recheck_at"]);
        let wait = (next.duration_since(registry.now()).as_millis() + 999) / 1000;
        assert_eq!((next.as_millisecond() % 3_600_000, &status["next"]["wait_s"]), (0, &json!(wait)));
        // `every_surface_states_the_same_facts` compares the other surfaces.
        registry.settle();
        let row = &registry.get("/api/listings/active").await.body["agents"][0];
        for next in [&row["next"], &row["activation"]["next"]] {
            assert!(next.to_string().starts_with("\"Its last probe failed"), "{row}");
        }
        for (path, text) in [
            (format!("/badge/clean.svg?id={id}"), "last probe failed"),
            (format!("/badge/verified.svg?id={id}"), "last probe failed"),
            (format!("/list/{id}"), "card fail 404 (no card)"),
            ("/list".to_owned(), "later probe failed"),
        ] {
            assert_contains(&registry.text(&path).await, &[text]);
        }
        if failed == 1 {
            let body = json!({ "listing_id": id, "sku": "recursive" });
            let demo = registry.post("/api/products/demo", &body).await.body.to_string();
            let marked = "`card_404`: must be fixed to be or stay Live; the last probe failed: ";
            assert!(demo.contains(marked), "{demo}");
        }
        let week = json!({ "rechecked_this_week": 1, "still_ok_this_week": 0, "next_due_at": next });
        let statistics = registry.probe_statistics().await;
        assert_members(&statistics["weekly_recheck"], &week);
        assert_eq!(statistics["outcomes"]["unique_primaries"], 1, "{statistics}");
        assert_eq!(registry.live_counts().await, (1, 0));
        registry.advance_to(next);
    }
    registry.recheck().await;
    let demoted = json!({ "lane": "demoted", "/reasons/0/code": "card_404" });
    assert_members(&registry.status(&id).await, &demoted);
    assert_eq!(registry.live_counts().await, (0, 0));
    assert_eq!(registry.feed_types().await[0], "listing_demoted");
    let counted = async || {
        let week = &registry.probe_statistics().await["weekly_recheck"];
        ["rechecked_this_week", "still_ok_this_week", "demoted_this_week"].map(|name| week[name].clone())
    };
    assert_eq!(counted().await, [1, 0, 1].map(|count| json!(count)), "a listing counts once");

    go_live_again(&registry, &peer, &id).await;
    assert_eq!(registry.status(&id).await["reasons"], json!([]));
    assert_eq!(registry.live_counts().await, (1, 0));
    assert_eq!(registry.feed_types().await[0], "listing_live");
    assert_eq!(registry.tick_after(HOUR * 9).await["renewed"], 1);
    assert_eq!(counted().await, [1, 1, 1].map(|count| json!(count)), "also if it is Live again");
}

#[tokio::test]
async fn demoted_agent_needs_a_complete_probe_to_become_live_again() {
    let (registry, peer, id) = live_agent().await;
    demote(&registry, &peer, &id).await;

    // GetTask alone is not enough; the agent must answer a message.
    peer.answer_with(|request| match (request.verb.as_str(), request.method()) {
        ("POST", Some("SendMessage")) => error(request, -32603, "Out of order"),
        _ => agents::newest(request),
    });
    registry.publish_card(&peer.card()).await;
    let status = registry.probed_status(&id).await;
    assert_eq!((&status["lane"], registry.live_counts().await), (&json!("demoted"), (0, 0)), "{status}");

    go_live_again(&registry, &peer, &id).await;
}

#[tokio::test]
async fn trailing_slash_of_a_live_endpoint_may_change() {
    let (registry, peer, id) = live_agent().await;
    let origin = peer.origin.clone();
    for end in ["/rpc/", "/rpc"] {
        let url = format!("{origin}{end}");
        peer.answer_with(move |request| match request.verb.as_str() {
            "GET" => json_answer(200, &agents::card_at("Adder", &url)),
            _ => agents::speaks_newest(request),
        });
        recheck_due(&registry, &id).await;
        let target = format!("{origin}{end}");
        let recorded = json!({ "lane": "active", "/probe/age_hours": 0.0, "/probe/target": target });
        assert_members(&registry.status(&id).await, &recorded);
    }
}

async fn stored(registry: &TestRegistry, id: &ListingId) -> Listing {
    registry.app.store.listing(id).await.unwrap().unwrap()
}

async fn score(registry: &TestRegistry, peer: &Peer) {
    assert_eq!(registry.get(&format!("/api/score?url={}", peer.card())).await.status, 200);
}

async fn is_due(registry: &TestRegistry, id: &ListingId) -> bool {
    stored(registry, id).await.schedule.due_at <= registry.now()
}

#[tokio::test]
async fn failed_score_makes_a_live_listing_due_at_most_once_in_six_hours() {
    let (registry, peer, id) = live_agent().await;
    registry.advance(HOUR);
    score(&registry, &peer).await;
    assert!(!is_due(&registry, &id).await, "a score that succeeds changes nothing");
    peer.answer_with(agents::only(404));
    score(&registry, &peer).await;
    assert!(is_due(&registry, &id).await);
    let hastened = stored(&registry, &id).await;
    assert_eq!(
        (hastened.schedule.failures, hastened.schedule.strikes.len(), hastened.lane),
        (0, 0, Lane::Active)
    );

    // The probe decides: the agent answers again, and its proof is renewed.
    peer.answer_with(agents::newest);
    registry.tick().await;
    let renewed = stored(&registry, &id).await;
    assert_eq!(renewed.proof.last_ok_at, Some(registry.now()));
    peer.answer_with(agents::only(404));
    for _ in 0..5 {
        registry.advance(HOUR);
        score(&registry, &peer).await;
        assert_eq!(
            stored(&registry, &id).await.schedule.due_at,
            renewed.schedule.due_at,
            "hastened again within six hours"
        );
    }
    registry.advance(HOUR);
    score(&registry, &peer).await;
    assert!(is_due(&registry, &id).await);

    // The probe of the tick fails. This is no strike, and the recheck confirms it.
    registry.tick().await;
    let failed = stored(&registry, &id).await;
    assert_eq!((failed.schedule.failures, failed.schedule.strikes.len(), failed.lane), (1, 0, Lane::Active));
    let due_at = failed.schedule.due_at;
    score(&registry, &peer).await;
    assert_eq!(stored(&registry, &id).await.schedule.due_at, due_at, "a failing listing is not hastened");
}

#[tokio::test]
async fn three_sources_that_report_a_failure_within_a_day_make_a_listing_due() {
    let (registry, _peer, id) = live_agent().await;
    let report = async |source: u8, ok: bool| {
        let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, source));
        let body = json!({ "action": "deposit_outcome", "listing_id": id, "ok": ok });
        let reply = registry.post_from(address, "/api/products/interop", &body).await;
        assert_eq!((reply.status, &reply.body["counted"]), (200, &json!(true)), "{reply:?}");
    };
    report(11, false).await;
    registry.advance(HOUR * 26);
    for _ in 0..3 {
        registry.advance(HOUR);
        report(12, false).await;
    }
    report(13, false).await;
    report(14, true).await;
    assert!(!is_due(&registry, &id).await, "two sources within a day are not enough");
    report(15, false).await;
    assert!(is_due(&registry, &id).await);
    let hastened = stored(&registry, &id).await;
    assert_eq!(
        (hastened.schedule.failures, hastened.schedule.strikes.len()),
        (0, 0),
        "a report is no failure"
    );
    registry.tick().await;
    assert_eq!(registry.lane(&id).await, "active");
    assert!(!is_due(&registry, &id).await);
}
