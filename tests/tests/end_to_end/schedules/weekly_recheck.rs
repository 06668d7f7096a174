//! The clockwork under a clock that is moved by hand: the cadence, the budget, the order of the queue, and the week in
//! which every Live listing answers again. A week of it takes a moment here.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::StatusCode;
use registry::model::{ListingId, Moment, Random};
use registry::store::Claim;
use serde_json::{Value, json};
use tests::peers::{Asked, Peer, agents, empty};
use tests::world::{DAY, HOUR, TICK, Wish, World};

fn time(value: &Value) -> Moment {
    value.as_str().unwrap().parse().unwrap()
}

/// One Live agent, and its peer.
async fn live() -> (World, Peer, ListingId) {
    let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
    let id = world.live_card(&peer.card()).await;
    (world, peer, id)
}

async fn recheck_at(world: &World, id: &ListingId) -> Moment {
    time(&world.status(id).await["recheck_at"])
}

#[tokio::test]
async fn every_live_listing_is_due_within_its_week_and_the_load_is_spread() {
    let world = World::with(Wish::default().and("PROBE_WINDOW_CAP", 1000)).await;
    let peer = Peer::start(agents::fleet).await;
    let mut hours = BTreeSet::new();
    for folder in 0..30 {
        let id = world.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
        let ahead = recheck_at(&world, &id).await.duration_since(world.now());
        assert!(ahead >= jiff::SignedDuration::from_hours(6 * 24), "{ahead}: too often");
        assert!(ahead < jiff::SignedDuration::from_hours(7 * 24), "{ahead}: too late");
        hours.insert(ahead.as_hours());
    }
    assert!(hours.len() >= 8, "thirty listings fall into {hours:?} only");
    world.advance(DAY * 6);
    for hour in 0..24 {
        world.advance(HOUR);
        if hour % 6 == 0 {
            world.tick().await;
        }
        world.recheck().await;
    }
    let rows = world.get("/api/listings/active?limit=100").await.body["agents"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 30);
    for row in rows.as_array().unwrap() {
        assert!(row["probe"]["age_hours"].as_f64().unwrap() < 7.0 * 24.0, "{row}");
    }
}

#[tokio::test]
async fn failures_at_three_different_hours_demote_and_two_do_not() {
    let (world, peer, id) = live().await;
    world.advance_to(recheck_at(&world, &id).await);
    peer.becomes(agents::only(404));
    for failed in 1..=2 {
        world.recheck().await;
        let status = world.status(&id).await;
        assert_eq!((&status["lane"], &status["failed_recheck_hours"]), (&json!("active"), &json!(failed)));
        assert_eq!(
            (&status["probe"]["handshake"], &status["reasons"]),
            (&json!("ok"), &json!([])),
            "it stands by its proof"
        );
        assert_eq!(world.counts().await, (1, 0));
        world.advance(HOUR);
    }
    world.recheck().await;
    let status = world.status(&id).await;
    assert_eq!(
        (&status["lane"], &status["reasons"][0]["code"]),
        (&json!("demoted"), &json!("card_404")),
        "{status}"
    );
    assert_eq!((world.counts().await, world.feed().await[0].as_str()), ((0, 0), "listing_demoted"));
    let week = &world.probes().await["weekly_recheck"];
    let counted =
        ["rechecked_this_week", "still_ok_this_week", "demoted_this_week"].map(|name| week[name].clone());
    assert_eq!(counted, [json!(3), json!(0), json!(1)]);

    peer.becomes(agents::newest);
    world.advance(HOUR);
    world.publish_card(&peer.card()).await;
    world.deliver().await;
    let healed = world.status(&id).await;
    assert_eq!((&healed["lane"], &healed["reasons"]), (&json!("active"), &json!([])), "{healed}");
    assert_eq!((world.counts().await, world.feed().await[0].as_str()), ((1, 0), "listing_live"));
}

#[tokio::test]
async fn two_failures_and_an_answer_leave_no_trace() {
    let (world, peer, id) = live().await;
    world.advance_to(recheck_at(&world, &id).await);
    for round in 0..4 {
        peer.becomes(agents::only(404));
        for _ in 0..2 {
            world.recheck().await;
            world.advance(HOUR);
        }
        peer.becomes(agents::newest);
        world.recheck().await;
        let status = world.status(&id).await;
        assert_eq!(
            (&status["lane"], status.get("failed_recheck_hours")),
            (&json!("active"), None),
            "round {round}"
        );
        world.advance_to(time(&status["recheck_at"]));
    }
    assert_eq!(world.feed().await, ["listing_live", "listing_queued"], "nothing happened that is news");
}

