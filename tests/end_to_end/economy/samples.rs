//! Tests the hourly samples: one for each hour, however many ticks. Other values are computed from them.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::instrumented::Fault;
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, TICK, TestRegistry};

use crate::fixtures::live_agent;

async fn samples(registry: &TestRegistry) -> Vec<Value> {
    let table = registry.table().await;
    let items = table.items_under("ECONOMY ").into_iter();
    items.map(|item| serde_json::from_str(item["sample"].as_str().unwrap()).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_sample_is_taken_per_hour_for_any_number_of_ticks() {
    let registry = TestRegistry::start().await;
    // Four ticks at the same moment, then two at every tick time within the hour.
    join_all((0..4).map(|_| registry.tick())).await;
    for _ in 0..9 {
        registry.advance(TICK);
        join_all((0..2).map(|_| registry.tick())).await;
    }
    assert_eq!(samples(&registry).await.len(), 1);
    registry.tick_after(TICK).await;
    let two = samples(&registry).await;
    assert_eq!(two.len(), 2);
    assert_eq!(two[1]["at"], json!(registry.now()));
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_sample_is_taken_by_the_next_tick() {
    let registry = TestRegistry::start().await;
    registry.tick().await;
    registry.advance(HOUR);
    // Reads fail, so the tick cannot take its sample.
    registry.observer.faults.arm("GetItem", Fault::ServiceError, 1000);
    let _report = registry.try_run("probe-tick", json!({ "detail-type": "probe-tick" })).await;
    registry.observer.faults.disarm();
    assert_eq!(samples(&registry).await.len(), 1, "a partial sample was written");
    registry.tick_after(TICK).await;
    assert_eq!(samples(&registry).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_expire_after_forty_days() {
    let registry = TestRegistry::start().await;
    registry.tick().await;
    registry.advance(HOUR * 24 * 40);
    registry.sweep_expired();
    assert_eq!(samples(&registry).await.len(), 1);
    registry.advance(HOUR);
    registry.sweep_expired();
    assert_eq!(samples(&registry).await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn growth_and_curves_are_computed_from_samples() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    registry.tick().await;
    let publish = async |from: usize, to: usize| {
        registry.publish_fleet(&peer, from..to).await;
        registry.deliver_events().await;
    };
    publish(0, 10).await;
    registry.tick_after(HOUR * 2).await;

    assert_eq!(registry.get("/api/products/autocatalysis").await.body["totals"]["listings"], 10);

    // The index in the two samples, which are two hours and a second apart.
    let hyper = registry.call_tool("hyper_index", &json!({})).await;
    let samples_so_far = samples(&registry).await;
    let index = |sample: usize| samples_so_far[sample]["acceleration_index"].as_f64().unwrap();
    assert_eq!((index(0), hyper["inputs"]["samples"].clone()), (1.0, json!(2)));
    // 10 listings and 10 good probes, half-life 72 hours: (0.1 + 0.02) * 2^(-2 / 72) = .11771 after two hours.
    assert!((index(1) - 1.117_71).abs() < 1e-4, "{samples_so_far:?}");
    let per_hour = hyper["hyper_index"].as_f64().unwrap();
    assert!((per_hour - 0.117_71 / 2.000_278).abs() < 1e-4, "{hyper}");
    assert_eq!(hyper["hyper_mode"], false);

    // A day after the first sample, twelve more listings.
    registry.tick_after(HOUR * 22).await;
    publish(10, 22).await;
    let listings = &registry.call_tool("s_curve_board", &json!({})).await["s_curves"][0];
    assert_eq!((&listings["id"], &listings["value"]), (&json!("listings"), &json!(22.0)));
    assert_eq!(listings["inputs"]["growth"], 22.0, "a day ago there were listings: {listings}");
    assert_eq!((&listings["phase"], &listings["accelerating"]), (&json!("steep"), &json!(true)));

    // The first sample of this registry contains a listing. Before that sample, there were none.
    let (registry, _peer, _id) = live_agent().await;
    registry.tick().await;
    let newest = samples(&registry).await.pop().unwrap();
    assert_eq!(newest["counts"]["listings"], 1, "{newest}");
    let listings = &registry.call_tool("s_curve_board", &json!({})).await["s_curves"][0];
    let inputs = json!({ "a_day_ago": 0.0, "two_days_ago": 0.0, "growth": 1.0, "growth_before": 0.0 });
    assert_eq!(listings["inputs"], inputs);
}
