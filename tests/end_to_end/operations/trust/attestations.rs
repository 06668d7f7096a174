//! Tests `attest`, `verify_attestation`, `attestations` and `revoke_attestation`. A signed statement contains
//! only what the registry observed. Changed tokens are refused.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use insta::assert_snapshot;
use registry::trust::operations::verify_attestation::verify;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
};
use tests::prelude::*;

use super::{FAMILY, OPERATOR_TOKEN, attest_listing, failed_checks, verify_token};
use crate::fixtures::{
    LivePair, item, live_agent, live_agent_with, live_pair, refused_arguments, shown, time, values_of,
};
use crate::schedules::evidence_log::add_attestation_leaf;

fn part(jws: &str, index: usize) -> Value {
    let part = jws.split('.').nth(index).unwrap();
    serde_json::from_slice(&BASE64URL.decode(part).unwrap()).unwrap()
}

/// Whether the published key set verifies a token. This uses another library than the registry uses for signing.
async fn key_set_verifies(registry: &TestRegistry, jws: &str) -> bool {
    let set = registry.get("/.well-known/jwks.json").await.body;
    let kid = &part(jws, 0)["kid"];
    let key = set["keys"].as_array().unwrap().iter().find(|key| key["kid"] == *kid).unwrap();
    let coordinate = |name: &str| BASE64URL.decode(key[name].as_str().unwrap()).unwrap();
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    let (signed, signature) = jws.rsplit_once('.').unwrap();
    let signature = BASE64URL.decode(signature).unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed.as_bytes(), &signature).is_ok()
}

#[tokio::test]
async fn attestation_contains_observations_and_is_verifiable() {
    let (registry, _peer, id) = live_agent().await;
    registry.advance(HOUR + Duration::from_millis(700));
    for about in ["liveness", "probe_clean", "capability", "reciprocity"] {
        let attestation = attest_listing(&registry, &id, about).await;
        let (jws, claims) = (attestation["jws"].as_str().unwrap(), &attestation["claims"]);
        assert!(key_set_verifies(&registry, jws).await, "{about}");
        let (header, mut payload) = (part(jws, 0), part(jws, 1));
        assert_members(&payload, &json!({ "jti": attestation["id"], "claims": claims }));
        assert!(claims["observed_until"].as_str() <= attestation["issued_at"].as_str(), "{payload}");
        let answer = verify_token(&registry, jws).await;
        assert_members(&answer, &json!({ "valid": true, "claims": claims }));
        assert_eq!(failed_checks(&answer), [""; 0]);
        if about == "probe_clean" {
            // It depends on the latency.
            payload["claims"].as_object_mut().unwrap().remove("score");
        }
        assert_snapshot!(about, shown(&registry, &json!({ "header": header, "payload": payload })));
        // Attestations of the same millisecond have no defined order in the list.
        registry.advance(Duration::from_secs(1));
    }
    let hash = registry.call_tool("capability_hash", &json!({ "listing_id": id })).await;
    let capability = attest_listing(&registry, &id, "capability").await["claims"].clone();
    assert_eq!(capability["capability_hash"], hash["capability_hash"]);

    registry.settle();
    let listed = registry.call_tool("attestations", &json!({ "listing_id": id, "limit": 3 })).await;
    assert_eq!(values_of(&listed["attestations"], "type"), ["capability", "reciprocity", "capability"]);
    let overview = registry.get(FAMILY).await.body;
    assert_members(&overview, &json!({ "version": "2.7.0", "/totals/attestations": 5 }));
}

/// A false fact is attested as false; a fact without an observation is refused.
#[tokio::test]
async fn only_observed_facts_are_attested() {
    let (registry, peer, id) = live_agent().await;
    registry.advance(DAY * 8);
    let claims = async |id: &ListingId| attest_listing(&registry, id, "liveness").await["claims"].clone();
    // An expired proof does not count as Live.
    assert_members(&claims(&id).await, &json!({ "live": false, "lane": "queued", "live_since": null }));
    let waiting = registry.publish_card(&peer.url("/other/.well-known/agent-card.json")).await;
    assert_members(&claims(&waiting).await, &json!({ "live": false, "last_signal_at": null }));
    let invalid = [
        json!({ "listing_id": waiting, "type": "probe_clean" }),
        json!({ "listing_id": waiting, "type": "capability" }),
        json!({ "type": "identity_bind" }),
        json!({ "claims": { "owner": "me" } }),
        json!({ "body": "trust me" }),
        json!({ "subject": waiting }),
        json!({ "expires_hours": 721 }),
        json!({ "expires_hours": 0 }),
        json!({ "type": "owned_by" }),
        json!({ "listing_id": null }),
    ];
    assert_snapshot!(refused_arguments(&registry, "attest", &json!({ "listing_id": id }), invalid).await);
    let empty = json!({ "subject": id, "claims": {}, "body": "" });
    assert_eq!(registry.call_tool("attest", &empty).await["ok"], true, "empty claims were refused");
}

