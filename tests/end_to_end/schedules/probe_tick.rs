//! Tests the `probe-tick` schedule: the probe budget, the order of the queue, and how a run reserves a
//! listing. All processes together run at most four probes at one host.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join_all;
use jiff::SignedDuration;
use registry::events;
use registry::model::Random;
use registry::probe::run::first_probe;
use registry::settings::Settings;
use registry::store::{DueClass, HostLease, SLOTS_PER_HOST};
use tests::prelude::*;
use tests::test_registry::{listing_queued_event, snapshot_of};

use super::evidence_log::add_attestation_leaf;
use crate::fixtures::{live_agent, recheck_at, time};

#[tokio::test]
async fn listings_beyond_the_probe_budget_wait_for_the_next_period() {
    let window_cap: fn(&mut Settings) = |settings| {
        (settings.probe_window_cap, settings.probes_per_tick) = (6, 6);
    };
    for (cap, bucket, used) in [
        (window_cap, TICK, "window_used"),
        (|settings| settings.probe_hourly_cap = 6, HOUR, "hourly_used"),
        (|settings| settings.probe_daily_budget = 6, DAY, "used"),
    ] {
        // Half of the budget is for listings that have been Live or are proven.
        let registry = TestRegistry::start_with(TestOptions::default().with(cap)).await;
        let peer = Peer::start(agents::fleet).await;
        let ids = registry.publish_fleet(&peer, 0..7).await;
        // Events come first, then ticks; together they use up the budget.
        for id in &ids[..2] {
            registry.first_probe(id).await;
        }
        for _ in 0..3 {
            registry.tick().await;
        }
        assert_eq!(registry.live_counts().await, (3, 0), "{used}");
        assert_eq!(registry.probe_statistics().await[used], 3);
        let mut waiting = Vec::new();
        for id in &ids {
            let status = registry.status(id).await;
            if status["lane"] == "queued" {
                assert_eq!(status.get("probe"), None, "{used}: {status}");
                waiting.push(id);
            }
        }
        let late = registry.first_probe(waiting[0]).await;
        assert_eq!((&late["released"], &late["probed"]), (&json!(1), &json!(0)), "{used}: {late}");
        assert_eq!((registry.lane(waiting[0]).await.as_str(), waiting.len()), ("queued", 4), "{used}");
        for live in [6, 7] {
            registry.tick_after(bucket).await;
            assert_eq!(registry.live_counts().await, (live, 0), "{used}");
        }
    }
}

/// With 16 probes an hour, unproven listings get 8, and each domain gets one.
#[tokio::test]
async fn junk_of_one_domain_does_not_stop_other_probes() {
    let registry = TestRegistry::start_with_setting("PROBE_HOURLY_CAP", 16).await;
    let server = Peer::start(servers::modern).await;
    let (peer, live) = live_due_for_recheck(&registry).await;
    let at = |host: &str| server.url("/mcp").replace("127.0.0.1", host);
    let mut junk = Vec::new();
    for number in 0..20 {
        junk.push(registry.publish_mcp(&at(&format!("{number}.junk.localhost"))).await);
    }
    for id in &junk {
        registry.first_probe(id).await;
    }
    assert_eq!(registry.live_counts().await, (1, 1));
    registry.advance(Duration::from_secs(1));
    let by_event = registry.publish_mcp(&at("a.other.localhost")).await;
    assert_eq!(registry.first_probe(&by_event).await["ok"], 1, "the listing of another domain was refused");
    let by_tick = registry.publish_mcp(&at("a.third.localhost")).await;
    let report = registry.tick().await;
    assert_eq!(report["ok"], 2, "{report}");
    assert_eq!(registry.lane(&by_tick).await, "active");
    assert_eq!(peer.request_count("SendMessage"), 1, "no recheck: {}", registry.status(&live).await);
    // The refused listings wait in the queue.
    for servers in [4, 5] {
        registry.tick_after(HOUR).await;
        assert_eq!(registry.live_counts().await, (1, servers));
    }
}

#[tokio::test]
async fn junk_of_many_domains_gets_half_of_the_probe_budget() {
    let registry = TestRegistry::start_with_setting("PROBE_HOURLY_CAP", 8).await;
    let server = Peer::start(servers::modern).await;
    let (peer, live) = live_due_for_recheck(&registry).await;
    // The budget of an hour is new at its start.
    let second = u64::try_from(registry.now().as_second()).unwrap();
    registry.advance(Duration::from_secs(3600 - second % 3600));
    for number in 0..12 {
        let host = format!("junk{number}.localhost");
        registry.publish_mcp(&server.url("/mcp").replace("127.0.0.1", &host)).await;
    }
    let report = registry.tick().await;
    assert_eq!((&report["ok"], registry.live_counts().await), (&json!(5), (1, 4)), "{report}");
    assert_eq!(peer.request_count("SendMessage"), 1, "no recheck: {}", registry.status(&live).await);
    let report = registry.tick_after(TICK).await;
    assert_eq!(report["claimed"], 0, "listings were claimed although their part is used up: {report}");
}

