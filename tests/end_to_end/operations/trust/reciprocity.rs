//! Tests `get_reciprocity`: a score from stored signals, its reasons, and the graph of a listing.

use serde_json::{Value, json};
use tests::assertions::assert_members;
use tests::peers::{Peer, agents};
use tests::test_registry::{DAY, TICK, TestRegistry};

use super::attest_listing;

fn points(answer: &Value) -> Vec<(&str, u64)> {
    let signals = answer["signals"].as_array().unwrap().iter();
    signals.map(|signal| (signal["id"].as_str().unwrap(), signal["points"].as_u64().unwrap())).collect()
}

#[tokio::test]
async fn reciprocity_score_is_the_sum_of_stored_signals() {
    let registry = TestRegistry::start().await;
    let text = format!("Adds two numbers. Listed at {}.", registry.app.settings.base_url);
    let linking = Peer::start(agents::newest_with(json!({ "name": "Linker", "description": text }))).await;
    let plain = Peer::start(agents::newest).await;
    let (linking, plain_id) =
        (registry.live_card(&linking.card()).await, registry.live_card(&plain.card()).await);
    let reciprocity_of =
        async |id: &str| registry.get(&format!("/api/products/reciprocity?id={id}")).await.body;
    let answer = reciprocity_of(linking.as_str()).await;
    assert_eq!(points(&answer), [("clean", 30), ("links_back", 40), ("domain", 0), ("card", 10)], "{answer}");
    let most: u64 =
        answer["signals"].as_array().unwrap().iter().map(|signal| signal["of"].as_u64().unwrap()).sum();
    assert_eq!(most, 100, "a statement says that the score is of 100");
    let described = registry.get("/llms-full.txt").await.body.to_string();
    assert!(described.contains("Clean checks give 30 points, a link back to this registry 40"));
    assert_eq!((&answer["score"], &answer["links_back"]), (&json!(80), &json!(true)));
    let answer = reciprocity_of(plain_id.as_str()).await;
    assert_members(&answer, &json!({ "score": 40, "links_back": false, "clean": true }));
    let by_url = registry.call_tool("get_reciprocity", &json!({ "url": plain.card() })).await;
    let by_name = registry.call_tool("get_reciprocity", &json!({ "name": "adder" })).await;
    assert_eq!((&by_url["listing_id"], &by_name["listing_id"]), (&json!(plain_id), &json!(plain_id)));

    attest_listing(&registry, &plain_id, "liveness").await;
    attest_listing(&registry, &plain_id, "liveness").await;
    registry.advance(TICK);
    attest_listing(&registry, &plain_id, "capability").await;
    plain.forget_requests();
    registry.settle();
    let graph = reciprocity_of(plain_id.as_str()).await["graph"].clone();
    let edges: Vec<(&Value, &Value)> =
        graph["edges"].as_array().unwrap().iter().map(|edge| (&edge["how"], &edge["count"])).collect();
    assert_eq!(edges, [(&json!("capability"), &json!(1)), (&json!("liveness"), &json!(2))], "{graph}");
    assert!(plain.request_names().is_empty(), "a request was sent to the peer");

    registry.call_tool("used_with", &json!({ "listing_id": plain_id, "listing_b": linking })).await;
    registry.settle();
    let nodes = reciprocity_of(plain_id.as_str()).await["graph"]["nodes"].clone();
    assert!(nodes.as_array().unwrap().iter().any(|node| node["name"] == "Linker"), "{nodes}");
    let waiting = registry.publish(&json!({ "url": plain.url("/other") })).await;
    let of_waiting = reciprocity_of(waiting["listing_id"].as_str().unwrap()).await;
    assert_eq!((&of_waiting["kind"], &waiting["kind"]), (&json!(null), &json!(null)), "{of_waiting}");

    registry.advance(DAY * 8);
    let negative = attest_listing(&registry, &plain_id, "liveness").await;
    assert_eq!(negative["claims"]["live"], false, "{negative}");
    registry.settle();
    let stale = reciprocity_of(plain_id.as_str()).await;
    assert!(!stale["graph"].to_string().contains("attested"), "{stale}");
    assert_eq!(points(&stale)[0], ("clean", 0), "an expired proof gives points: {stale}");
    for (arguments, status) in
        [(json!({}), 422), (json!({ "listing_id": "x" }), 404), (json!({ "name": "unlisted" }), 404)]
    {
        assert_eq!(registry.refused_tool("get_reciprocity", &arguments).await["status"], status);
    }
    let unlisted = plain.url("/unlisted");
    let refusal = registry.refused_tool("get_reciprocity", &json!({ "url": unlisted })).await;
    assert_eq!(refusal["detail"], json!(format!("Listing not found: `{unlisted}`.")), "{refusal}");
}
