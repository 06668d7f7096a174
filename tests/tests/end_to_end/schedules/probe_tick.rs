//! The `probe-tick` schedule: its cadence, the probe budget, the order of the queue, and the lease on what is probed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::SignedDuration;
use local::engine::instrumented::Fault;
use registry::model::{ListingId, Moment, Random};
use registry::store::{Claim, DueClass};
use serde_json::json;
use tests::peers::hostile::HostilePeer;
use tests::peers::{CARD, Peer, PeerRequest, agents, empty};
use tests::test_registry::{DAY, HOUR, TICK, TestOptions, TestRegistry};

use crate::fixtures::{live_agent, recheck_at};

#[tokio::test]
async fn a_tick_never_demotes() {
    let (registry, peer, id) = live_agent().await;
    registry.advance_to(recheck_at(&registry, &id).await);
    peer.answer_with(agents::only(404));
    // To the end of its week, when nobody calls it Live any more.
    for _ in 0..12 {
        registry.tick().await;
        // A late event is served as a tick is.
        registry.first_probe(&id).await;
        registry.advance(HOUR);
        assert_eq!(registry.live_counts().await, (1, 0));
    }
    assert_eq!(registry.lane(&id).await, "active");
    assert!(peer.request_count("GET /.well-known/agent-card.json") >= 12, "it was asked all the same");
}

#[tokio::test]
async fn the_budget_is_never_exceeded_and_what_it_left_is_probed_in_the_next_bucket() {
    for (cap, bucket, used) in [
        ("PROBE_WINDOW_CAP", TICK, "window_used"),
        ("PROBE_HOURLY_CAP", HOUR, "hourly_used"),
        ("PROBE_DAILY_BUDGET", DAY, "used"),
    ] {
        let registry = TestRegistry::start_with(TestOptions::default().with_setting(cap, 3)).await;
        let peer = Peer::start(agents::fleet).await;
        let mut ids = Vec::new();
        for folder in 0..7 {
            ids.push(registry.publish_card(&peer.url(&format!("/{folder}/card.json"))).await);
        }
        // The event of each comes first, then the tick: together they spend what there is.
        for id in &ids[..2] {
            registry.first_probe(id).await;
        }
        for _ in 0..3 {
            registry.tick().await;
        }
        assert_eq!(
            (registry.live_counts().await, &registry.probe_statistics().await[used]),
            ((3, 0), &json!(3)),
            "{cap}"
        );
        let mut waiting = Vec::new();
        for id in &ids {
            let status = registry.status(id).await;
            if status["lane"] == "queued" {
                assert_eq!(status.get("probe"), None, "{cap}: {status}");
                waiting.push(id);
            }
        }
        let late = registry.first_probe(waiting[0]).await;
        assert_eq!((&late["released"], &late["probed"]), (&json!(1), &json!(0)), "{cap}: {late}");
        assert_eq!((registry.lane(waiting[0]).await.as_str(), waiting.len()), ("queued", 4), "{cap}");
        for live in [6, 7] {
            registry.advance(bucket);
            registry.tick().await;
            assert_eq!(registry.live_counts().await, (live, 0), "{cap}");
        }
    }
}

#[tokio::test]
async fn a_preflight_reject_spends_nothing() {
    let (registry, peer) = (
        TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1)).await,
        Peer::start(agents::only(404)).await,
    );
    for folder in 0..9 {
        registry.publish_card(&peer.url(&format!("/{folder}/card.json"))).await;
    }
    let sound = Peer::start(agents::newest).await;
    registry.advance(Duration::from_secs(1));
    let good = registry.publish_card(&sound.card()).await;
    let report = registry.tick().await;
    assert_eq!((&report["rejected"], &report["probed"]), (&json!(9), &json!(1)), "{report}");
    assert_eq!(registry.lane(&good).await, "active");
    let statistics = registry.probe_statistics().await;
    assert_eq!((&statistics["used"], &statistics["wasted_probes_discarded"]), (&json!(1), &json!(9)));
    assert_eq!(
        statistics["outcomes"]["fail_reasons"],
        json!([{ "reason": "card fail 404 (no card)", "count": 9 }])
    );
}

