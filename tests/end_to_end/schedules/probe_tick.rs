//! Tests the `probe-tick` schedule: its time slots, the probe budget, the order of the queue, and how a run
//! reserves a listing.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::SignedDuration;
use registry::events;
use registry::model::{ListingId, Moment, Random};
use registry::settings::Settings;
use registry::store::DueClass;
use serde_json::json;
use tests::instrumented::Fault;
use tests::peers::hostile::HostilePeer;
use tests::peers::{CARD, Peer, PeerRequest, agents, empty, servers};
use tests::test_registry::{DAY, HOUR, TICK, TestOptions, TestRegistry, listing_queued_event};

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
    let options = TestOptions::default().with_setting("PROBE_HOURLY_CAP", 16);
    let (registry, server) = (TestRegistry::start_with(options).await, Peer::start(servers::modern).await);
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
    let options = TestOptions::default().with_setting("PROBE_HOURLY_CAP", 8);
    let (registry, server) = (TestRegistry::start_with(options).await, Peer::start(servers::modern).await);
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
    let (registry, peer) = (
        TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1)).await,
        Peer::start(agents::only(404)).await,
    );
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
                    .block_on(probe_tick::handle(&app, tests::test_registry::listing_queued_event(&id)))
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
    let event_metrics =
        json!({ "ProbesOk": 0, "ProbesNotOk": 0, "PreflightRejects": 0, "VerdictsUnrecorded": 0 });
    let metrics = registry.first_probe(&id).await["metrics"].clone();
    assert_eq!(metrics, event_metrics, "an event does not prove that the schedule runs");
    let report = registry.tick().await;
    let metrics = json!({
        "ScheduledTicks": 1, "OldestOverdueRecheck": 0, "OldestPendingLeaf": 0, "OldestUnindexedChange": 0, "UnreadableLeaves": 0, "LiveAgents": 1, "LiveMcpServers": 0,
        "ProbesOk": 0, "ProbesNotOk": 0, "PreflightRejects": 0, "VerdictsUnrecorded": 0, "FlaggedPayments": 0,
    });
    assert_eq!(report["metrics"], metrics);
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

/// Many due listings on one hanging host take only a few slots of a sweep.
#[tokio::test]
async fn hanging_host_does_not_delay_other_probes() {
    let registry = TestRegistry::start_for_fleet().await;
    let gateway = HostilePeer::SilentAtOnce.start().await;
    let gateway = gateway.strip_suffix(CARD).unwrap();
    for number in 0..6 {
        registry.publish_mcp(&format!("{gateway}/{number}/mcp")).await;
    }
    registry.advance(Duration::from_secs(1));
    let sound = Peer::start(agents::fleet).await;
    registry.publish_fleet(&sound, 0..40).await;
    let report = registry.tick().await;
    assert_eq!(registry.live_counts().await, (40, 0), "{report}");
    assert_eq!((&report["claimed"], &report["released"]), (&json!(46), &json!(0)), "{report}");
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
        registry.observer.faults.arm("TransactWriteItems", Fault::Throttle, 50);
        let report = registry.recheck().await;
        registry.observer.faults.disarm();
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
    assert_eq!(store.listing(&id).await.unwrap().unwrap().lease, None);
}

/// Two deliveries of one slot are one tick, also if the clock is before its start for one of them.
#[tokio::test]
async fn tick_is_identified_by_its_scheduled_time() {
    let registry = TestRegistry::start().await;
    let tick = i64::try_from(TICK.as_secs()).unwrap();
    let boundary = Moment::from_second((registry.now().as_second() / tick + 2) * tick).unwrap();
    let event =
        |time: Moment| json!({ "source": "registry.schedule", "detail-type": "probe-tick", "time": time });
    let deliver = async |time: Moment| {
        registry.run("probe-tick", event(time)).await;
        registry.probe_statistics().await["probe_worker"]["ticks"].as_u64().unwrap()
    };
    registry.advance_to(boundary - SignedDuration::from_millis(100));
    let before = registry.probe_statistics().await["probe_worker"]["ticks"].as_u64().unwrap();
    assert_eq!(deliver(boundary).await, before + 1, "slightly early");
    registry.advance(Duration::from_millis(200));
    assert_eq!(deliver(boundary).await, before + 1, "repeated, slightly late");
    registry.advance_to(boundary + SignedDuration::from_secs(tick) - SignedDuration::from_millis(50));
    let next = boundary + SignedDuration::from_secs(tick);
    assert_eq!(deliver(next).await, before + 2, "no slot is skipped");
}

/// On AWS the event comes from a queue, which delivers it again if its report says so. Half of the budget of two probes is
/// for listings that have been Live.
#[tokio::test]
async fn new_listing_stays_in_the_queue_while_the_budget_is_used_up() {
    let registry = TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 2)).await;
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
