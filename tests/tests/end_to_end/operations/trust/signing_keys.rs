//! `rotate_signing_key`: a new key is published before it signs, and an old one while what it signed counts.

use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{DAY, HOUR, TICK, TestOptions, TestRegistry};

use super::{OPERATOR, as_operator, failed, verified};

async fn kids(registry: &TestRegistry) -> Vec<String> {
    let set = registry.get("/.well-known/jwks.json").await.body;
    set["keys"].as_array().unwrap().iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_statement_outlives_the_turn_of_its_key() {
    let options = TestOptions::default().with_setting("OPERATOR_TOKEN", OPERATOR);
    let registry = TestRegistry::start_with(options).await;
    let peer = Peer::start(agents::newest).await;
    let id = registry.live_card(&peer.card()).await;
    let attest = async || {
        let answer = registry.call_tool("attest", &json!({ "listing_id": id, "expires_hours": 720 })).await;
        answer["attestation"].clone()
    };
    let token = |attestation: &Value| attestation["jws"].as_str().unwrap().to_owned();
    let before = attest().await;

    registry.advance(TICK);
    let rotate = json!({ "action": "rotate_signing_key" });
    assert_eq!(as_operator(&registry, None, &rotate).await.status, 401);
    let turned = as_operator(&registry, Some(OPERATOR), &rotate).await;
    assert_eq!(turned.status, 200, "{turned:?}");
    let new = &turned.body["kid"];
    assert_eq!(kids(&registry).await.len(), 2, "published at once");
    assert_eq!(attest().await["kid"], before["kid"], "and does not sign yet");
    registry.advance(HOUR);
    let after = attest().await;
    assert_eq!(after["kid"], *new);
    for attestation in [&before, &after] {
        assert_eq!(verified(&registry, &token(attestation)).await["valid"], true);
    }
    registry.advance(DAY * 30 + DAY + HOUR);
    assert_eq!(kids(&registry).await, [new.as_str().unwrap()]);
    assert_eq!(failed(&verified(&registry, &token(&before)).await), ["key"]);
}
