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
    let linking = registry.live_card(&linking.card()).await;
    let id = registry.live_card(&plain.card()).await;
    let reciprocity_of =
        async |id: &ListingId| registry.settled(&format!("/api/products/reciprocity?id={id}")).await;
    // The parts of the signals are of 100 together, as statements say.
    let linked = members(&reciprocity_of(&linking).await, &["signals", "score", "links_back"]);
    let described = "Clean checks give 30 points, a link back to this registry 40";
    assert_contains(&registry.text("/llms-full.txt").await, &[described]);
    let plain_answer = members(&reciprocity_of(&id).await, &["score", "links_back", "clean"]);
    for query in [json!({ "url": plain.card() }), json!({ "name": "adder" })] {
        assert_eq!(registry.call_tool("get_reciprocity", &query).await["listing_id"], json!(id));
    }
    attest_listing(&registry, &id, "liveness").await;
    attest_listing(&registry, &id, "liveness").await;
    registry.advance(TICK);
    attest_listing(&registry, &id, "capability").await;
    plain.forget_requests();
    let edges = reciprocity_of(&id).await["graph"]["edges"].clone();
    let signals = json!({ "linked": linked, "plain": plain_answer, "edges": edges });
    assert_snapshot!(shown(&registry, &signals));
    assert!(plain.request_names().is_empty(), "a request was sent to the peer");

    registry.call_tool("used_with", &json!({ "listing_id": id, "listing_b": linking })).await;
    item(&reciprocity_of(&id).await["graph"]["nodes"], "name", "Linker");
    let waiting = registry.publish(&json!({ "url": plain.url("/other") })).await;
    let kinds = [&reciprocity_of(&id_of(&waiting)).await["kind"], &waiting["kind"]].map(Value::is_null);
    assert_eq!(kinds, [true, true], "{waiting}");

    registry.advance(DAY * 8);
    let negative = attest_listing(&registry, &id, "liveness").await;
    assert_eq!(negative["claims"]["live"], false, "{negative}");
    let stale = reciprocity_of(&id).await;
    assert!(!stale["graph"].to_string().contains("attested"), "{stale}");
    let clean = item(&stale["signals"], "id", "clean");
    assert_eq!(clean["points"], 0, "an expired proof gives points: {stale}");
    let unknown = json!({ "url": plain.url("/unlisted") });
    let invalid = [json!({}), json!({ "listing_id": "x" }), json!({ "name": "unlisted" }), unknown];
    assert_snapshot!(refused_arguments(&registry, "get_reciprocity", &json!({}), invalid).await);
}
