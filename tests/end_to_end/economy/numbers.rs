//! Tests that the numbers of the economy operations can be calculated from their inputs, and that one sample is taken each
//! hour, however many ticks. The daily budget of first invitations grows with what the operator adds to the acceleration
//! index, up to a maximum, and then falls again. The activity of callers does not change it.

use futures::future::join_all;
use tests::prelude::*;

use crate::fixtures::{live_agent, live_pair, values_of};

const EXONOMICS: &str = "/api/products/exonomics";

#[tokio::test(flavor = "multi_thread")]
async fn acceleration_index_is_the_sum_of_its_inputs() {
    let pair = live_pair().await;
    let index = async || {
        let acceleration = pair.registry.call_tool("get_acceleration", &json!({})).await;
        let adds = |input: &Value| input["adds"].as_f64().unwrap();
        let sum: f64 = acceleration["inputs"].as_array().unwrap().iter().map(adds).sum();
        let index = acceleration["acceleration_index"].as_f64().unwrap();
        assert!((index - 1.0 - sum).abs() < 1e-5, "{acceleration}");
        let multipliers = acceleration["multipliers"].as_object().unwrap();
        assert_eq!(multipliers.keys().collect::<Vec<_>>(), ["match_boost", "day_budget"]);
        index
    };
    // Two listings and two good probes: 2 * .01 + 2 * .002, minus the decay of a second.
    let before = index().await;
    assert!((before - 1.024).abs() < 1e-4, "{before}");
    pair.registry.post("/api/products/demo", &json!({ "listing_id": pair.agent })).await;
    let after = index().await;
    assert!((after - before - 0.012).abs() < 1e-4, "a demo does not add .012: {before} {after}");
    pair.registry.post("/api/products/demo", &json!({ "listing_id": pair.agent })).await;
    assert_eq!(index().await, after, "a repeated demo changed the index");
}

#[tokio::test(flavor = "multi_thread")]
async fn network_value_follows_from_its_inputs() {
    let pair = live_pair().await;
    let measured = pair.registry.call_tool("network_value", &json!({})).await;
    let inputs = json!({ "N": 2.0, "C": 0.0, "O": 0.0, "F": 0.0, "dense": false });
    assert_eq!(measured["inputs"], inputs, "{measured}");
    assert_eq!(measured["value"], json!(0.0));
    let both = json!({ "listing_id": pair.agent, "listing_b": pair.server });
    pair.registry.call_tool("used_with", &both).await;
    pair.registry.call_tool("deposit_outcome", &json!({ "listing_id": pair.server, "ok": true })).await;
    pair.registry.settle();
    let used = pair.registry.call_tool("network_value", &json!({})).await;
    assert_eq!((&used["inputs"]["C"], &used["inputs"]["O"]), (&json!(0.5), &json!(0.5)), "{used}");
    // 2^1.15 * 50^1.25 * 50^1.2 * 0.5^1.1 = 2.219139 * 132.957397 * 109.336221 * 0.466516.
    assert!((used["value"].as_f64().unwrap() - 15_050.0).abs() < 10.0, "{used}");
}

