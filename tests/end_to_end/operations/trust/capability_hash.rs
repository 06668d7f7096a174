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
    assert_eq!((&observed["matches"], &observed["observed_hash"]), (&Value::Null, &json!(hash)));

    let mut given = json!({
        "listing_id": id, "name": " Nimbus", "kind": "agent", "skills": ["forecast", "forecast "], "tags": ["weather"],
        "description": "Forecasts the weather of any place on earth.", "register": true,
    });
    let table = registry.table().await;
    let same = registry.call_tool("capability_hash", &given).await;
    assert_eq!((&same["matches"], &same["capability_hash"]), (&json!(true), &json!(hash)), "{same}");
    given["description"] = json!("Forecasts everything.");
    let other = registry.call_tool("capability_hash", &given).await;
    assert_eq!((&other["matches"], &other["observed_hash"]), (&json!(false), &json!(hash)), "{other}");
    assert_eq!((&other["registered"], table.difference(&registry.table().await)), (&json!(false), vec![]));

    let waiting = registry.publish_card(&peer.url("/other/agent-card.json")).await;
    let unprobed = registry.refused_tool("capability_hash", &json!({ "listing_id": waiting })).await;
    peer.answer_with(agents::only(404));
    registry.first_probe(&waiting).await;
    let failed = registry.refused_tool("capability_hash", &json!({ "listing_id": waiting })).await;
    for problem in [unprobed, failed] {
        assert_eq!((&problem["status"], &problem["code"]), (&json!(409), &json!("nothing_observed")));
    }
    let many = json!({ "name": "adder", "tools": vec!["x"; 257] });
    let invalid = [json!({}), json!({ "tools": ["add"] }), many];
    insta::assert_snapshot!(refused_arguments(&registry, "capability_hash", &json!({}), invalid).await);
}