/// Changes every character of a token: header, payload and signature.
#[tokio::test]
async fn token_with_any_change_is_refused() {
    let (registry, _peer, id) = live_agent().await;
    let attestation = attest_listing(&registry, &id, "liveness").await;
    let jws = attestation["jws"].as_str().unwrap();
    let is_valid = async |token: &str| verify(&registry.app, token, None).await.unwrap().is_valid();
    assert!(is_valid(jws).await);
    for index in 0..jws.len() {
        for other in ["A", "w", "_", "."] {
            let mut changed = jws.to_owned();
            changed.replace_range(index..=index, other);
            assert!(changed == jws || !is_valid(&changed).await, "position {index} became {other}");
        }
        let mut shorter = jws.to_owned();
        shorter.remove(index);
        assert!(!is_valid(&shorter).await, "without position {index}");
    }
    for token in [String::new(), ".".to_owned(), "..".to_owned(), "a.b.c".to_owned(), "x".repeat(100_000)] {
        let answer = verify_token(&registry, &token).await;
        assert_eq!((&answer["valid"], failed_checks(&answer)), (&json!(false), vec!["form"]), "{answer}");
        assert_eq!(answer["claims"], Value::Null);
    }
}

/// Tokens that others could create, or that the registry signed for another purpose.
#[tokio::test]
async fn token_with_another_key_algorithm_or_purpose_is_refused() {
    let (registry, _peer, id) = live_agent().await;
    let other = TestRegistry::start_with(TestOptions::default().with_data(local::Data::Memory)).await;
    let jws = attest_listing(&registry, &id, "liveness").await["jws"].as_str().unwrap().to_owned();
    let encoded = |value: &Value| BASE64URL.encode(value.to_string());
    let rest = jws.split_once('.').unwrap().1;
    let header = part(&jws, 0);
    let sound = json!({ "alg": "ES256", "kid": header["kid"], "typ": header["typ"] });
    let with = |member: &str, value: Value| with_members(sound.clone(), &json!({ member: value }));
    for (what, failing, header) in [
        ("no algorithm", "algorithm", with("alg", json!("none"))),
        ("a shared secret", "algorithm", with("alg", json!("HS256"))),
        ("another type", "algorithm", with("typ", json!("JOSE"))),
        ("an extension", "algorithm", with("crit", json!(["b64"]))),
        ("an unknown key", "key", with("kid", json!("x"))),
        ("no key", "key", json!({ "alg": "ES256", "typ": header["typ"] })),
        ("its key inside", "signature", with("jwk", json!({}))),
    ] {
        let answer = verify_token(&registry, &format!("{}.{rest}", encoded(&header))).await;
        assert_eq!(answer["valid"], false, "{what}: {answer}");
        assert_eq!(failed_checks(&answer), [failing], "{what}: {answer}");
    }
    let mut claims = part(&jws, 1);
    claims["claims"]["live"] = json!(false);
    let (head, signature) = (jws.split('.').next().unwrap(), jws.rsplit('.').next().unwrap());
    let forged = format!("{head}.{}.{signature}", encoded(&claims));
    assert_eq!(failed_checks(&verify_token(&registry, &forged).await), ["signature"]);
    // Registries with the same seed have the same key, so only the issuer differs.
    let answer = verify_token(&other, &jws).await;
    assert_eq!(answer["valid"], false, "{answer}");
    // The agent card of the registry is signed with the same key, but it is no attestation.
    let card = registry.get("/.well-known/agent-card.json").await.body;
    let signature = &card["signatures"][0];
    let protected = signature["protected"].as_str().unwrap();
    let token = format!("{protected}.{}.{}", encoded(&json!({})), signature["signature"].as_str().unwrap());
    assert_eq!(failed_checks(&verify_token(&registry, &token).await), ["algorithm"]);
}

