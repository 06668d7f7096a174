//! Tests `capability_hash`: the hash of capabilities that the caller sends, and the hash of capabilities that
//! the registry observed. Capabilities that the caller sends are not stored.

use tests::prelude::*;

use crate::fixtures::{forecaster, refused_arguments};

#[tokio::test]
async fn given_capabilities_are_compared_and_not_stored() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(forecaster).await;
    let id = registry.live_card(&peer.card()).await;
    let observed = registry.call_tool("capability_hash", &json!({ "listing_id": id })).await;
    let hash = observed["capability_hash"].as_str().unwrap();
    assert!(hash.len() == 28 && hash.starts_with("cap_"), "{observed}");
    assert_members(&observed, &json!({ "matches": null, "observed_hash": hash }));

    let mut given = json!({
        "listing_id": id, "name": " Nimbus", "kind": "agent", "skills": ["forecast", "forecast "], "tags": ["weather"],
        "description": "Forecasts the weather of any place on earth.", "register": true,
    });
    let table = registry.table().await;
    let same = registry.call_tool("capability_hash", &given).await;
    assert_members(&same, &json!({ "matches": true, "capability_hash": hash }));
    given["description"] = json!("Forecasts everything.");
    let other = registry.call_tool("capability_hash", &given).await;
    assert_members(&other, &json!({ "matches": false, "observed_hash": hash, "registered": false }));
    assert_eq!(table.difference(&registry.table().await), [""; 0]);

    // Nothing was observed before the first probe, and by a failed one.
    let waiting = registry.publish_card(&peer.url("/other/agent-card.json")).await;
    peer.answer_with(agents::only(404));
    for _ in 0..2 {
        let problem = registry.refused_tool("capability_hash", &json!({ "listing_id": waiting })).await;
        assert_members(&problem, &json!({ "status": 409, "code": "nothing_observed" }));
        registry.first_probe(&waiting).await;
    }
    let many = json!({ "name": "adder", "tools": vec!["x"; 257] });
    let invalid = [json!({}), json!({ "tools": ["add"] }), many];
    insta::assert_snapshot!(refused_arguments(&registry, "capability_hash", &json!({}), invalid).await);
}
