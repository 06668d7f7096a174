//! Tests `rotate_signing_key`. A new key is published before the registry signs with it. An old key stays
//! published while its signatures are valid.

use tests::prelude::*;

use super::{FAMILY, OPERATOR_TOKEN, failed_checks, verify_token};
use crate::fixtures::{live_agent_with, values_of};

async fn kids(registry: &TestRegistry) -> Vec<String> {
    values_of(&registry.get("/.well-known/jwks.json").await.body["keys"], "kid")
}

#[tokio::test]
async fn attestation_stays_valid_after_key_rotation() {
    let options = TestOptions::default().with_setting("OPERATOR_TOKEN", OPERATOR_TOKEN);
    let (registry, _peer, id) = live_agent_with(options).await;
    let attest = async || {
        let answer = registry.call_tool("attest", &json!({ "listing_id": id, "expires_hours": 720 })).await;
        answer["attestation"].clone()
    };
    let token = |attestation: &Value| attestation["jws"].as_str().unwrap().to_owned();
    let before = attest().await;

    registry.advance(TICK);
    let rotate = json!({ "action": "rotate_signing_key" });
    assert_eq!(registry.post(FAMILY, &rotate).await.status, 401);
    let rotated = registry.post_with_token(FAMILY, OPERATOR_TOKEN, &rotate).await.ok();
    let new_kid = &rotated["kid"];
    assert_eq!(kids(&registry).await.len(), 2, "the new key was not published at once");
    assert_eq!(attest().await["kid"], before["kid"], "the new key signs too early");
    registry.advance(HOUR);
    let after = attest().await;
    assert_eq!(after["kid"], *new_kid);
    for attestation in [&before, &after] {
        assert_eq!(verify_token(&registry, &token(attestation)).await["valid"], true);
    }
    registry.advance(DAY * 30 + DAY + HOUR);
    assert_eq!(kids(&registry).await, [new_kid.as_str().unwrap()]);
    assert_eq!(failed_checks(&verify_token(&registry, &token(&before)).await), ["key"]);
}
