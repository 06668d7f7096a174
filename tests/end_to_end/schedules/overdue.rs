//! Tests that the registry shows no listing as Live when rechecks have stopped. A proof is valid for a week.
//! Without a newer proof, no endpoint shows the listing as Live.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use registry::model::Listing;
use registry::store::{OverdueCount, UnfinishedCount};
use tests::fixtures::feed_item;
use tests::prelude::*;

use crate::fixtures::{LivePair, forecaster, live_pair};

/// The number of rows that each endpoint returns.
async fn row_counts(registry: &TestRegistry) -> Vec<(&'static str, usize)> {
    let mut counts = Vec::new();
    for (path, list) in [
        ("/api/listings/active", "/agents"),
        ("/api/listings/active", "/mcps"),
        ("/api/ard/search?q=weather", "/hits"),
        ("/api/match?q=weather", "/hits"),
        ("/v0.1/servers", "/servers"),
        ("/agents/search?q=weather", "/agents"),
        ("/api/catalog", "/agents"),
    ] {
        let reply = registry.get(path).await;
        let rows = reply.body.pointer(list).and_then(Value::as_array);
        let rows = rows.unwrap_or_else(|| panic!("{path} has no {list}: {reply:?}")).len();
        assert!(!path.contains("?q=") || reply.body["total"] == rows, "{path}: {reply:?}");
        counts.push((path, rows));
    }
    let active = registry.call_tool("search_active", &json!({})).await;
    counts.push(("search_active", active["listings"].as_array().unwrap().len()));
    counts
}

/// The number of feed items of a type.
async fn news(registry: &TestRegistry, what: &str) -> usize {
    registry.feed_types().await.iter().filter(|other| *other == what).count()
}

/// Lane, liveness, cleanness, badge and demo offer of a listing.
async fn shown_state(registry: &TestRegistry, id: &ListingId) -> Vec<Value> {
    let status = registry.status(id).await;
    let live = registry.get(&format!("/api/liveness?listing_id={id}")).await.body;
    let clean = registry.get(&format!("/api/probe-clean?listing_id={id}")).await.body;
    let badge = registry.get(&format!("/badge/live.svg?id={id}")).await.body;
    vec![
        status["lane"].clone(),
        live["live"].clone(),
        clean["clean"].clone(),
        json!(badge.as_str().unwrap().contains(">proof expired<")),
        json!(status.get("take_demo").is_some()),
    ]
}

#[tokio::test]
async fn listing_with_an_expired_proof_is_shown_as_live_nowhere() {
    let LivePair { registry, agent, server, peers } = live_pair().await;
    let while_live = row_counts(&registry).await;
    assert!(while_live.iter().all(|(_, rows)| *rows > 0), "{while_live:?}");

    // Neither tick nor recheck runs for a week and a little.
    registry.advance(DAY * 7 + TICK);
    for (endpoint, rows) in row_counts(&registry).await {
        assert_eq!(rows, 0, "{endpoint} returns a listing with an expired proof");
    }
    for id in [&agent, &server] {
        let state = shown_state(&registry, id).await;
        assert_eq!(state, [json!("queued"), json!(false), json!(false), json!(true), json!(false)], "{id}");
    }
    let status = registry.status(&agent).await;
    let reason = "Was Live, but its last proof expired. The next successful probe makes it Live again.";
    assert_eq!(status["lane_reason"], reason);

    // The tick runs again while the peers fail: it updates the counts and their time.
    peers.iter().for_each(|peer| peer.answer_with(agents::only(503)));
    registry.tick().await;
    let list = registry.get("/api/listings/active").await.body;
    assert_eq!(list["counts"], json!({ "agents_active": 0, "mcp_active": 0, "as_of": registry.now() }));
    let snapshot = registry.probe_statistics().await["live_active_snapshot"].clone();
    assert_members(&snapshot, &json!({ "total": 0, "at": registry.now() }));
    assert_eq!(news(&registry, "listing_overdue").await, 2);
    let report = registry.index().await;
    assert_eq!(report["gone"], 2, "{report}");

    // The next count an hour later adds no feed items.
    registry.tick_after(HOUR + TICK * 2).await;
    assert_eq!(news(&registry, "listing_overdue").await, 2);

    // After the first good probe every endpoint shows the listing again.
    peers[0].answer_with(forecaster);
    peers[1].answer_with(servers::modern);
    registry.recheck_after(HOUR).await;
    registry.deliver_events().await;
    assert_eq!(row_counts(&registry).await, while_live);
    assert_eq!(registry.live_counts().await, (1, 1));
    assert_eq!(news(&registry, "listing_live").await, 4);
    for id in [&agent, &server] {
        let listing = registry.app.store.listing(id).await.unwrap().unwrap();
        assert_eq!(listing.proof.live_since, listing.proof.last_ok_at, "an expired proof ends Live");
        let state = shown_state(&registry, id).await;
        assert_eq!(state, [json!("active"), json!(true), json!(true), json!(false), json!(true)], "{id}");
        assert_eq!(registry.status(id).await["log"]["event"], "live", "not confirmed: it was not Live");
    }
    let other = Peer::start(agents::newest).await;
    registry.live_card(&other.card()).await;
    let statistics = registry.probe_statistics().await;
    let totals = ["live_active", "live_active_snapshot"].map(|name| statistics[name]["total"].clone());
    assert_eq!(totals, [json!(3), json!(2)], "the snapshot is of the last count");
    let inbox = registry.get(&format!("/api/talk?listing_id={agent}")).await.body.to_string();
    assert!(inbox.contains("expired, so it is not Live until it passes a probe."), "{inbox}");
}

