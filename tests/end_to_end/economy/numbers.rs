//! Tests that the numbers of the economy operations can be calculated from their inputs.

use serde_json::{Value, json};
use tests::assertions::assert_members;
use tests::test_registry::TestRegistry;

use crate::fixtures::{live_pair, values_of};

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
    pair.registry
        .post(
            "/api/products/stigmergy",
            &json!({ "action": "used_with", "listing_id": pair.agent, "listing_b": pair.server }),
        )
        .await;
    let outcome = json!({ "action": "deposit_outcome", "listing_id": pair.server, "ok": true });
    pair.registry.post("/api/products/interop", &outcome).await;
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
    let exonomics = registry.get(EXONOMICS).await.ok();
    assert_eq!(exonomics["ok"], true);
    assert_eq!(exonomics["network_value"]["value"], 0.0);
    assert_eq!(exonomics["hyper"]["hyper_mode"], false);
    assert_eq!(registry.call_tool("zero_mc_pack", &json!({})).await["count"], 0);
    registry.post(EXONOMICS, &json!({ "action": "fly" })).await.assert_refused(422, "unknown_action");
}
