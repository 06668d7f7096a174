//! Delivers the events of the bus and the schedules more than once, late, in any order and at the same time. Afterwards, each
//! item of the table must be the same as if each event had been delivered once and in order. If no event is delivered, no
//! listing is lost, because the schedules find the work in the table. Expired items are deleted.

use std::time::Duration;

use futures::future::join_all;
use registry::model::Random;
use tests::prelude::*;
use tests::test_registry::{Table, listing_queued_event};

use crate::fixtures::live_agent;

/// The delay of a late delivery. In the template the bus and the schedules stop retrying after five minutes.
const LATE: Duration = Duration::from_secs(170);
const ORDERS: u64 = 6;
const ROUNDS: usize = 3;

/// The versions of index buckets depend on the order, too.
const INDEX: [&str; 2] = ["INDEX", "SLOT#evidence-log"];

/// Agents, a server and a peer that fails.
async fn peers() -> [Peer; 3] {
    [
        Peer::start(agents::fleet).await,
        Peer::start(servers::legacy).await,
        Peer::start(agents::only(404)).await,
    ]
}

/// A registry with listings of these peers, and the ids of the listings.
async fn published(peers: &[Peer; 3]) -> (TestRegistry, Vec<ListingId>) {
    let registry = TestRegistry::start_for_fleet().await;
    let mut ids = registry.publish_fleet(&peers[0], 0..6).await;
    ids.push(registry.publish_mcp(&peers[1].url("/mcp")).await);
    ids.push(registry.publish_card(&peers[2].card()).await);
    (registry, ids)
}

fn scheduled(registry: &TestRegistry) -> Vec<Value> {
    let event =
        |what: &str| json!({ "source": "registry.schedule", "detail-type": what, "time": registry.now() });
    ["probe-tick", "weekly-recheck", "search-index"].map(event).to_vec()
}

async fn deliver(registry: &TestRegistry, event: &Value) {
    let (app, event) = (&registry.app, event.clone());
    match event["detail-type"].as_str().unwrap() {
        "probe-tick" | "listing.queued" => drop(probe_tick::handle(app, event).await.unwrap()),
        "weekly-recheck" => drop(weekly_recheck::handle(app, event).await.unwrap()),
        _ => drop(search_index::handle(app, event).await.unwrap()),
    }
}

fn shuffle<T>(items: &mut [T], random: &Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, usize::try_from(random.below(last as u64 + 1)).unwrap());
    }
}

/// The part of the table that must be the same. It leaves out `others`, and what depends on the order of runs: who ran last, what was
/// Live then, the order of leaves and changes, random keys, and keys whose digest contains latencies.
fn comparable(table: Table, others: &[&str]) -> Table {
    let order_dependent = ["CHANGE", "CLOCK", "ECONOMY", "KEY#LOG", "KEY#MESSAGE", "LOG#"];
    let table = table.without(&order_dependent).without(others);
    table.without_sort_keys(&["LEAF#", "LAST_LEAF", "EVIDENCE#", "OVERDUE"]).without_machine_times()
}

#[tokio::test(flavor = "multi_thread")]
async fn event_order_and_duplicates_do_not_change_the_result() {
    let peers = peers().await;
    let (registry, ids) = published(&peers).await;
    for round in 0..ROUNDS {
        let queued: Vec<Value> = ids.iter().map(listing_queued_event).collect();
        for event in queued.iter().filter(|_| round == 0).chain(&scheduled(&registry)) {
            deliver(&registry, event).await;
        }
        registry.advance(LATE);
    }
    let (expected, live) = (comparable(registry.table().await, &INDEX), registry.live_counts().await);
    assert_eq!(live, (6, 1));

    for order in 0..ORDERS {
        let random = Random::seeded(order);
        let (registry, ids) = published(&peers).await;
        let mut held_back: Vec<Value> = Vec::new();
        for round in 0..ROUNDS {
            let mut events = std::mem::take(&mut held_back);
            let queued = ids.iter().filter(|_| round == 0).map(listing_queued_event);
            for event in queued.chain(scheduled(&registry)) {
                for copy in 0..1 + random.below(3) {
                    // At least one copy is on time.
                    let is_late = copy > 0 && round + 1 < ROUNDS && random.below(3) == 0;
                    if is_late { held_back.push(event.clone()) } else { events.push(event.clone()) }
                }
            }
            shuffle(&mut events, &random);
            for event in &events {
                deliver(&registry, event).await;
            }
            registry.advance(LATE);
        }
        let found = comparable(registry.table().await, &INDEX);
        assert_eq!(expected.difference(&found), [""; 0], "order {order}");
        assert_eq!(registry.live_counts().await, live, "order {order}");
    }
}

const AGENTS: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn schedules_find_all_listings_without_the_event_bus() {
    let registry = TestRegistry::start_for_fleet().await;
    let (agents, server) = (Peer::start(agents::fleet).await, Peer::start(servers::modern).await);
    registry.cut_bus();
    let mut ids = registry.publish_fleet(&agents, 0..AGENTS).await;
    ids.push(registry.publish_mcp(&server.url("/mcp")).await);
    assert_eq!(registry.live_counts().await, (0, 0), "no event was delivered");
    let mut ticks = 0;
    while registry.live_counts().await != (AGENTS as u64, 1) {
        assert!(ticks < 10, "the tick does not find the listings");
        registry.tick_after(TICK).await;
        ticks += 1;
    }
    registry.index().await;
    for id in &ids {
        assert_eq!(registry.lane(id).await, "active");
        let found = registry.get(&format!("/api/ard/search?q={id}&limit=1")).await;
        assert_eq!(found.body["hits"][0]["listing_id"], id.as_str(), "{}", found.body);
    }
    assert!(registry.events().is_empty());
}

#[tokio::test]
async fn expired_items_are_deleted_and_listings_stay() {
    let (registry, _peer, id) = live_agent().await;
    for _ in 0..8 {
        registry.recheck_after(DAY * 6).await;
        registry.recheck_after(HOUR * 12).await;
        registry.tick().await;
    }
    assert!(registry.sweep_expired() > 0);
    assert!(registry.table().await.items_under("FEED").is_empty(), "feed items expire after thirty days");
    assert_eq!((registry.lane(&id).await.as_str(), registry.live_counts().await), ("active", (1, 0)));
    assert_eq!(registry.status(&id).await["checks_clean"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_runs_have_the_effect_of_one_run() {
    let peers = peers().await;
    let mut tables = Vec::new();
    for concurrent_runs in [1, 6] {
        let (registry, ids) = published(&peers).await;
        let all = join_all((0..concurrent_runs).map(|_| async {
            let events = join_all(ids.iter().map(|id| registry.first_probe(id)));
            futures::join!(registry.tick(), registry.recheck(), events)
        }));
        all.await;
        assert_eq!(registry.live_counts().await, (6, 1));
        // Adds the remaining decisions to the evidence log.
        registry.tick().await;
        let table = registry.table().await;
        let counts = ["ECONOMY", "LOG#PENDING"].map(|kind| table.items_under(kind).len());
        let checkpoint = registry.get("/log/checkpoint").await.body;
        assert_eq!(checkpoint.as_str().and_then(|text| text.lines().nth(1)), Some("7"), "{checkpoint}");
        tables.push((counts, comparable(table, &[])));
    }
    assert_eq!(tables[0].0, tables[1].0);
    assert_eq!(tables[0].1.difference(&tables[1].1), [""; 0]);
}