/// One of each class, all due, one probe to a tick: they are served in the contract's order, the fresh one not at all.
#[tokio::test]
async fn the_queue_is_served_in_the_contracts_order() {
    let registry = TestRegistry::start_with(TestOptions::default().with_setting("PROBES_PER_TICK", 1)).await;
    let sick = Arc::new(Mutex::new(true));
    let still_sick = Arc::clone(&sick);
    let peer = Peer::start(move |asked: &PeerRequest| {
        let sick = *still_sick.lock().unwrap();
        match asked.path.split('/').nth(1) {
            Some("busy") if sick => empty(503),
            Some("broken") if sick => empty(404),
            _ => agents::fleet(asked),
        }
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
    *sick.lock().unwrap() = false;
    peer.forget_requests();
    for _ in 0..6 {
        registry.tick().await;
        registry.advance(TICK);
    }
    let served: Vec<String> =
        peer.request_names().into_iter().filter(|what| what.starts_with("GET")).collect();
    let wanted = ["new", "weekly", "busy", "broken"].map(|folder| format!("GET /{folder}/card.json"));
    assert_eq!(served, wanted);
    assert_eq!(registry.live_counts().await, (5, 0));
}

/// Whatever publishes, events, ticks and rechecks come in whatever order at whatever moment.
#[tokio::test]
async fn a_peer_is_never_probed_twice_within_six_minutes() {
    for seed in 0..3 {
        let registry = TestRegistry::start().await;
        let (random, clock) = (Random::seeded(seed), registry.app.clock.clone());
        let (moods, asked_at) = (Random::seeded(seed + 100), Arc::new(Mutex::new(Vec::new())));
        let noted = Arc::clone(&asked_at);
        let peer = Peer::start(move |asked: &PeerRequest| {
            if asked.verb == "GET" {
                noted.lock().unwrap().push(clock.now());
            }
            match moods.below(4) {
                0 => agents::newest(asked),
                1 => empty(404),
                _ => empty(503),
            }
        })
        .await;
        let id = registry.publish_card(&peer.card()).await;
        for _ in 0..120 {
            match random.below(4) {
                0 => drop(registry.publish(&json!({ "url": peer.card() })).await),
                1 => drop(registry.first_probe(&id).await),
                2 => drop(registry.tick().await),
                _ => drop(registry.recheck().await),
            }
            let jump = if random.below(8) == 0 { random.below(4 * 24 * 3600) } else { random.below(150) };
            registry.advance(Duration::from_secs(jump));
        }
        let asked_at = asked_at.lock().unwrap().clone();
        assert!(asked_at.len() > 10, "seed {seed}: it was asked {} times only", asked_at.len());
        for pair in asked_at.windows(2) {
            let apart = pair[1].duration_since(pair[0]);
            assert!(apart.as_secs() >= 360, "seed {seed}: asked at {} and {}", pair[0], pair[1]);
        }
    }
}

#[tokio::test]
async fn a_listing_whose_prober_died_is_probed_when_the_lease_is_over() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let id = registry.publish_card(&peer.card()).await;
    let claim = Claim { id: &id, mark: "dead", now: registry.now(), lease_ms: 60_000, apart_ms: 360_000 };
    assert!(registry.app.store.claim(&claim).await.unwrap().is_some());
    for _ in 0..2 {
        assert_eq!(registry.first_probe(&id).await["claimed"], 0, "it is somebody's");
        registry.advance(Duration::from_secs(30));
    }
    assert_eq!(peer.request_names().len(), 0);
    registry.advance(Duration::from_secs(1));
    assert_eq!(registry.tick().await["ok"], 1);
    assert_eq!((registry.lane(&id).await.as_str(), registry.live_counts().await), ("active", (1, 0)));
}

/// While a slow peer is asked, its lease runs out and another prober comes and goes.
#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_that_comes_after_its_lease_counts_for_nothing() {
    let registry = TestRegistry::start().await;
    let (app, id) = (registry.app.clone(), Arc::new(Mutex::new(None::<ListingId>)));
    let listing = Arc::clone(&id);
    let peer = Peer::start(move |asked: &PeerRequest| {
        let first = if asked.method() == Some("SendMessage") { listing.lock().unwrap().take() } else { None };
        if let Some(id) = first {
            app.clock.advance(Duration::from_secs(61));
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current()
                    .block_on(probe_tick::handle(&app, tests::test_registry::listing_queued_event(&id)))
                    .unwrap()
            });
        }
        agents::newest(asked)
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
async fn a_second_tick_in_the_same_slot_changes_nothing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    for number in 0..5 {
        registry.publish_card(&peer.url(&format!("/{number}/card.json"))).await;
    }
    let report = registry.tick().await;
    assert_eq!((&report["claimed"], &report["ok"]), (&json!(5), &json!(5)));
    let once = registry.table().await;
    registry.advance(TICK - std::time::Duration::from_secs(1));
    assert_eq!(registry.tick().await["claimed"], 0);
    assert_eq!(once.difference(&registry.table().await), [""; 0]);
    registry.advance(std::time::Duration::from_secs(1));
    registry.tick().await;
    assert_eq!(registry.probe_statistics().await["probe_worker"]["ticks"], 2, "the next slot is served");
}

