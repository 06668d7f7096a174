//! Tests `/list/{id}/liveness.jws`: the signed proof that a listing is Live.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use serde_json::{Value, json};
use tests::peers::agents;
use tests::test_registry::{DAY, HOUR, TICK, TestRegistry};

use crate::fixtures::{LivePair, live_agent, live_pair, time};

fn decoded(part: &str) -> Vec<u8> {
    BASE64URL.decode(part).unwrap()
}

/// Verifies a token with the key set. Returns its header and its claims.
async fn verified(registry: &TestRegistry, token: &str) -> (Value, Value) {
    let [header, payload, signature] = token.split('.').collect::<Vec<_>>().try_into().unwrap();
    let parsed = |part| serde_json::from_slice::<Value>(&decoded(part)).unwrap();
    let (head, claims) = (parsed(header), parsed(payload));
    let keys = registry.get("/.well-known/jwks.json").await.body;
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == head["kid"]).unwrap();
    let point = [vec![4], decoded(key["x"].as_str().unwrap()), decoded(key["y"].as_str().unwrap())].concat();
    let key = VerifyingKey::from_sec1_bytes(&point).unwrap();
    let signature = Signature::from_slice(&decoded(signature)).unwrap();
    key.verify(format!("{header}.{payload}").as_bytes(), &signature).unwrap();
    assert!(key.verify(format!("{header}.{payload}x").as_bytes(), &signature).is_err());
    (head, claims)
}

async fn token(registry: &TestRegistry, id: impl std::fmt::Display) -> String {
    let reply = registry.get(&format!("/list/{id}/liveness.jws")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/jose"), "{reply:?}");
    reply.body.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn token_contains_the_last_proof_and_its_place_in_the_log() {
    let LivePair { registry, server, peers, .. } = live_pair().await;
    registry.tick().await;
    let (header, claims) = verified(&registry, &token(&registry, &server).await).await;
    assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("liveness+jwt")));
    let status = registry.status(&server).await;
    let now = registry.now();
    let proven_at = status["probe"]["probed_at"].as_str().unwrap();
    let expected = json!({
        "iss": registry.url("").trim_end_matches('/'),
        "sub": server,
        "iat": now.as_second(),
        "exp": now.as_second() + 86_400,
        "liveness": {
            "kind": "mcp",
            "endpoint": peers[1].url("/mcp"),
            "state": "proven",
            "proven_at": proven_at,
            "proof_valid_until": claims["liveness"]["proof_valid_until"],
            "log": {
                "tree": registry.url("/log"),
                "event": "live",
                "at": status["log"]["at"],
                "leaf_index": status["log"]["leaf_index"],
            },
        },
    });
    assert_eq!(claims, expected);
    assert!(claims["liveness"]["log"]["leaf_index"].is_u64(), "{claims}");
    let seconds = |name: &str| time(&claims["liveness"][name]).as_second();
    assert_eq!(seconds("proof_valid_until") - seconds("proven_at"), 7 * 86_400);

    // Near its end, the proof limits the life of the token.
    registry.advance(DAY * 7 - HOUR);
    let (_, late) = verified(&registry, &token(&registry, &server).await).await;
    assert!(late["exp"].as_i64().unwrap() - registry.now().as_second() <= 3600, "{late}");
}

#[tokio::test]
async fn listing_without_a_proof_has_no_token() {
    let (registry, peer, id) = live_agent().await;
    let refused = async |id: &str, status: u16, code: &str| {
        let reply = registry.get(&format!("/list/{id}/liveness.jws")).await;
        assert_eq!((reply.status, reply.body["code"].as_str()), (status, Some(code)), "{reply:?}");
        reply.body
    };
    refused("agtpub_00000000000000000000", 404, "listing_not_found").await;
    refused("%3Cb%3E", 404, "listing_not_found").await;
    peer.answer_with(agents::only(404));
    let broken = registry.publish_card(&peer.url("/other/.well-known/agent-card.json")).await;
    registry.deliver_events().await;
    let problem = refused(broken.as_str(), 409, "not_active").await;
    assert_eq!((&problem["lane"], &problem["next"]["action"]), (&json!("needs_fix"), &json!("check_status")));

    // A failure that is not confirmed is in the token; an expired proof is none.
    registry.advance(DAY * 6);
    registry.run("weekly-recheck", json!({ "detail-type": "weekly-recheck" })).await;
    registry.advance(DAY + TICK);
    refused(id.as_str(), 409, "not_active").await;
    registry.run("operator", json!({ "command": "withdraw", "listing_id": id, "reason": "Spam." })).await;
    registry.advance(HOUR);
    refused(id.as_str(), 404, "listing_withdrawn").await;
}
