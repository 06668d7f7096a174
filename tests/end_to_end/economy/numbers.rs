//! Tests that the numbers of the economy operations can be calculated from their inputs, and that one sample is taken each
//! hour, however many ticks. The daily budget of first invitations grows with what the operator adds to the acceleration
//! index, up to a maximum, and then falls again. The activity of callers does not change it.

use std::ops::Range;

use futures::future::join_all;
use tests::prelude::*;

use crate::fixtures::{LivePair, live_agent, live_pair, values_of};

const EXONOMICS: &str = "/api/products/exonomics";
const AUTOCATALYSIS: &str = "/api/products/autocatalysis";
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Two listings and two good probes: 2 * .01 + 2 * .002, minus the decay of a second. A demo adds .012 once.
#[tokio::test(flavor = "multi_thread")]
async fn acceleration_index_is_the_sum_of_its_inputs() {
    let pair = live_pair().await;
    for expected in [1.024, 1.036, 1.036] {
        let acceleration = pair.registry.call_tool("get_acceleration", &json!({})).await;
        let inputs = acceleration["inputs"].as_array().unwrap().iter();
        let sum: f64 = inputs.map(|input| input["adds"].as_f64().unwrap()).sum();
        let index = acceleration["acceleration_index"].as_f64().unwrap();
        assert!((index - 1.0 - sum).abs() < 1e-5, "{acceleration}");
        assert!((index - expected).abs() < 1e-4, "{acceleration}");
        let multipliers = acceleration["multipliers"].as_object().unwrap();
        assert_eq!(multipliers.keys().collect::<Vec<_>>(), ["match_boost", "day_budget"]);
        pair.registry.demo(&pair.agent).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn network_value_follows_from_its_inputs() {
    let LivePair { registry, agent, server, peers: _peers } = live_pair().await;
    let measured = registry.call_tool("network_value", &json!({})).await;
    let inputs = json!({ "N": 2.0, "C": 0.0, "O": 0.0, "F": 0.0, "dense": false });
    assert_members(&measured, &json!({ "inputs": inputs, "value": 0.0 }));
    registry.call_tool("used_with", &json!({ "listing_id": agent, "listing_b": server })).await;
    registry.call_tool("deposit_outcome", &json!({ "listing_id": server, "ok": true })).await;
    registry.settle();
    let used = registry.call_tool("network_value", &json!({})).await;
    assert_members(&used["inputs"], &json!({ "C": 0.5, "O": 0.5 }));
    // 2^1.15 * 50^1.25 * 50^1.2 * 0.5^1.1 = 2.219139 * 132.957397 * 109.336221 * 0.466516.
    assert!((used["value"].as_f64().unwrap() - 15_050.0).abs() < 10.0, "{used}");
}

#[tokio::test(flavor = "multi_thread")]
async fn listings_are_ranked_by_their_trails() {
    let LivePair { registry, agent, server, peers: _peers } = live_pair().await;
    registry.call_tool("endorse", &json!({ "listing_id": server })).await;
    registry.settle();
    let both = json!({ "listing_ids": [agent, server, "agtpub_00000000000000000000", "?"] });
    let ranked = registry.call_tool("abundance_rank", &both).await;
    let ids = values_of(&ranked["ranking"], "listing_id");
    assert_eq!(ids, [server.as_str(), agent.as_str()], "the endorsed one is not first: {ranked}");
    assert_eq!(ranked["unknown"], json!(["?", "agtpub_00000000000000000000"]));
    for row in ranked["ranking"].as_array().unwrap() {
        let number = |name: &str| row[name].as_f64().unwrap_or_default();
        let boost = 0.6 * number("outcome_score") + 0.4 * number("trail_boost").min(20.0);
        assert!((number("boost") - boost).abs() < 1e-5, "{row}");
    }
    let pack = registry.call_tool("zero_mc_pack", &json!({})).await;
    assert_members(&pack, &json!({ "count": 2, "/capabilities/0/listing_id": server }));
    assert!(
        pack["marginal_cost"]["of_making_it"]["table_operations"].as_u64().is_some_and(|calls| calls > 0)
    );

    // One id more than is accepted.
    let too_many: Vec<String> = (0..51).map(|number| format!("mcp-{number}")).collect();
    for wrong in [json!({}), json!({ "listing_ids": too_many })] {
        assert_eq!(registry.refused_tool("abundance_rank", &wrong).await["status"], 422, "{wrong}");
    }
    registry.call_tool("abundance_rank", &json!({ "listing_ids": ["x"] })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_registry_returns_its_initial_numbers() {
    let registry = TestRegistry::start().await;
    let overview = json!({ "ok": true, "acceleration_index": 1.0, "/s_curves/0/phase": "seed" });
    assert_members(&registry.get(AUTOCATALYSIS).await.ok(), &overview);
    let exonomics = json!({ "ok": true, "/network_value/value": 0.0, "/hyper/hyper_mode": false });
    assert_members(&registry.get(EXONOMICS).await.ok(), &exonomics);
    assert_eq!(registry.call_tool("zero_mc_pack", &json!({})).await["count"], 0);
    registry.post(EXONOMICS, &json!({ "action": "fly" })).await.assert_refused(422, "unknown_action");
}

async fn bump(registry: &TestRegistry, body: &Value, token: &str) -> Reply {
    registry.post_with_token(AUTOCATALYSIS, token, body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_operator_raises_the_daily_budget_up_to_a_bound() {
    let options = TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000);
    let options = options.with_setting("OPERATOR_TOKEN", TOKEN).with(|settings| settings.recheck_days = 3650);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::fleet).await);
    registry.publish_fleet(&peer, 0..40).await;
    registry.deliver_events().await;
    // 40 listed and 40 answered a second ago, which raises the index. Only the operator raises the budget.
    let accelerated = registry.call_tool("get_acceleration", &json!({})).await;
    assert!(accelerated["acceleration_index"].as_f64().unwrap() > 1.4, "{accelerated}");
    let assert_budget = async |cap: u32, by: Value| {
        let pressure = registry.get("/api/products/conversion-pressure").await.body;
        assert_members(&pressure, &with_members(json!({ "base_cap": 12, "day_cap": cap }), &by));
    };
    assert_budget(12, json!({ "/scaled_by/day_budget": 1.0 })).await;

    // 20 bumps of .08 * 3 exceed the bound.
    let claim = json!({ "action": "bump", "event": "founding_claim", "amount": 50 });
    for _ in 0..20 {
        bump(&registry, &claim, TOKEN).await.assert_body(200, &json!({ "added": 0.24 }));
    }
    assert_budget(21, json!({ "/scaled_by/day_budget": 1.8 })).await;
    assert_eq!(registry.reach_out().await["invited"], 21);
    assert_eq!(registry.reach_out().await["invited"], 0, "the budget of the day was exceeded");

    // After 9 days (three half-lives) the bumps' 4.8 are .6: 1 + .4 * .6 = 1.24; 12 * 1.24 = 14.9.
    registry.advance(HOUR * 24 * 9);
    assert_budget(14, json!({})).await;
    registry.advance(HOUR * 24 * 60);
    assert_budget(12, json!({})).await;
}

#[tokio::test]
async fn only_the_operator_can_raise_acceleration() {
    let registry = TestRegistry::start_with_setting("OPERATOR_TOKEN", TOKEN).await;
    let body = json!({ "action": "bump", "event": "take_demo", "amount": 10 });
    registry.post(AUTOCATALYSIS, &body).await.assert_refused(401, "operator_token_required");
    assert_eq!(bump(&registry, &body, "x").await.status, 403);
    for wrong in [
        json!({ "event": "sleep" }),
        json!({ "event": null }),
        json!({ "amount": 51 }),
        json!({ "amount": 0 }),
    ] {
        assert_eq!(bump(&registry, &with_members(body.clone(), &wrong), TOKEN).await.status, 422, "{wrong}");
    }
    let acceleration = async || registry.call_tool("get_acceleration", &json!({})).await;
    assert_eq!(acceleration().await["acceleration_index"], 1.0);

    let added = bump(&registry, &json!({ "action": "bump", "event": "take_demo" }), TOKEN).await;
    added.assert_body(200, &json!({ "acceleration_index": 1.012, "counted_as": "operator_bump" }));
    let bump = json!({ "event": "operator_bump", "weight": 1.0, "count": 1, "recent": 0.012, "adds": 0.012 });
    assert_eq!(acceleration().await["inputs"].as_array().unwrap().last(), Some(&bump));
}

async fn samples(registry: &TestRegistry) -> Vec<Value> {
    let table = registry.table().await;
    let items = table.items_under("ECONOMY ").into_iter();
    items.map(|item| serde_json::from_str(item["sample"].as_str().unwrap()).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_sample_is_taken_per_hour_for_any_number_of_ticks_and_expires_after_forty_days() {
    let registry = TestRegistry::start().await;
    // Four ticks at the same moment, then two at every tick time within the hour.
    join_all((0..4).map(|_| registry.tick())).await;
    for _ in 0..9 {
        registry.advance(TICK);
        join_all((0..2).map(|_| registry.tick())).await;
    }
    assert_eq!(samples(&registry).await.len(), 1);
    // Reads fail, so the tick cannot take its sample; the next one does.
    registry.advance(TICK);
    let tick = registry.try_run("probe-tick", json!({ "detail-type": "probe-tick" }));
    let _report = registry.with_fault("GetItem", Fault::ServiceError, 1000, tick).await;
    assert_eq!(samples(&registry).await.len(), 1, "a partial sample was written");
    registry.tick_after(TICK).await;
    let two = samples(&registry).await;
    assert_eq!((two.len(), &two[1]["at"]), (2, &json!(registry.now())));
    // The first is 66 minutes older than the second.
    for (wait, left) in [(DAY * 40 - HOUR * 2, 2), (HOUR, 1), (HOUR * 2, 0)] {
        registry.advance(wait);
        registry.sweep_expired();
        assert_eq!(samples(&registry).await.len(), left);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn growth_and_curves_are_computed_from_samples() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    registry.tick().await;
    let publish = async |numbers: Range<usize>| {
        registry.publish_fleet(&peer, numbers).await;
        registry.deliver_events().await;
    };
    publish(0..10).await;
    registry.tick_after(HOUR * 2).await;
    assert_eq!(registry.get(AUTOCATALYSIS).await.body["totals"]["listings"], 10);

    // The index in the two samples, which are two hours and a second apart.
    let hyper = registry.call_tool("hyper_index", &json!({})).await;
    assert_members(&hyper, &json!({ "/inputs/samples": 2, "hyper_mode": false }));
    // 10 listings and 10 good probes, half-life 72 hours: (0.1 + 0.02) * 2^(-2 / 72) = .11771 after two hours.
    let index = samples(&registry).await[1]["acceleration_index"].as_f64().unwrap();
    let per_hour = hyper["hyper_index"].as_f64().unwrap();
    assert!((index - 1.117_71).abs() < 1e-4 && (per_hour - 0.117_71 / 2.000_278).abs() < 1e-4, "{hyper}");

    // A day after the first sample, twelve more listings.
    registry.tick_after(HOUR * 22).await;
    publish(10..22).await;
    let steep = json!({ "id": "listings", "value": 22.0, "/inputs/growth": 22.0, "phase": "steep",
        "accelerating": true });
    assert_members(&registry.call_tool("s_curve_board", &json!({})).await["s_curves"][0], &steep);

    // The first sample of this registry contains a listing. Before that sample, there were none.
    let (registry, _peer, _id) = live_agent().await;
    registry.tick().await;
    assert_eq!(samples(&registry).await[0]["counts"]["listings"], 1);
    let inputs = json!({ "a_day_ago": 0.0, "two_days_ago": 0.0, "growth": 1.0, "growth_before": 0.0 });
    assert_eq!(registry.call_tool("s_curve_board", &json!({})).await["s_curves"][0]["inputs"], inputs);
}
