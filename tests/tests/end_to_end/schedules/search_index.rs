//! The `search-index` schedule: what goes Live is found, what is demoted is not, and neither crashes, throttling,
//! concurrent builds nor lost answers of the table leave the index wrong.

use std::time::Duration;

use local::engine::observed::Fault;
use registry::app::App;
use registry::events::Bus;
use registry::model::{ListingId, Random};
use registry::search::{Found, Query, Text};
use serde_json::json;
use tests::peers::{Peer, agents, servers};
use tests::world::{DAY, HOUR, Wish, World};

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
async fn marked(world: &World, agents: &Peer, numbers: std::ops::Range<u32>) -> Vec<ListingId> {
    let mut ids = Vec::new();
    for number in numbers {
        let id = world.publish_card(&agents.url(&format!("/{number}/card.json"))).await;
        world.app.clock.advance(Duration::from_secs(1));
        world.first_probe(&id).await;
        assert_eq!(world.lane(&id).await, "active");
        ids.push(id);
    }
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_live_is_found_and_what_falls_is_not() {
    let world = World::with(Wish::default().and("PROBE_WINDOW_CAP", 1000)).await;
    let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::modern).await);
    assert!(found(&world.app, "adds numbers").await.hits.is_empty(), "nothing is Live yet");

    let adder = world.live_card(&agent.card()).await;
    let tools = world.publish_mcp(&server.url("/mcp")).await;
    world.deliver().await;
    let elsewhere = another(&world.app);
    for app in [&world.app, &elsewhere] {
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
        world.advance(DAY * 7);
        world.recheck().await;
        world.advance(HOUR);
    }
    assert_eq!(world.lane(&adder).await, "demoted");
    let adds = found(&elsewhere, "add two numbers").await;
    assert!(!ids(&adds).contains(&adder), "what fell is no hit, though the index still has it");
    world.index().await;
    assert_eq!(found(&elsewhere, "").await.searched, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warm_search_costs_one_read() {
    let world = World::with(Wish::default().forgetful().and("PROBE_WINDOW_CAP", 1000)).await;
    let agents = Peer::start(agents::fleet).await;
    marked(&world, &agents, 0..12).await;
    world.index().await;
    assert_eq!(found(&world.app, "").await.total, 12);
    for text in ["add numbers", "", "no such thing at all"] {
        let before = world.observer.tally.snapshot();
        found(&world.app, text).await;
        assert_eq!(world.observer.tally.since(&before).total(), 1, "{text}");
    }
    let before = world.observer.tally.snapshot();
    world.index().await;
    assert_eq!(world.observer.tally.since(&before).total(), 1, "nothing to do costs one query");
}

#[tokio::test(flavor = "multi_thread")]
async fn twins_that_build_at_once_lose_nothing() {
    let world = World::with(Wish::default().and("PROBE_WINDOW_CAP", 1000)).await;
    let agents = Peer::start(agents::fleet).await;
    let all = marked(&world, &agents, 0..40).await;
    let twins: Vec<App> = (0..3).map(|_| another(&world.app)).collect();
    let built = futures::future::join_all(twins.iter().map(|app| app.search.build())).await;
    assert!(built.iter().any(Result::is_ok), "{built:?}");
    world.index().await;
    let everything =
        world.app.search.find(&Query { limit: 100, ..wanted("") }, world.app.clock.now()).await.unwrap();
    let mut seen = ids(&everything);
    seen.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    seen.dedup();
    assert_eq!((seen.len(), everything.total), (all.len(), all.len()));
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_weather_leaves_the_marks_for_the_next_build() {
    let world = World::with(Wish::default().forgetful().and("PROBE_WINDOW_CAP", 1000)).await;
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
        marked(&world, &agents, live..live + 3).await;
        live += 3;
        world.observer.faults.arm(operation, fault, 100);
        let broken = world.app.search.build().await;
        world.observer.faults.disarm();
        assert!(broken.is_err(), "{fault:?} at {operation} is told");
        world.index().await;
        let everything = found(&another(&world.app), "").await;
        assert_eq!(everything.total, live as usize, "after {fault:?} at {operation}");
    }
    assert!(world.app.store.changed(10).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_build_that_is_cut_off_anywhere_is_made_up_for() {
    let world = World::with(Wish::default().and("PROBE_WINDOW_CAP", 1000)).await;
    let agents = Peer::start(agents::fleet).await;
    let all = marked(&world, &agents, 0..10).await;
    for cut in 0..12 {
        let app = another(&world.app);
        let mut build = Box::pin(app.search.build());
        // Polled so many times, then dropped, as if the process ended there.
        for _ in 0..cut {
            if futures::poll!(&mut build).is_ready() {
                break;
            }
        }
    }
    world.index().await;
    assert_eq!(found(&another(&world.app), "").await.total, all.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_listing_is_read_anew_and_an_unchanged_one_is_not() {
    let world = World::with(Wish::default().and("PROBE_WINDOW_CAP", 1000)).await;
    let agents = Peer::start(agents::fleet).await;
    marked(&world, &agents, 0..3).await;
    world.index().await;
    world.advance(DAY * 7);
    world.recheck().await;
    assert_eq!(world.index().await["come"], json!(0), "a recheck that finds the same words is no change");
}