#[tokio::test]
async fn attestation_ends_by_expiry_revocation_or_withdrawal() {
    let options = TestOptions::default().with_setting("OPERATOR_TOKEN", OPERATOR_TOKEN);
    let (registry, _peer, id) = live_agent_with(options).await;
    let failing = async |attestation: &Value| {
        let answer = verify_token(&registry, attestation["jws"].as_str().unwrap()).await;
        let failed = failed_checks(&answer).join(" ");
        assert_eq!(answer["valid"], failed.is_empty(), "{answer}");
        failed
    };
    let short = registry.call_tool("attest", &json!({ "listing_id": id, "expires_hours": 1 })).await;
    let short = &short["attestation"];
    registry.advance(HOUR - Duration::from_secs(2));
    assert_eq!(failing(short).await, "");
    registry.advance(Duration::from_secs(2));
    assert_eq!(failing(short).await, "expiry");

    let revoked = attest_listing(&registry, &id, "liveness").await;
    let jws = &revoked["jws"];
    let wrong = registry.call_tool("verify_attestation", &json!({ "jws": jws, "id": "att_x" })).await;
    assert_eq!((&wrong["valid"], failed_checks(&wrong)), (&json!(false), vec!["id"]));
    let revoke = json!({ "action": "revoke_attestation", "listing_id": id, "attestation_id": revoked["id"],
        "reason": "Signed in error." });
    assert_eq!(registry.post(FAMILY, &revoke).await.status, 401);
    assert_eq!(registry.post_with_token(FAMILY, "x", &revoke).await.status, 403);
    for changed in [true, false] {
        let reply = registry.post_with_token(FAMILY, OPERATOR_TOKEN, &revoke).await;
        reply.assert_body(200, &json!({ "changed": changed }));
    }
    assert_eq!(failing(&revoked).await, "revocation");
    let answer = verify_token(&registry, jws.as_str().unwrap()).await;
    assert_contains(&answer.to_string(), &["Signed in error."]);
    registry.settle();
    let listed = registry.call_tool("attestations", &json!({ "listing_id": id })).await;
    assert_eq!(listed["attestations"][0]["revoked"]["reason"], "Signed in error.");
    let unknown = with_members(revoke, &json!({ "attestation_id": "att_000000000000000000000000" }));
    assert_eq!(registry.post_with_token(FAMILY, OPERATOR_TOKEN, &unknown).await.status, 404);

    let good = attest_listing(&registry, &id, "liveness").await;
    registry.withdraw(&id, "Spam.").await;
    assert_eq!(failing(&good).await, "listing");
    let problem = registry.refused_tool("attest", &json!({ "listing_id": id })).await;
    assert_members(&problem, &json!({ "status": 409, "code": "withdrawn" }));

    registry.advance(DAY * 5);
    registry.sweep_expired();
    assert_eq!(failing(&good).await, "expiry revocation listing", "it was not deleted");
}

#[tokio::test]
async fn counts_of_caller_reports_can_be_attested() {
    let LivePair { registry, agent, server, peers: _peers } = live_pair().await;
    let pair = json!({ "listing_id": agent, "listing_b": server });
    let composition = with_members(pair.clone(), &json!({ "type": "composition" }));
    let outcome = json!({ "type": "outcome", "listing_id": agent });
    for (arguments, code) in [(&composition, "no_composition"), (&outcome, "no_outcome")] {
        assert_eq!(registry.refused_code("attest", arguments).await, code);
    }
    registry.call_tool("used_with", &pair).await;
    let deposit = json!({ "listing_id": agent, "ok": true, "quality": 0.9 });
    registry.call_tool("deposit_outcome", &deposit).await;
    let (mut claims, mut tokens) = (Vec::new(), Vec::new());
    for arguments in [&composition, &outcome] {
        let attestation = registry.call_tool("attest", arguments).await["attestation"].clone();
        claims.push(attestation["claims"].clone());
        tokens.push(attestation["jws"].as_str().unwrap().to_owned());
        assert_eq!(verify_token(&registry, tokens.last().unwrap()).await["valid"], true);
    }
    assert!(claims[0]["last_reported_at"].as_str() <= claims[0]["observed_until"].as_str(), "{claims:?}");
    assert_snapshot!(shown(&registry, &json!(claims)));
    for listings in [json!({ "listing_b": null }), json!({ "type": "outcome" })] {
        let arguments = with_members(composition.clone(), &listings);
        assert_eq!(registry.refused_tool("attest", &arguments).await["field"], "listing_b");
    }
    registry.settle();
    let graph = registry.call_tool("get_reciprocity", &json!({ "listing_id": agent })).await["graph"].clone();
    item(&graph["edges"], "to", server.as_str());
    registry.withdraw(&server, "Spam.").await;
    assert_eq!(registry.refused_code("attest", &composition).await, "listing_not_found");
    assert_eq!(failed_checks(&verify_token(&registry, &tokens[0]).await), ["listing"]);
}

