//! Tests `capability_hash`: the hash of capabilities that the caller sends, and the hash of capabilities that
//! the registry observed. Capabilities that the caller sends are not stored.

use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::TestRegistry;

use crate::fixtures::forecaster;

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
    let arguments = json!({ "listing_id": waiting, "type": "capability" });
    assert_eq!(registry.refused_tool("attest", &arguments).await["code"], "nothing_observed");
    for arguments in [json!({}), json!({ "tools": ["add"] })] {
        let problem = registry.refused_tool("capability_hash", &arguments).await;
        assert_eq!((&problem["status"], &problem["field"]), (&json!(422), &json!("name")), "{problem}");
    }
    let many = json!({ "name": "adder", "tools": vec!["x"; 257] });
    assert_eq!(registry.refused_tool("capability_hash", &many).await["code"], "too_many");
}