#[tokio::test]
async fn a_tick_never_demotes() {
    let (world, peer, id) = live().await;
    world.advance_to(recheck_at(&world, &id).await);
    peer.becomes(agents::only(404));
    for _ in 0..24 {
        world.tick().await;
        // A late event is served as a tick is.
        world.first_probe(&id).await;
        world.advance(HOUR);
        assert_eq!(world.counts().await, (1, 0));
    }
    assert_eq!(world.lane(&id).await, "active");
    assert!(peer.times("GET /.well-known/agent-card.json") >= 24, "it was asked all the same");
}

/// The schedules as they are deployed: a tick each six minutes and a recheck each hour, at any phase to each other.
/// The registry's promise is the week: what does not answer is off the list when it is over.
#[tokio::test]
async fn what_has_died_is_off_the_list_when_its_week_is_over() {
    for (recheck_minute, status) in [(0, 404), (5, 404), (2, 503)] {
        let (world, peer, id) = live().await;
        let last_ok = time(&world.status(&id).await["probe"]["probed_at"]);
        peer.becomes(agents::only(status));
        world.advance_to(recheck_at(&world, &id).await - jiff::SignedDuration::from_hours(1));
        let mut demoted_at = None;
        for minute in 0..2 * 24 * 60 {
            if minute % 60 == recheck_minute {
                world.recheck().await;
                if world.lane(&id).await == "demoted" {
                    demoted_at = Some(world.now());
                    break;
                }
            }
            if minute % 6 == 0 {
                world.tick().await;
            }
            world.advance(Duration::from_secs(60));
        }
        let Some(demoted_at) = demoted_at else {
            panic!("recheck at :{recheck_minute:02}, status {status}: Live days after its week was over");
        };
        let stood = demoted_at.duration_since(last_ok);
        let week = jiff::SignedDuration::from_hours(7 * 24);
        assert!(stood <= week, "recheck at :{recheck_minute:02}, status {status}: Live for {stood:#}");
    }
}

/// The same schedules over peers that live: the week's statistics count them, whichever job asked first.
#[tokio::test]
async fn a_week_of_both_schedules_counts_every_live_listing_as_rechecked() {
    let world = World::with(Wish::default().and("PROBE_WINDOW_CAP", 1000)).await;
    let peer = Peer::start(agents::fleet).await;
    for folder in 0..10 {
        world.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
    }
    // To the end of the sixth day; all are due within the next twelve hours, in one ISO week.
    world.advance(DAY * 6);
    for slot in 0..124 {
        world.tick().await;
        if slot % 10 == 5 {
            world.recheck().await;
        }
        world.advance(TICK);
    }
    let week = &world.probes().await["weekly_recheck"];
    assert_eq!(
        (&week["rechecked_this_week"], &week["still_ok_this_week"]),
        (&json!(10), &json!(10)),
        "{week}"
    );
}

#[tokio::test]
async fn a_silent_peer_is_demoted_only_when_its_week_is_over() {
    let (world, peer, id) = live().await;
    let last_ok = time(&world.status(&id).await["probe"]["probed_at"]);
    world.advance_to(recheck_at(&world, &id).await);
    peer.becomes(agents::only(503));
    let almost = jiff::SignedDuration::from_hours(7 * 24 - 1);
    let mut runs = 0;
    loop {
        let age = world.now().duration_since(last_ok);
        world.recheck().await;
        runs += 1;
        match world.lane(&id).await.as_str() {
            "active" => assert!(age < almost, "Live after {age:#} without an answer"),
            lane => {
                assert_eq!(lane, "demoted");
                assert!(age >= almost, "demoted after {age:#}");
                break;
            }
        }
        world.advance(HOUR);
    }
    assert!(runs > 3, "three strikes were there long before");
}

#[tokio::test]
async fn the_budget_is_never_exceeded_and_what_it_left_is_probed_in_the_next_bucket() {
    for (cap, bucket, used) in [
        ("PROBE_WINDOW_CAP", TICK, "window_used"),
        ("PROBE_HOURLY_CAP", HOUR, "hourly_used"),
        ("PROBE_DAILY_BUDGET", DAY, "used"),
    ] {
        let world = World::with(Wish::default().and(cap, 3)).await;
        let peer = Peer::start(agents::fleet).await;
        let mut ids = Vec::new();
        for folder in 0..7 {
            ids.push(world.publish_card(&peer.url(&format!("/{folder}/card.json"))).await);
        }
        // The event of each comes first, then the tick: together they spend what there is.
        for id in &ids[..2] {
            world.first_probe(id).await;
        }
        for _ in 0..3 {
            world.tick().await;
        }
        assert_eq!((world.counts().await, &world.probes().await[used]), ((3, 0), &json!(3)), "{cap}");
        let mut waiting = Vec::new();
        for id in &ids {
            let status = world.status(id).await;
            if status["lane"] == "queued" {
                assert_eq!(status.get("probe"), None, "{cap}: {status}");
                waiting.push(id);
            }
        }
        let late = world.first_probe(waiting[0]).await;
        assert_eq!((&late["released"], &late["probed"]), (&json!(1), &json!(0)), "{cap}: {late}");
        assert_eq!((world.lane(waiting[0]).await.as_str(), waiting.len()), ("queued", 4), "{cap}");
        for live in [6, 7] {
            world.advance(bucket);
            world.tick().await;
            assert_eq!(world.counts().await, (live, 0), "{cap}");
        }
    }
}