#[tokio::test]
async fn only_what_the_schedule_started_is_told_to_its_alarm() {
    let (registry, _peer, id) = live_agent().await;
    let of_an_event =
        json!({ "ProbesOk": 0, "ProbesNotOk": 0, "PreflightRejects": 0, "VerdictsUnrecorded": 0 });
    assert_eq!(
        registry.first_probe(&id).await["metrics"],
        of_an_event,
        "an event is no sign of the schedule"
    );
    let report = registry.tick().await;
    let metrics = json!({
        "ScheduledTicks": 1, "OldestOverdueRecheck": 0, "OldestPendingLeaf": 0, "LiveAgents": 1, "LiveMcpServers": 0,
        "ProbesOk": 0, "ProbesNotOk": 0, "PreflightRejects": 0, "VerdictsUnrecorded": 0,
    });
    assert_eq!(report["metrics"], metrics);
    assert_eq!(
        registry.tick().await["metrics"]["ScheduledTicks"],
        1,
        "delivered twice, it is none the less on time"
    );
}

#[tokio::test]
async fn a_recheck_that_lags_is_told_by_the_tick() {
    let (registry, peer, id) = live_agent().await;
    peer.answer_with(agents::only(404));
    registry.advance_to(recheck_at(&registry, &id).await);
    // The tick asks what is due, too, but only the recheck confirms a failure; then nobody asks for two days.
    registry.tick().await;
    registry.advance(DAY * 2);
    let waited = registry.tick().await["metrics"]["OldestOverdueRecheck"].as_u64().unwrap();
    assert_eq!(waited, (DAY * 2 - HOUR).as_secs());
    registry.recheck().await;
    registry.advance(TICK);
    assert_eq!(registry.tick().await["metrics"]["OldestOverdueRecheck"], 0);
}

/// A gateway whose listings all hang takes a few places of a sweep, however many of them are due before the others.
#[tokio::test]
async fn one_host_whose_listings_hang_does_not_keep_a_tick_from_the_others() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000)).await;
    let gateway = HostilePeer::SilentAtOnce.start().await;
    let gateway = gateway.strip_suffix(CARD).unwrap();
    for number in 0..12 {
        registry.publish_mcp(&format!("{gateway}/{number}/mcp")).await;
    }
    registry.advance(Duration::from_secs(1));
    let honest = Peer::start(agents::fleet).await;
    for folder in 0..70 {
        registry.publish_card(&honest.url(&format!("/{folder}/card.json"))).await;
    }
    let report = registry.tick().await;
    assert_eq!(registry.live_counts().await, (70, 0), "{report}");
    assert_eq!((&report["claimed"], &report["released"]), (&json!(82), &json!(0)), "{report}");
}

/// A process that dies of a peer, or cannot write what it found, leaves no verdict behind. It leaves its claim, and
/// each such claim puts the listing off further, so that it cannot stand first in every tick.
#[tokio::test]
async fn a_listing_whose_claims_end_without_a_verdict_comes_back_later_each_time() {
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

/// Two deliveries of one slot, one on each side of its boundary by the clock, are one tick; the next slot is its own.
#[tokio::test]
async fn a_tick_belongs_to_the_time_it_was_scheduled_for() {
    let registry = TestRegistry::start().await;
    let tick = i64::try_from(TICK.as_secs()).unwrap();
    let boundary = Moment::from_second((registry.now().as_second() / tick + 2) * tick).unwrap();
    let event =
        |time: Moment| json!({ "source": "registry.schedule", "detail-type": "probe-tick", "time": time });
    let deliver = async |time: Moment| {
        probe_tick::handle(&registry.app, event(time)).await.unwrap();
        registry.probe_statistics().await["probe_worker"]["ticks"].as_u64().unwrap()
    };
    registry.advance_to(boundary - SignedDuration::from_millis(100));
    let before = registry.probe_statistics().await["probe_worker"]["ticks"].as_u64().unwrap();
    assert_eq!(deliver(boundary).await, before + 1, "a little early");
    registry.advance(Duration::from_millis(200));
    assert_eq!(deliver(boundary).await, before + 1, "delivered again, a little late");
    registry.advance_to(boundary + SignedDuration::from_secs(tick) - SignedDuration::from_millis(50));
    let next = boundary + SignedDuration::from_secs(tick);
    assert_eq!(deliver(next).await, before + 2, "no slot is skipped");
}