async fn live_due_for_recheck(registry: &TestRegistry) -> (Peer, ListingId) {
    let peer = Peer::start(agents::newest).await;
    let id = registry.live_card(&peer.card()).await;
    registry.advance_to(recheck_at(registry, &id).await);
    peer.forget_requests();
    (peer, id)
}

#[tokio::test]
async fn preflight_that_rejects_a_listing_uses_no_probe_budget() {
    let registry = TestRegistry::start_with_setting("PROBE_WINDOW_CAP", 1).await;
    let peer = Peer::start(agents::only(404)).await;
    registry.publish_fleet(&peer, 0..9).await;
    let sound = Peer::start(agents::newest).await;
    registry.advance(Duration::from_secs(1));
    let good = registry.publish_card(&sound.card()).await;
    let report = registry.tick().await;
    assert_eq!((&report["rejected"], &report["probed"]), (&json!(9), &json!(1)), "{report}");
    assert_eq!(registry.lane(&good).await, "active");
    let statistics = registry.probe_statistics().await;
    assert_eq!((&statistics["used"], &statistics["wasted_probes_discarded"]), (&json!(1), &json!(9)));
    let reasons = json!([{ "code": "card_404", "reason": "card fail 404 (no card)", "count": 9 }]);
    assert_eq!(statistics["outcomes"]["fail_reasons"], reasons);
}

/// One due listing of each class, with one probe per tick. A fresh listing is not probed.
#[tokio::test]
async fn due_listings_are_probed_in_the_specified_order() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with(|settings| settings.probes_per_tick = 1)).await;
    let peer = Peer::start(|request: &PeerRequest| match request.path.split('/').nth(1) {
        Some("busy") => empty(503),
        Some("broken") => empty(404),
        _ => agents::fleet(request),
    })
    .await;
    let card = |folder: &str| peer.url(&format!("/{folder}/card.json"));
    registry.live_card(&card("weekly")).await;
    registry.advance(DAY * 5);
    for (folder, lane) in [("broken", "needs_fix"), ("busy", "queued")] {
        let id = registry.publish_card(&card(folder)).await;
        registry.first_probe(&id).await;
        assert_eq!(registry.lane(&id).await, lane);
    }
    registry.advance(DAY * 2 - HOUR);
    registry.live_card(&card("fresh")).await;
    registry.publish_card(&card("new")).await;
    peer.answer_with(agents::fleet);
    peer.forget_requests();
    for _ in 0..6 {
        registry.tick().await;
        registry.advance(TICK);
    }
    let served: Vec<String> =
        peer.request_names().into_iter().filter(|what| what.starts_with("GET")).collect();
    let expected = ["new", "weekly", "busy", "broken"].map(|folder| format!("GET /{folder}/card.json"));
    assert_eq!(served, expected);
    assert_eq!(registry.live_counts().await, (5, 0));
}

/// Random publishes, events, ticks and rechecks at random times.
#[tokio::test]
async fn peer_is_probed_twice_within_six_minutes_only_on_request_and_never_within_half_a_minute() {
    for (seed, publishes, least) in [(0, true, 30), (1, true, 30), (0, false, 360), (2, false, 360)] {
        let registry = TestRegistry::start().await;
        let (random, clock) = (Random::seeded(seed), registry.app.clock.clone());
        let (answers, probed_at) = (Random::seeded(seed + 100), Arc::new(Mutex::new(Vec::new())));
        let recorded = Arc::clone(&probed_at);
        let peer = Peer::start(move |request: &PeerRequest| {
            if request.verb == "GET" {
                recorded.lock().unwrap().push(clock.now());
            }
            match answers.below(4) {
                0 => agents::newest(request),
                1 => empty(404),
                _ => empty(503),
            }
        })
        .await;
        let id = registry.publish_card(&peer.card()).await;
        for _ in 0..120 {
            match random.below(4) {
                0 if publishes => drop(registry.publish(&json!({ "url": peer.card() })).await),
                1 => drop(registry.first_probe(&id).await),
                2 => drop(registry.tick().await),
                _ => drop(registry.recheck().await),
            }
            let jump = if random.below(8) == 0 { random.below(4 * 24 * 3600) } else { random.below(150) };
            registry.advance(Duration::from_secs(jump));
        }
        let probed_at = probed_at.lock().unwrap().clone();
        assert!(probed_at.len() > 5, "seed {seed}: only {} probes", probed_at.len());
        for pair in probed_at.windows(2) {
            let apart = pair[1].duration_since(pair[0]);
            assert!(apart.as_secs() >= least, "seed {seed}: probed at {} and {}", pair[0], pair[1]);
        }
    }
}