/// Whoever has a leaked key signs other claims under the id of an attestation that exists.
#[tokio::test]
async fn token_under_a_known_id_is_refused_unless_the_registry_issued_it() {
    let (registry, _peer, id) = live_agent().await;
    let jws = attest_listing(&registry, &id, "liveness").await["jws"].as_str().unwrap().to_owned();
    let secret = registry.table().await.items_under("KEY#ES256")[0]["secret"].as_str().unwrap().to_owned();
    let set = registry.get("/.well-known/jwks.json").await.body;
    let coordinate = |name: &str| BASE64URL.decode(set["keys"][0][name].as_str().unwrap()).unwrap();
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    let random = SystemRandom::new();
    let scalar = BASE64URL.decode(secret).unwrap();
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let key = EcdsaKeyPair::from_private_key_and_public_key(algorithm, &scalar, &point, &random).unwrap();
    let signed = |payload: &Value| {
        let text = format!("{}.{}", jws.split('.').next().unwrap(), BASE64URL.encode(payload.to_string()));
        let signature = key.sign(&random, text.as_bytes()).unwrap();
        format!("{text}.{}", BASE64URL.encode(signature.as_ref()))
    };
    let mut payload = part(&jws, 1);
    payload["claims"]["live"] = json!(false);
    let forged = signed(&payload);
    assert!(key_set_verifies(&registry, &forged).await, "the key does sign it");
    let answer = verify_token(&registry, &forged).await;
    assert_eq!((&answer["valid"], failed_checks(&answer)), (&json!(false), vec!["record"]), "{answer}");
    // The same claims with another signature are another token, too.
    let again = signed(&part(&jws, 1));
    assert_eq!(failed_checks(&verify_token(&registry, &again).await), ["record"]);
    assert_eq!(verify_token(&registry, &jws).await["valid"], true);
}

/// Older versions stored no digest in the record, and a leaf for each attestation.
#[tokio::test]
async fn attestation_of_an_older_version_is_verified_with_its_leaf() {
    let (registry, _peer, id) = live_agent().await;
    let attestation = attest_listing(&registry, &id, "liveness").await;
    let [jws, attestation_id] = ["jws", "id"].map(|member| attestation[member].as_str().unwrap());
    let record = registry.table().await.items_under("ATTESTED#")[0].clone();
    let mut stored: Value = serde_json::from_str(record["attestation"].as_str().unwrap()).unwrap();
    stored.as_object_mut().unwrap().remove("jws_sha256");
    let (pk, sk) = (record["pk"].as_str().unwrap(), record["sk"].as_str().unwrap());
    registry.overwrite(pk, sk, "attestation", AttributeValue::S(stored.to_string())).await;
    assert_eq!(failed_checks(&verify_token(&registry, jws).await), ["record"]);

    add_attestation_leaf(&registry, &id, time(&attestation["issued_at"]), attestation_id, jws).await;
    registry.tick().await;
    let answer = verify_token(&registry, jws).await;
    assert_members(&answer, &json!({ "valid": true, "/log/pending": false }));
    assert_eq!(failed_checks(&answer), [""; 0]);
    let proof = registry.get(&registry.path_of(&answer["log"]["proof_url"])).await.body;
    assert_eq!(proof["leaf"]["event"], "attested");
}