#[tokio::test]
async fn a_preflight_reject_spends_nothing() {
    let (world, peer) =
        (World::with(Wish::default().and("PROBE_WINDOW_CAP", 1)).await, Peer::start(agents::only(404)).await);
    for folder in 0..9 {
        world.publish_card(&peer.url(&format!("/{folder}/card.json"))).await;
    }
    let sound = Peer::start(agents::newest).await;
    world.advance(Duration::from_secs(1));
    let good = world.publish_card(&sound.card()).await;
    let report = world.tick().await;
    assert_eq!((&report["rejected"], &report["probed"]), (&json!(9), &json!(1)), "{report}");
    assert_eq!(world.lane(&good).await, "active");
    let statistics = world.probes().await;
    assert_eq!((&statistics["used"], &statistics["wasted_probes_discarded"]), (&json!(1), &json!(9)));
    assert_eq!(
        statistics["outcomes"]["fail_reasons"],
        json!([{ "reason": "card fail 404 (no card)", "count": 9 }])
    );
}

/// One of each class, all due, one probe to a tick: they are served in the contract's order, the fresh one not at all.
#[tokio::test]
async fn the_queue_is_served_in_the_contracts_order() {
    let world = World::with(Wish::default().and("PROBES_PER_TICK", 1)).await;
    let sick = Arc::new(Mutex::new(true));
    let still_sick = Arc::clone(&sick);
    let peer = Peer::start(move |asked: &Asked| {
        let sick = *still_sick.lock().unwrap();
        match asked.path.split('/').nth(1) {
            Some("busy") if sick => empty(503),
            Some("broken") if sick => empty(404),
            _ => agents::fleet(asked),
        }
    })
    .await;
    let card = |folder: &str| peer.url(&format!("/{folder}/card.json"));
    world.live_card(&card("weekly")).await;
    world.advance(DAY * 5);
    for (folder, lane) in [("broken", "needs_fix"), ("busy", "queued")] {
        let id = world.publish_card(&card(folder)).await;
        world.first_probe(&id).await;
        assert_eq!(world.lane(&id).await, lane);
    }
    world.advance(DAY * 2);
    world.live_card(&card("fresh")).await;
    world.publish_card(&card("new")).await;
    *sick.lock().unwrap() = false;
    peer.forget();
    for _ in 0..6 {
        world.tick().await;
        world.advance(TICK);
    }
    let served: Vec<String> = peer.whats().into_iter().filter(|what| what.starts_with("GET")).collect();
    let wanted = ["new", "weekly", "busy", "broken"].map(|folder| format!("GET /{folder}/card.json"));
    assert_eq!(served, wanted);
    assert_eq!(world.counts().await, (5, 0));
}

