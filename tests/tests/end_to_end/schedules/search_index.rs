//! The `search-index` schedule: what goes Live is found, what is demoted is not, and neither crashes, throttling,
//! concurrent builds nor lost answers of the table leave the index wrong.

use std::time::Duration;

use local::engine::instrumented::Fault;
use registry::app::App;
use registry::events::Bus;
use registry::model::{ListingId, Random};
use registry::search::{Found, Query, Text};
use serde_json::json;
use tests::peers::{Peer, agents, servers};
use tests::test_registry::{DAY, HOUR, TestOptions, TestRegistry};

fn wanted(text: &str) -> Query {
    Query { text: Text::parse(text, "q").unwrap(), kind: None, category: None, skip: 0, limit: 20 }
}

async fn found(app: &App, text: &str) -> Found {
    app.search.find(&wanted(text), app.clock.now()).await.unwrap()
}

fn ids(found: &Found) -> Vec<ListingId> {
    found.hits.iter().map(|hit| hit.listing.id.clone()).collect()
}

/// Another function over the same table, with an index of its own.
fn another(app: &App) -> App {
    let settings = (*app.settings).clone();
    App::new(settings, app.store.clone(), Bus::Silent, app.clock.clone(), Random::seeded(1))
}

/// Live agents that have not been taken into the index yet.
async fn marked(registry: &TestRegistry, agents: &Peer, numbers: std::ops::Range<u32>) -> Vec<ListingId> {
    let mut ids = Vec::new();
    for number in numbers {
        let id = registry.publish_card(&agents.url(&format!("/{number}/card.json"))).await;
        registry.app.clock.advance(Duration::from_secs(1));
        registry.first_probe(&id).await;
        assert_eq!(registry.lane(&id).await, "active");
        ids.push(id);
    }
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_live_is_found_and_what_falls_is_not() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000)).await;
    let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::modern).await);
    assert!(found(&registry.app, "adds numbers").await.hits.is_empty(), "nothing is Live yet");

    let adder = registry.live_card(&agent.card()).await;
    let tools = registry.publish_mcp(&server.url("/mcp")).await;
    registry.deliver_events().await;
    let elsewhere = another(&registry.app);
    for app in [&registry.app, &elsewhere] {
        let adds = found(app, "add two numbers").await;
        assert_eq!(ids(&adds)[0], adder, "{adds:?}");
        assert!(adds.hits[0].words.contains(&"add".to_owned()) && adds.hits[0].score > 0);
        let by_name = found(app, tools.as_str()).await;
        assert_eq!(
            (ids(&by_name)[0].clone(), by_name.hits[0].score),
            (tools.clone(), 100),
            "an id stands first"
        );
    }

    drop(agent);
    for _ in 0..5 {
        registry.advance(DAY * 7);
        registry.recheck().await;
        registry.advance(HOUR);
    }
    assert_eq!(registry.lane(&adder).await, "demoted");
    let adds = found(&elsewhere, "add two numbers").await;
    assert!(!ids(&adds).contains(&adder), "what fell is no hit, though the index still has it");
    registry.index().await;
    assert_eq!(found(&elsewhere, "").await.searched, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warm_search_costs_one_read() {
    let registry = TestRegistry::start_with(
        TestOptions::default().without_read_cache().with_setting("PROBE_WINDOW_CAP", 1000),
    )
    .await;
    let agents = Peer::start(agents::fleet).await;
    marked(&registry, &agents, 0..12).await;
    registry.index().await;
    assert_eq!(found(&registry.app, "").await.total, 12);
    for text in ["add numbers", "", "no such thing at all"] {
        let before = registry.observer.tally.snapshot();
        found(&registry.app, text).await;
        assert_eq!(registry.observer.tally.since(&before).total(), 1, "{text}");
    }
    let before = registry.observer.tally.snapshot();
    registry.index().await;
    assert_eq!(registry.observer.tally.since(&before).total(), 1, "nothing to do costs one query");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_builds_lose_nothing() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000)).await;
    let agents = Peer::start(agents::fleet).await;
    let all = marked(&registry, &agents, 0..40).await;
    let twins: Vec<App> = (0..3).map(|_| another(&registry.app)).collect();
    let built = futures::future::join_all(twins.iter().map(|app| app.search.build())).await;
    assert!(built.iter().any(Result::is_ok), "{built:?}");
    registry.index().await;
    let everything = registry
        .app
        .search
        .find(&Query { limit: 100, ..wanted("") }, registry.app.clock.now())
        .await
        .unwrap();
    let mut seen = ids(&everything);
    seen.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    seen.dedup();
    assert_eq!((seen.len(), everything.total), (all.len(), all.len()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_build_that_fails_leaves_its_marks_for_the_next() {
    let registry = TestRegistry::start_with(
        TestOptions::default().without_read_cache().with_setting("PROBE_WINDOW_CAP", 1000),
    )
    .await;
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
        marked(&registry, &agents, live..live + 3).await;
        live += 3;
        registry.observer.faults.arm(operation, fault, 100);
        let broken = registry.app.search.build().await;
        registry.observer.faults.disarm();
        assert!(broken.is_err(), "{fault:?} at {operation} is told");
        registry.index().await;
        let everything = found(&another(&registry.app), "").await;
        assert_eq!(everything.total, live as usize, "after {fault:?} at {operation}");
    }
    assert!(registry.app.store.dirty_marks(10).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_build_that_is_cut_off_anywhere_is_made_up_for() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000)).await;
    let agents = Peer::start(agents::fleet).await;
    let all = marked(&registry, &agents, 0..10).await;
    for cut in 0..24 {
        let app = another(&registry.app);
        let mut build = Box::pin(app.search.build());
        // Polled so many times, then dropped, as if the process ended there.
        for _ in 0..cut {
            if futures::poll!(&mut build).is_ready() {
                break;
            }
        }
    }
    registry.index().await;
    assert_eq!(found(&another(&registry.app), "").await.total, all.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_listing_is_read_anew_and_an_unchanged_one_is_not() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000)).await;
    let agents = Peer::start(agents::fleet).await;
    marked(&registry, &agents, 0..3).await;
    registry.index().await;
    registry.advance(DAY * 7 - HOUR);
    registry.recheck().await;
    assert_eq!(registry.index().await["come"], json!(0), "a recheck that finds the same words is no change");
}
