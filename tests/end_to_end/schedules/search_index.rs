//! Tests the `search-index` schedule. Searches find Live listings and do not find demoted ones. The index
//! stays correct after crashes, throttling, concurrent builds and lost replies of the table.

use registry::app::App;
use registry::model::{Lane, Random};
use registry::search::Found;
use tests::fixtures::{feed_item, submitted_listing};
use tests::prelude::*;

use crate::fixtures::{another_process, live_agents, live_fleet, query, with_index};

async fn search(app: &App, text: &str) -> Found {
    app.search.find(&query(text, 20), app.clock.now()).await.unwrap()
}

fn ids(found: &Found) -> Vec<ListingId> {
    found.hits.iter().map(|hit| hit.listing.id.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn live_listings_are_found_and_demoted_listings_are_not() {
    let registry = TestRegistry::start_for_fleet().await;
    let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::modern).await);
    assert!(search(&registry.app, "adds numbers").await.hits.is_empty(), "no listing is Live yet");

    let adder = registry.live_card(&agent.card()).await;
    let tools = registry.publish_mcp(&server.url("/mcp")).await;
    registry.deliver_events().await;
    let elsewhere = another_process(&registry.app);
    for app in [&registry.app, &elsewhere] {
        let adds = search(app, "add two numbers").await;
        assert_eq!(ids(&adds)[0], adder, "{adds:?}");
        assert!(adds.hits[0].words.contains(&"add".to_owned()) && adds.hits[0].score > 0);
        let by_name = search(app, tools.as_str()).await;
        assert_eq!(ids(&by_name)[0], tools, "the listing with this id is first");
        assert_eq!(by_name.hits[0].score, 100);
    }

    drop(agent);
    for _ in 0..5 {
        registry.recheck_after(DAY * 7).await;
        registry.advance(HOUR);
    }
    assert_eq!(registry.lane(&adder).await, "demoted");
    let adds = search(&elsewhere, "add two numbers").await;
    assert!(!ids(&adds).contains(&adder), "a demoted listing is no hit, although the index contains it");
    registry.index().await;
    assert_eq!(search(&elsewhere, "").await.searched, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn search_with_a_loaded_index_costs_one_read() {
    let options = TestOptions::default().delivered_once().with_cache_for_seconds();
    let (registry, _peer, _) = live_agents(options.with_setting("PROBE_WINDOW_CAP", 1000), 12).await;
    registry.index().await;
    assert_eq!(search(&registry.app, "").await.total, 12);
    for (text, reads) in [("add numbers", 1), ("", 1), ("no such thing at all", 0)] {
        let (_, calls) = registry.counted(search(&registry.app, text)).await;
        assert_eq!(calls.total(), reads, "{text}: only the hits are read");
    }
    let (_, calls) = registry.counted(registry.index()).await;
    assert_eq!(calls.total(), 1, "a run without work costs one query");
}

#[tokio::test(flavor = "multi_thread")]
async fn preloaded_index_is_used_by_the_first_search_and_after_a_change_of_the_settings() {
    let (registry, live) = with_index(2).await;
    let process = another_process(&registry.app);
    process.search.preload().await;
    let other_address = process.at(Some("https://registry.example.org".to_owned()));
    let (found, calls) = registry.counted(search(&other_address, "")).await;
    assert_eq!((found.total, calls.total()), (live.len(), 3), "the manifest, the counts and the hits");
}

#[tokio::test(flavor = "multi_thread")]
async fn first_search_loads_the_index_after_a_failed_preload() {
    let (registry, live) = with_index(2).await;
    let process = another_process(&registry.app);
    for operation in ["GetItem", "BatchGetItem"] {
        registry.observer.faults.arm(operation, Fault::Throttle, 100);
    }
    process.search.preload().await;
    registry.observer.faults.disarm();
    assert_eq!(process.search.version(), None);
    assert_eq!(search(&process, "").await.total, live.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_index_builds_lose_nothing() {
    let options = TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000);
    let (registry, _peer, all) = live_agents(options, 40).await;
    let twins: Vec<App> = (0..3).map(|_| another_process(&registry.app)).collect();
    let built = futures::future::join_all(twins.iter().map(|app| app.search.build())).await;
    assert!(built.iter().any(Result::is_ok), "{built:?}");
    registry.index().await;
    let everything = registry.app.search.find(&query("", 100), registry.app.clock.now()).await.unwrap();
    let mut listed = ids(&everything);
    listed.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    listed.dedup();
    assert_eq!((listed.len(), everything.total), (all.len(), all.len()));
}

#[tokio::test(flavor = "multi_thread")]
async fn next_index_build_does_the_work_of_a_failed_build() {
    let registry = TestRegistry::start_for_fleet().await;
    let agents = Peer::start(agents::fleet).await;
    let mut live = 0;
    for (fault, operation) in [
        (Fault::Throttle, "Query"),
        (Fault::Throttle, "BatchGetItem"),
        (Fault::Throttle, "TransactWriteItems"),
        (Fault::AnswerLost, "TransactWriteItems"),
        (Fault::Throttle, "DeleteItem"),
        (Fault::AnswerLost, "DeleteItem"),
    ] {
        registry.live_agents(&agents, live..live + 3).await;
        live += 3;
        let result = registry.with_fault(operation, fault, 100, registry.app.search.build()).await;
        assert!(result.is_err(), "{fault:?} at {operation} is reported");
        registry.index().await;
        let everything = search(&another_process(&registry.app), "").await;
        assert_eq!(everything.total, live as usize, "after {fault:?} at {operation}");
    }
    assert!(registry.app.store.dirty_marks(None, 10).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_listing_is_not_indexed_again() {
    let (registry, _peers, _) = live_fleet(3, 0).await;
    registry.recheck_after(DAY * 7 - HOUR).await;
    assert_eq!(registry.index().await["come"], 0, "a recheck that finds the same texts is not a change");
}

/// One transaction cannot write what the first round reads. The rest must not block the index.
#[tokio::test(flavor = "multi_thread")]
async fn large_listings_are_indexed_in_several_transactions() {
    let registry = TestRegistry::start().await;
    let app = &registry.app;
    for number in 0..300 {
        let (submission, mut listing) = submitted_listing(app, Kind::Agent, number);
        let words = (0..600).map(|n| Random::seeded(number as u64 * 1000 + n).hex(30));
        listing.texts.description = Some(words.collect::<Vec<_>>().join(" "));
        (listing.lane, listing.proof.live_since, listing.proof.last_ok_at) =
            (Lane::Active, Some(registry.now()), Some(registry.now()));
        let item = feed_item("listing_queued", &listing, registry.now());
        app.store.insert(&listing, None, &submission.contact, &item, None).await.unwrap();
    }
    assert_eq!(app.store.mark_listed_dirty(|_| true, registry.now()).await.unwrap(), 300);
    let before = registry.observer.tally.snapshot();
    let mut come = 0;
    // A slow machine needs more than one build.
    for _ in 0..8 {
        come += app.search.build().await.unwrap().come;
    }
    assert_eq!(come, 300);
    assert!(registry.observer.tally.since(&before).of("TransactWriteItems") > 1);
    assert!(app.store.dirty_marks(None, 10).await.unwrap().is_empty());
    assert_eq!(search(&another_process(app), "host").await.searched, 300);
}