/// A count of 205 expired proofs stops at any place: after some of a page, or after a page.
#[tokio::test(flavor = "multi_thread")]
async fn interrupted_count_goes_on_and_tells_each_expired_proof_once() {
    const LISTINGS: usize = 205;
    let options = TestOptions::default().delivered_once();
    let options = options.with_setting("PROBE_WINDOW_CAP", 1000).with_setting("PROBE_HOURLY_CAP", 1000);
    let registry = TestRegistry::start_with(options).await;
    let fleet = Peer::start(servers::modern).await;
    for number in 0..LISTINGS {
        registry.publish_mcp(&fleet.url(&format!("/{number}/mcp"))).await;
    }
    registry.tick().await;
    // On a slow machine a run ends before its last listing.
    for _ in 0..4 {
        if registry.live_counts().await.1 < LISTINGS as u64 {
            registry.tick_after(TICK).await;
        }
    }
    assert_eq!(registry.live_counts().await, (0, LISTINGS as u64));
    registry.advance(DAY * 7 + TICK);
    fleet.answer_with(|_: &PeerRequest| empty(503));

    let (store, now) = (&registry.app.store, registry.app.clock.now());
    let news = |listing: &Listing| feed_item("listing_overdue", listing, now);
    let mut count = UnfinishedCount::begin(now);
    let (first, next) = store.due(count.class, now, None).await.unwrap();
    store.record_overdue(&first.iter().map(news).collect::<Vec<_>>()).await.unwrap();
    first.iter().for_each(|listing| count.counted.add(listing.likely_kind()));
    count.from = next.clone();
    store.keep_unfinished_count(&count).await.unwrap();
    let (second, more) = store.due(count.class, now, next).await.unwrap();
    store.record_overdue(&second[..30].iter().map(news).collect::<Vec<_>>()).await.unwrap();
    assert!(more.is_some() && first.len() == 100);

    registry.tick_after(TICK).await;
    assert_eq!(registry.live_counts().await, (0, 0));
    assert!(store.overdue_count().await.unwrap().1.is_none(), "the count is not finished");
    let feed = registry.items("FEED").await;
    let is_news = |item: &&HashMap<String, AttributeValue>| {
        item.values().any(|value| value.as_s().is_ok_and(|text| text.contains(r#""listing_overdue""#)))
    };
    assert_eq!(feed.iter().filter(is_news).count(), LISTINGS);
}

/// A count does not see a listing that a probe has claimed.
#[tokio::test]
async fn expired_proof_that_a_count_missed_is_told_by_the_next_count() {
    let LivePair { registry, peers, .. } = live_pair().await;
    registry.advance(DAY * 7 + TICK);
    peers.iter().for_each(|peer| peer.answer_with(agents::only(503)));
    let store = &registry.app.store;
    let (before, _) = store.overdue_count().await.unwrap();
    store.keep_overdue_count(before, OverdueCount::default(), registry.app.clock.now()).await.unwrap();

    registry.recheck_after(HOUR).await;
    assert_eq!(news(&registry, "listing_overdue").await, 2);
}

/// The index still lists a listing that the same run has just probed.
#[tokio::test]
async fn listing_that_the_same_run_probes_is_not_counted_as_overdue() {
    let LivePair { registry, agent, server, peers: _peers } = live_pair().await;
    registry.recheck_after(DAY * 8).await;
    assert_eq!(registry.live_counts().await, (1, 1));
    assert_eq!(news(&registry, "listing_overdue").await, 0);
    for id in [&agent, &server] {
        assert_eq!(registry.lane(id).await, "active");
    }
}

#[tokio::test]
async fn withdrawal_of_an_overdue_listing_is_not_subtracted_twice() {
    let LivePair { registry, agent, peers, .. } = live_pair().await;
    registry.advance(DAY * 7 + TICK);
    peers.iter().for_each(|peer| peer.answer_with(agents::only(503)));
    registry.tick().await;
    assert_eq!(registry.live_counts().await, (0, 0));

    registry.withdraw(&agent, "Spam.").await;
    let other = Peer::start(agents::newest).await;
    registry.live_card(&other.card()).await;
    assert_eq!(registry.live_counts().await, (1, 0));
}

/// The owner does not need to wait for the recheck.
#[tokio::test]
async fn republishing_an_overdue_listing_probes_it_at_once() {
    let LivePair { registry, agent, peers, .. } = live_pair().await;
    registry.advance(DAY * 8);
    let answer = registry.publish(&json!({ "agent_card_url": peers[0].card() })).await;
    assert_members(&answer, &json!({ "status": "queued", "listing_id": agent }));
    registry.deliver_to_live(&agent).await;
}
