//! Tests `get_reciprocity`: a score from stored signals, its reasons, and the graph of a listing.

use insta::assert_snapshot;
use tests::prelude::*;

use super::attest_listing;
use crate::fixtures::{item, members, refused_arguments, shown};

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
    // The parts of the signals are of 100 together, as statements say.
    let linked = members(&answer, &["signals", "score", "links_back"]);
    let described = registry.get("/llms-full.txt").await.body.to_string();
    assert!(described.contains("Clean checks give 30 points, a link back to this registry 40"));
    let plain_answer = members(&reciprocity_of(plain_id.as_str()).await, &["score", "links_back", "clean"]);
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
    assert_snapshot!(shown(
        &registry,
        &json!({ "linked": linked, "plain": plain_answer, "edges": graph["edges"] })
    ));
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
    let clean = item(&stale["signals"], "id", "clean");
    assert_eq!(clean["points"], 0, "an expired proof gives points: {stale}");
    let unknown = json!({ "url": plain.url("/unlisted") });
    let invalid = [json!({}), json!({ "listing_id": "x" }), json!({ "name": "unlisted" }), unknown];
    assert_snapshot!(refused_arguments(&registry, "get_reciprocity", &json!({}), invalid).await);
}