#[tokio::test(flavor = "multi_thread")]
async fn listings_are_ranked_by_their_trails() {
    let pair = live_pair().await;
    pair.registry.call_tool("endorse", &json!({ "listing_id": pair.server })).await;
    pair.registry.settle();
    let both = json!({ "listing_ids": [pair.agent, pair.server, "agtpub_00000000000000000000", "?"] });
    let ranked = pair.registry.call_tool("abundance_rank", &both).await;
    let ids = values_of(&ranked["ranking"], "listing_id");
    assert_eq!(ids, [pair.server.as_str(), pair.agent.as_str()], "the endorsed one is not first: {ranked}");
    assert_eq!(ranked["unknown"], json!(["?", "agtpub_00000000000000000000"]));
    for row in ranked["ranking"].as_array().unwrap() {
        let number = |name: &str| row[name].as_f64().unwrap_or_default();
        let boost = 0.6 * number("outcome_score") + 0.4 * number("trail_boost").min(20.0);
        assert!((number("boost") - boost).abs() < 1e-5, "{row}");
    }
    let pack = pair.registry.call_tool("zero_mc_pack", &json!({})).await;
    assert_eq!((&pack["count"], &pack["capabilities"][0]["listing_id"]), (&json!(2), &json!(pair.server)));
    let making = &pack["marginal_cost"]["of_making_it"];
    assert!(making["table_operations"].as_u64().is_some_and(|calls| calls > 0));

    // One id more than is accepted.
    let too_many: Vec<String> = (0..51).map(|number| format!("mcp-{number}")).collect();
    for (wrong, status) in [
        (json!({ "action": "abundance_rank" }), 422),
        (json!({ "action": "abundance_rank", "listing_ids": too_many }), 422),
        (json!({ "action": "abundance_rank", "listing_ids": ["x"] }), 200),
    ] {
        assert_eq!(pair.registry.post(EXONOMICS, &wrong).await.status, status, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_registry_returns_its_initial_numbers() {
    let registry = TestRegistry::start().await;
    let overview = registry.get("/api/products/autocatalysis").await.ok();
    assert_members(&overview, &json!({ "ok": true, "acceleration_index": 1.0 }));
    assert_eq!(overview["s_curves"][0]["phase"], "seed");
    let exonomics = json!({ "ok": true, "/network_value/value": 0.0, "/hyper/hyper_mode": false });
    assert_members(&registry.get(EXONOMICS).await.ok(), &exonomics);
    assert_eq!(registry.call_tool("zero_mc_pack", &json!({})).await["count"], 0);
    registry.post(EXONOMICS, &json!({ "action": "fly" })).await.assert_refused(422, "unknown_action");
}

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const AUTOCATALYSIS: &str = "/api/products/autocatalysis";

async fn bump(registry: &TestRegistry, body: &Value, token: &str) -> Reply {
    registry.post_with_token(AUTOCATALYSIS, token, body).await
}

async fn day_budget(registry: &TestRegistry) -> Value {
    registry.get("/api/products/conversion-pressure").await.body
}

async fn start(options: TestOptions) -> (TestRegistry, Peer) {
    let options = options.with_setting("OPERATOR_TOKEN", TOKEN).with(|settings| settings.recheck_days = 3650);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::fleet).await);
    registry.publish_fleet(&peer, 0..40).await;
    registry.deliver_events().await;
    (registry, peer)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_operator_raises_the_daily_budget_up_to_a_bound() {
    let (registry, _peer) = start(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000)).await;
    // 40 listed and 40 answered a second ago, which raises the index. Only the operator raises the budget.
    let accelerated = registry.call_tool("get_acceleration", &json!({})).await;
    assert!(accelerated["acceleration_index"].as_f64().unwrap() > 1.4, "{accelerated}");
    let scaled = |cap: u32, by: f64| json!({ "base_cap": 12, "day_cap": cap, "/scaled_by/day_budget": by });
    assert_members(&day_budget(&registry).await, &scaled(12, 1.0));

    // 20 bumps of .08 * 3 exceed the bound.
    let claim = json!({ "action": "bump", "event": "founding_claim", "amount": 50 });
    for _ in 0..20 {
        bump(&registry, &claim, TOKEN).await.assert_body(200, &json!({ "added": 0.24 }));
    }
    assert_members(&day_budget(&registry).await, &scaled(21, 1.8));
    assert_eq!(registry.reach_out().await["invited"], 21);
    assert_eq!(registry.reach_out().await["invited"], 0, "the budget of the day was exceeded");

    // After 9 days (three half-lives) the bumps' 4.8 are .6: 1 + .4 * .6 = 1.24; 12 * 1.24 = 14.9.
    registry.advance(HOUR * 24 * 9);
    assert_members(&day_budget(&registry).await, &json!({ "day_cap": 14, "base_cap": 12 }));
    registry.advance(HOUR * 24 * 60);
    assert_eq!(day_budget(&registry).await["day_cap"], 12, "the acceleration did not decay");
}

#[tokio::test]
async fn only_the_operator_can_raise_acceleration() {
    let registry = TestRegistry::start_with_setting("OPERATOR_TOKEN", TOKEN).await;
    let body = json!({ "action": "bump", "amount": 10 });
    registry.post(AUTOCATALYSIS, &body).await.assert_refused(401, "operator_token_required");
    assert_eq!(bump(&registry, &body, "x").await.status, 403);
    for (event, amount) in
        [(json!("sleep"), 10), (json!(null), 10), (json!("take_demo"), 51), (json!("take_demo"), 0)]
    {
        let body = json!({ "action": "bump", "event": event, "amount": amount });
        assert_eq!(bump(&registry, &body, TOKEN).await.status, 422, "{body}");
    }
    assert_eq!(registry.call_tool("get_acceleration", &json!({})).await["acceleration_index"], 1.0);

    let added = bump(&registry, &json!({ "action": "bump", "event": "take_demo" }), TOKEN).await;
    added.assert_body(200, &json!({ "acceleration_index": 1.012, "counted_as": "operator_bump" }));
    let multipliers = registry.call_tool("get_acceleration", &json!({})).await;
    let shown = multipliers["inputs"].as_array().unwrap().last().unwrap().clone();
    let bump = json!({ "event": "operator_bump", "weight": 1.0, "count": 1, "recent": 0.012, "adds": 0.012 });
    assert_eq!(shown, bump);
}

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
    let tick = registry.try_run("probe-tick", json!({ "detail-type": "probe-tick" }));
    let _report = registry.with_fault("GetItem", Fault::ServiceError, 1000, tick).await;
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
    assert_members(&hyper, &json!({ "/inputs/samples": 2, "hyper_mode": false }));
    // 10 listings and 10 good probes, half-life 72 hours: (0.1 + 0.02) * 2^(-2 / 72) = .11771 after two hours.
    let index = samples(&registry).await[1]["acceleration_index"].as_f64().unwrap();
    let per_hour = hyper["hyper_index"].as_f64().unwrap();
    assert!((index - 1.117_71).abs() < 1e-4 && (per_hour - 0.117_71 / 2.000_278).abs() < 1e-4, "{hyper}");

    // A day after the first sample, twelve more listings.
    registry.tick_after(HOUR * 22).await;
    publish(10, 22).await;
    let listings = &registry.call_tool("s_curve_board", &json!({})).await["s_curves"][0];
    let steep = json!({ "id": "listings", "value": 22.0, "/inputs/growth": 22.0, "phase": "steep",
        "accelerating": true });
    assert_members(listings, &steep);

    // The first sample of this registry contains a listing. Before that sample, there were none.
    let (registry, _peer, _id) = live_agent().await;
    registry.tick().await;
    let newest = samples(&registry).await.pop().unwrap();
    assert_eq!(newest["counts"]["listings"], 1, "{newest}");
    let listings = &registry.call_tool("s_curve_board", &json!({})).await["s_curves"][0];
    let inputs = json!({ "a_day_ago": 0.0, "two_days_ago": 0.0, "growth": 1.0, "growth_before": 0.0 });
    assert_eq!(listings["inputs"], inputs);
}