/// Whatever publishes, events, ticks and rechecks come in whatever order at whatever moment.
#[tokio::test]
async fn nobody_is_asked_twice_within_six_minutes() {
    for seed in 0..3 {
        let world = World::start().await;
        let (random, clock) = (Random::seeded(seed), world.app.clock.clone());
        let (moods, asked_at) = (Random::seeded(seed + 100), Arc::new(Mutex::new(Vec::new())));
        let noted = Arc::clone(&asked_at);
        let peer = Peer::start(move |asked: &Asked| {
            if asked.verb == "GET" {
                noted.lock().unwrap().push(clock.now());
            }
            match moods.below(8) {
                0 => empty(503),
                1 => empty(404),
                _ => agents::newest(asked),
            }
        })
        .await;
        let id = world.publish_card(&peer.card()).await;
        for _ in 0..120 {
            match random.below(4) {
                0 => drop(world.publish(&json!({ "url": peer.card() })).await),
                1 => drop(world.first_probe(&id).await),
                2 => drop(world.tick().await),
                _ => drop(world.recheck().await),
            }
            let jump = if random.below(12) == 0 { random.below(12 * 3600) } else { random.below(150) };
            world.advance(Duration::from_secs(jump));
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
    let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
    let id = world.publish_card(&peer.card()).await;
    let claim = Claim { id: &id, mark: "dead", now: world.now(), lease_ms: 60_000, apart_ms: 360_000 };
    assert!(world.app.store.claim(&claim).await.unwrap().is_some());
    for _ in 0..2 {
        assert_eq!(world.first_probe(&id).await["claimed"], 0, "it is somebody's");
        world.advance(Duration::from_secs(30));
    }
    assert_eq!(peer.whats().len(), 0);
    world.advance(Duration::from_secs(1));
    assert_eq!(world.tick().await["ok"], 1);
    assert_eq!((world.lane(&id).await.as_str(), world.counts().await), ("active", (1, 0)));
}

/// While a slow peer is asked, its lease runs out and another prober comes and goes.
#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_that_comes_after_its_lease_counts_for_nothing() {
    let world = World::start().await;
    let (app, id) = (world.app.clone(), Arc::new(Mutex::new(None::<ListingId>)));
    let listing = Arc::clone(&id);
    let peer = Peer::start(move |asked: &Asked| {
        let first = if asked.method() == Some("SendMessage") { listing.lock().unwrap().take() } else { None };
        if let Some(id) = first {
            app.clock.advance(Duration::from_secs(61));
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current()
                    .block_on(probe_tick::handle(&app, tests::world::queued(&id)))
                    .unwrap()
            });
        }
        agents::newest(asked)
    })
    .await;
    let published = world.publish_card(&peer.card()).await;
    *id.lock().unwrap() = Some(published.clone());
    let report = world.first_probe(&published).await;
    assert_eq!((&report["claimed"], peer.times("SendMessage")), (&json!(0), 2), "{report}");
    assert_eq!((world.lane(&published).await.as_str(), world.counts().await), ("active", (1, 0)));
    assert_eq!(world.feed().await, ["listing_live", "listing_queued"]);
    assert_eq!(world.probes().await["outcomes"]["handshake"]["ok"], 1);
}

#[tokio::test]
async fn a_retry_comes_later_with_every_failure_and_as_late_as_the_peer_asks() {
    let (world, peer) = (World::start().await, Peer::start(agents::only(404)).await);
    let id = world.publish_card(&peer.card()).await;
    let mut waits = Vec::new();
    for _ in 0..7 {
        world.tick().await;
        let status = world.status(&id).await;
        let retry = time(&status["retry_at"]);
        waits.push(retry.duration_since(world.now()).as_hours());
        world.advance_to(retry + jiff::SignedDuration::from_secs(1));
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 24, 24]);

    let polite = Peer::start(|_| {
        axum::response::IntoResponse::into_response((
            StatusCode::TOO_MANY_REQUESTS,
            [("retry-after", "7200")],
        ))
    })
    .await;
    let id = world.publish_card(&polite.card()).await;
    world.first_probe(&id).await;
    let status = world.status(&id).await;
    assert_eq!((&status["lane"], &status["reasons"][0]["code"]), (&json!("queued"), &json!("rate_limited")));
    assert_eq!(time(&status["retry_at"]).duration_since(world.now()).as_secs(), 7200);
}

#[tokio::test]
async fn a_change_of_tools_is_told_and_not_punished() {
    let world = World::start().await;
    let peer = Peer::start(tests::peers::servers::modern_with(&["add"])).await;
    let id = world.publish_mcp(&peer.url("/mcp")).await;
    world.deliver().await;
    let before = world.status(&id).await["evidence"]["tools_hash"].clone();
    peer.becomes(tests::peers::servers::modern_with(&["add", "steal"]));
    world.advance(DAY * 7);
    world.recheck().await;
    let status = world.status(&id).await;
    let drift =
        status["checks"].as_array().unwrap().iter().find(|check| check["id"] == "tools_unchanged").unwrap();
    assert_eq!(
        (&status["lane"], &drift["ok"], &drift["blocking"]),
        (&json!("active"), &json!(false), &json!(false))
    );
    assert_ne!(status["evidence"]["tools_hash"], before);
    assert!(drift["detail"].as_str().unwrap().contains(before.as_str().unwrap()), "{drift}");
}

#[tokio::test]
async fn expired_items_go_and_nothing_that_counts_goes_with_them() {
    let (world, peer, id) = live().await;
    for _ in 0..8 {
        world.advance(DAY * 6);
        world.recheck().await;
        world.advance(HOUR * 12);
        world.recheck().await;
        world.tick().await;
    }
    assert!(world.sweep_expired() > 0);
    let table = world.table().await;
    assert!(table.under("FEED").is_empty(), "news leaves after thirty days");
    assert_eq!((world.lane(&id).await.as_str(), world.counts().await), ("active", (1, 0)));
    assert_eq!(world.status(&id).await["checks_clean"], true);
    drop(peer);
}
