//! Delivers the events of the bus and the schedules more than once, late and in any order. Afterwards, each
//! item of the table must be the same as if each event had been delivered once and in order.

use std::time::Duration;

use registry::model::{ListingId, Random};
use serde_json::{Value, json};
use tests::peers::{Peer, agents, servers};
use tests::test_registry::{Table, TestRegistry, listing_queued_event};

use super::print_row;

/// The delay of a late delivery. In the template the bus and the schedules stop retrying after five minutes.
const LATE: Duration = Duration::from_secs(170);
const ORDERS: u64 = 6;
const ROUNDS: usize = 3;

/// The versions of index buckets depend on the order, too.
const INDEX: [&str; 2] = ["INDEX", "SLOT#evidence-log"];

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
pub(crate) fn comparable(table: Table, others: &[&str]) -> Table {
    let order_dependent = ["CHANGE", "CLOCK", "ECONOMY", "KEY#LOG", "KEY#MESSAGE", "LOG#"];
    let table = table.without(&order_dependent).without(others);
    table.without_sort_keys(&["LEAF#", "LAST_LEAF", "EVIDENCE#", "OVERDUE"]).without_machine_times()
}

#[tokio::test(flavor = "multi_thread")]
async fn event_order_and_duplicates_do_not_change_the_result() {
    let peers = [
        Peer::start(agents::fleet).await,
        Peer::start(servers::legacy).await,
        Peer::start(agents::only(404)).await,
    ];
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

    let (mut delivered, mut repeated, mut late) = (0, 0, 0);
    for order in 0..ORDERS {
        let random = Random::seeded(order);
        let (registry, ids) = published(&peers).await;
        let mut held_back: Vec<Value> = Vec::new();
        for round in 0..ROUNDS {
            let mut events = std::mem::take(&mut held_back);
            late += events.len();
            let queued = ids.iter().filter(|_| round == 0).map(listing_queued_event);
            for event in queued.chain(scheduled(&registry)) {
                let copies = 1 + random.below(3);
                repeated += usize::try_from(copies - 1).unwrap();
                for copy in 0..copies {
                    // At least one copy is on time.
                    let is_late = copy > 0 && round + 1 < ROUNDS && random.below(3) == 0;
                    if is_late { held_back.push(event.clone()) } else { events.push(event.clone()) }
                }
            }
            shuffle(&mut events, &random);
            delivered += events.len();
            for event in &events {
                deliver(&registry, event).await;
            }
            registry.advance(LATE);
        }
        let found = comparable(registry.table().await, &INDEX);
        assert_eq!(expected.difference(&found), [""; 0], "order {order}");
        assert_eq!(registry.live_counts().await, live, "order {order}");
    }
    print_row(
        "schedule and bus events repeated, late, reordered",
        &format!(
            "{ORDERS} random orders, {delivered} deliveries, {repeated} of them repeated, {late} late, \
             every table as after one delivery each in order"
        ),
    );
}