/// During a slow probe the lease expires, and another prober finishes.
#[tokio::test(flavor = "multi_thread")]
async fn probe_result_that_arrives_after_the_lease_is_discarded() {
    let registry = TestRegistry::start().await;
    let (app, id) = (registry.app.clone(), Arc::new(Mutex::new(None::<ListingId>)));
    let listing = Arc::clone(&id);
    let peer = Peer::start(move |request: &PeerRequest| {
        let first =
            if request.method() == Some("SendMessage") { listing.lock().unwrap().take() } else { None };
        if let Some(id) = first {
            app.clock.advance(Duration::from_secs(61));
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current()
                    .block_on(probe_tick::handle(&app, listing_queued_event(&id)))
                    .unwrap()
            });
        }
        agents::newest(request)
    })
    .await;
    let published = registry.publish_card(&peer.card()).await;
    *id.lock().unwrap() = Some(published.clone());
    let report = registry.first_probe(&published).await;
    assert_eq!((&report["claimed"], peer.request_count("SendMessage")), (&json!(0), 2), "{report}");
    assert_eq!((registry.lane(&published).await.as_str(), registry.live_counts().await), ("active", (1, 0)));
    assert_eq!(registry.feed_types().await, ["listing_live", "listing_queued"]);
    assert_eq!(registry.probe_statistics().await["outcomes"]["handshake"]["ok"], 1);
}

#[tokio::test]
async fn only_scheduled_ticks_count_for_the_alarm() {
    let (registry, _peer, id) = live_agent().await;
    let [event, tick] = [registry.first_probe(&id).await, registry.tick().await];
    assert_eq!(
        event["metrics"].get("ScheduledTicks"),
        None,
        "an event does not prove that the schedule runs"
    );
    insta::assert_snapshot!(snapshot_of(&json!([event["metrics"], tick["metrics"]]), &[]));
    assert_eq!(registry.tick().await["metrics"]["ScheduledTicks"], 1, "a repeated delivery is on time");
}

#[tokio::test]
async fn tick_reports_how_long_a_recheck_is_overdue() {
    let (registry, peer, id) = live_agent().await;
    peer.answer_with(agents::only(404));
    registry.advance_to(recheck_at(&registry, &id).await);
    // A tick probes due listings too, but only a recheck confirms a failure. Then nothing runs for two days.
    registry.tick().await;
    let waited = registry.tick_after(DAY * 2).await["metrics"]["OldestOverdueRecheck"].as_u64().unwrap();
    assert_eq!(waited, (DAY * 2 - TICK).as_secs());
    registry.recheck().await;
    assert_eq!(registry.tick_after(TICK).await["metrics"]["OldestOverdueRecheck"], 0);
}

#[tokio::test]
async fn tick_reports_how_long_the_log_and_the_search_index_are_late() {
    let (registry, _peer, id) = live_agent().await;
    registry.tick().await;
    let (late, metrics) = (HOUR, ["OldestPendingLeaf", "OldestUnindexedChange"]);
    registry.app.store.mark_listed_dirty(|_| true, registry.now()).await.unwrap();
    add_attestation_leaf(&registry, &id, registry.now(), "att_0123456789ab0123456789ab", "a token").await;
    registry.advance(late);
    let report = registry.with_fault("TransactWriteItems", Fault::Throttle, 50, registry.tick()).await;
    assert_eq!(
        metrics.map(|metric| report["metrics"][metric].as_u64()),
        [Some(late.as_secs()); 2],
        "{report}"
    );
    registry.run("search-index", json!({})).await;
    let report = registry.tick_after(TICK).await;
    assert_eq!(metrics.map(|metric| report["metrics"][metric].as_u64()), [Some(0); 2], "{report}");
}

/// A process that crashes in a probe, or cannot write its verdict, leaves its claim. Each such claim delays the listing
/// further, so that it is not first in every tick.
#[tokio::test]
async fn each_probe_without_a_stored_result_delays_the_next_probe() {
    let (registry, _peer, id) = live_agent().await;
    registry.advance_to(recheck_at(&registry, &id).await);
    let store = &registry.app.store;
    let mut pauses = Vec::new();
    for _ in 0..6 {
        let recheck = registry.recheck();
        let report = registry.with_fault("TransactWriteItems", Fault::Throttle, 50, recheck).await;
        assert_eq!((&report["claimed"], &report["unrecorded"]), (&json!(1), &json!(1)), "{report}");
        let mut minutes = 0;
        while store.due(DueClass::WeeklyDue, registry.now(), None).await.unwrap().0.is_empty() {
            registry.advance(Duration::from_secs(60));
            minutes += 1;
        }
        pauses.push(minutes);
        registry.advance(Duration::from_secs(1));
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32], "minutes");
    let recorded = registry.recheck().await;
    assert_eq!((&recorded["probed"], &recorded["ok"]), (&json!(1), &json!(1)), "{recorded}");
    assert_eq!(store.listing(&id).await.unwrap().unwrap().schedule.lease.token, None);
}

/// On AWS the event comes from a queue, which delivers it again if its report says so. Half of the budget of two probes is
/// for listings that have been Live.
#[tokio::test]
async fn new_listing_stays_in_the_queue_while_the_budget_is_used_up() {
    let registry = TestRegistry::start_with_setting("PROBE_WINDOW_CAP", 2).await;
    let peer = Peer::start(servers::modern).await;
    let [first, second] = ["/1/mcp", "/2/mcp"].map(|path| peer.url(path));
    let (first, second) = (registry.publish_mcp(&first).await, registry.publish_mcp(&second).await);
    let deliver = async |id: &ListingId, received: u32| {
        let mut event = listing_queued_event(id);
        event["id"] = json!("message-1");
        let report = registry.run("probe-tick", events::queued(&event, received)).await;
        (report["probed"].clone(), events::is_unhandled(&report))
    };
    assert_eq!(deliver(&first, 1).await, (json!(1), false));
    assert_eq!(deliver(&second, 1).await, (json!(0), true));
    assert_eq!(deliver(&second, 5).await, (json!(0), false), "the tick probes it");
    assert_eq!(time(&registry.status(&second).await["retry_at"]), registry.now(), "at once, for a minute");
    registry.advance(Duration::from_secs(90));
    let status = registry.status(&second).await;
    let retry = time(&status["retry_at"]);
    assert!(retry > registry.now() && retry.as_second() % 360 == 0, "{retry}");
    let note = status["next"]["note"].as_str().unwrap();
    assert!(note.ends_with("as soon as the probe budget allows it."), "{note}");
    registry.advance(Duration::from_secs(90));
    assert_eq!(deliver(&second, 2).await, (json!(1), false));
    assert_eq!(registry.live_counts().await, (0, 2));
}

/// Many cards on different ports share the host of one interface.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_cards_and_processes_share_the_slots_of_an_interface_host() {
    let registry = TestRegistry::start().await;
    let (slow, most) = Peer::start_slow(Duration::from_millis(30), agents::speaks_newest).await;
    let (mut peers, mut ids) = (Vec::new(), Vec::new());
    for number in 0..3 * SLOTS_PER_HOST {
        // Different endpoints, because listings with the same endpoint are duplicates.
        let card = agents::card_at("Adder", &slow.url(&format!("/rpc/{number}")));
        let peer = Peer::start(move |_| json_answer(200, &card)).await;
        ids.push(registry.publish_card(&peer.card()).await);
        peers.push(peer);
    }
    let other = registry.app.with_settings(registry.app.settings.clone());
    let probes = ids.iter().enumerate().map(|(number, id)| {
        let app = if number % 2 == 0 { &registry.app } else { &other };
        first_probe(app, id)
    });
    for report in join_all(probes).await {
        assert_eq!(report.unwrap().ok, 1, "waiting costs no listing its verdict");
    }
    let most = most.load(Ordering::SeqCst);
    assert!((1..=SLOTS_PER_HOST).contains(&most), "{most} requests at the same time");
    assert_eq!(registry.live_counts().await.0, ids.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn leases_of_a_process_that_died_end_by_themselves() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let id = registry.publish_mcp(&peer.url("/mcp")).await;
    let host = peer.url("");
    let lease = async |own: Option<HostLease>, held: &[HostLease]| {
        let now = registry.now();
        let until = now + SignedDuration::from_secs(45);
        registry.app.store.lease_host_slot(&host, own, held, now, until).await.unwrap()
    };
    let mut held = Vec::new();
    for _ in 0..SLOTS_PER_HOST {
        held.push(lease(None, &[]).await.unwrap());
    }
    assert_eq!(lease(None, &[]).await, None);
    registry.advance(Duration::from_secs(30));
    let extended = lease(held.pop(), &held).await.unwrap();
    registry.advance(Duration::from_secs(16));
    assert_eq!(registry.first_probe(&id).await["ok"], 1, "the three other leases ended");
    registry.app.store.end_host_lease(&host, extended).await.unwrap();
    // A clock that was an hour fast wrote these.
    registry.advance(Duration::from_secs(3600));
    for _ in 0..SLOTS_PER_HOST {
        lease(None, &[]).await.unwrap();
    }
    registry.step_clock(SignedDuration::from_hours(-1));
    assert!(lease(None, &[]).await.is_some());
}
