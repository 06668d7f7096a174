//! `attest`, `verify_attestation`, `attestations` and `revoke_attestation`: what is signed is what was observed, and nothing
//! that was changed passes for it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use registry::trust::verification;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use tests::test_registry::{DAY, HOUR, TestOptions, TestRegistry};

use super::{OPERATOR, as_operator, attested, failed, verified};
use crate::fixtures::{live_agent, live_pair};

fn part(jws: &str, which: usize) -> Value {
    let part = jws.split('.').nth(which).unwrap();
    serde_json::from_slice(&BASE64URL.decode(part).unwrap()).unwrap()
}

/// Whether the key set verifies a token, by a library that the registry does not sign with.
async fn holds_by_the_key_set(registry: &TestRegistry, jws: &str) -> bool {
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
async fn a_statement_holds_what_was_observed_and_anybody_verifies_it() {
    let (registry, _peer, id) = live_agent().await;
    registry.advance(HOUR);
    for about in ["liveness", "probe_clean", "capability", "reciprocity"] {
        let attestation = attested(&registry, &id, about).await;
        let jws = attestation["jws"].as_str().unwrap();
        assert!(holds_by_the_key_set(&registry, jws).await, "{about}");
        let (header, payload) = (part(jws, 0), part(jws, 1));
        assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("attestation+jwt")));
        let now = registry.now().as_second();
        let base = json!(registry.app.settings.base_url);
        assert_eq!((&payload["iss"], &payload["sub"], &payload["type"]), (&base, &json!(id), &json!(about)));
        assert_eq!((&payload["iat"], &payload["exp"]), (&json!(now), &json!(now + 72 * 3600)));
        assert_eq!((&payload["jti"], &payload["claims"]), (&attestation["id"], &attestation["claims"]));
        let answer = verified(&registry, jws).await;
        assert_eq!((&answer["valid"], failed(&answer)), (&json!(true), vec![]), "{answer}");
        assert_eq!(answer["claims"], attestation["claims"]);
    }
    // What is signed in one millisecond has no order in the list.
    let second = std::time::Duration::from_secs(1);
    registry.advance(second);
    let live = attested(&registry, &id, "liveness").await["claims"].clone();
    registry.advance(second);
    assert_eq!((&live["live"], &live["lane"]), (&json!(true), &json!("active")));
    assert_eq!(live["last_signal_at"], "2026-11-20T12:00:01.000Z");
    let clean = attested(&registry, &id, "probe_clean").await["claims"].clone();
    registry.advance(second);
    assert_eq!((&clean["clean"], &clean["handshake"]), (&json!(true), &json!("ok")));
    assert!(clean["checks"].as_array().unwrap().iter().all(|check| check.get("detail").is_none()));
    let hash = registry.call_tool("capability_hash", &json!({ "listing_id": id })).await;
    let capability = attested(&registry, &id, "capability").await["claims"].clone();
    assert_eq!(capability["capability_hash"], hash["capability_hash"]);

    let listed = registry.call_tool("attestations", &json!({ "listing_id": id, "limit": 3 })).await;
    let types: Vec<&Value> =
        listed["attestations"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    assert_eq!(types, ["capability", "probe_clean", "liveness"]);
    let overview = registry.get(super::FAMILY).await.body;
    assert_eq!((&overview["version"], &overview["totals"]["attestations"]), (&json!("2.7.0"), &json!(7)));
}

/// What is false is stated as false, and what was never observed is not stated.
#[tokio::test]
async fn only_facts_are_stated() {
    let (registry, peer, id) = live_agent().await;
    registry.advance(DAY * 8);
    let live = attested(&registry, &id, "liveness").await["claims"].clone();
    assert_eq!((&live["live"], &live["lane"]), (&json!(false), &json!("queued")), "its proof ran out");
    let waiting = registry.publish_card(&peer.url("/other/.well-known/agent-card.json")).await;
    let never = attested(&registry, &waiting, "liveness").await["claims"].clone();
    assert_eq!((&never["live"], &never["last_signal_at"]), (&json!(false), &Value::Null));
    for (id, about, code) in [
        (&waiting, "probe_clean", "nothing_observed"),
        (&waiting, "capability", "nothing_observed"),
        (&id, "identity_bind", "no_identity"),
    ] {
        let problem = registry.refused_tool("attest", &json!({ "listing_id": id, "type": about })).await;
        assert_eq!((&problem["status"], &problem["code"]), (&json!(409), &json!(code)), "{problem}");
    }
    for (arguments, field) in [
        (json!({ "listing_id": id, "claims": { "owner": "me" } }), "claims"),
        (json!({ "listing_id": id, "body": "trust me" }), "body"),
        (json!({ "listing_id": id, "subject": waiting }), "subject"),
        (json!({ "listing_id": id, "expires_hours": 721 }), "expires_hours"),
        (json!({ "listing_id": id, "expires_hours": 0 }), "expires_hours"),
        (json!({ "listing_id": id, "type": "owned_by" }), "type"),
        (json!({}), "listing_id"),
    ] {
        let problem = registry.refused_tool("attest", &arguments).await;
        assert_eq!((&problem["status"], &problem["field"]), (&json!(422), &json!(field)), "{problem}");
    }
    let empty = json!({ "subject": id, "claims": {}, "body": "" });
    assert_eq!(registry.call_tool("attest", &empty).await["ok"], true, "nothing was asked to be signed");
}

/// Every character of a token, changed to another: header, payload and signature.
#[tokio::test]
async fn a_token_that_was_changed_anywhere_is_refused() {
    let (registry, _peer, id) = live_agent().await;
    let attestation = attested(&registry, &id, "liveness").await;
    let jws = attestation["jws"].as_str().unwrap();
    let is_valid =
        async |token: &str| verification::verify(&registry.app, token, None).await.unwrap().is_valid();
    assert!(is_valid(jws).await);
    for at in 0..jws.len() {
        for other in ["A", "w", "_", "."] {
            let mut changed = jws.to_owned();
            changed.replace_range(at..=at, other);
            assert!(changed == jws || !is_valid(&changed).await, "position {at} became {other}");
        }
        let mut less = jws.to_owned();
        less.remove(at);
        assert!(!is_valid(&less).await, "without position {at}");
    }
    for token in [String::new(), ".".to_owned(), "..".to_owned(), "a.b.c".to_owned(), "x".repeat(100_000)] {
        let answer = verified(&registry, &token).await;
        assert_eq!((&answer["valid"], failed(&answer)), (&json!(false), vec!["form"]), "{answer}");
        assert_eq!(answer["claims"], Value::Null);
    }
}

/// Tokens that somebody else could make, or that we signed for something else.
#[tokio::test]
async fn a_token_of_another_key_algorithm_or_purpose_is_refused() {
    let (registry, _peer, id) = live_agent().await;
    let other = TestRegistry::start_with(TestOptions::default().with_data(local::Data::Memory)).await;
    let jws = attested(&registry, &id, "liveness").await["jws"].as_str().unwrap().to_owned();
    let encoded = |value: &Value| BASE64URL.encode(value.to_string());
    let rest = jws.split_once('.').unwrap().1;
    let header = part(&jws, 0);
    for (what, failing, header) in [
        ("no algorithm", "algorithm", json!({ "alg": "none", "kid": header["kid"], "typ": header["typ"] })),
        (
            "a shared secret",
            "algorithm",
            json!({ "alg": "HS256", "kid": header["kid"], "typ": header["typ"] }),
        ),
        ("another type", "algorithm", json!({ "alg": "ES256", "kid": header["kid"], "typ": "JOSE" })),
        (
            "an extension",
            "algorithm",
            json!({ "alg": "ES256", "kid": header["kid"], "typ": header["typ"], "crit": ["b64"] }),
        ),
        ("an unknown key", "key", json!({ "alg": "ES256", "kid": "x", "typ": header["typ"] })),
        ("no key", "key", json!({ "alg": "ES256", "typ": header["typ"] })),
        (
            "its key inside",
            "signature",
            json!({ "alg": "ES256", "kid": header["kid"], "typ": header["typ"], "jwk": {} }),
        ),
    ] {
        let answer = verified(&registry, &format!("{}.{rest}", encoded(&header))).await;
        assert_eq!((&answer["valid"], failed(&answer)), (&json!(false), vec![failing]), "{what}: {answer}");
    }
    let mut claims = part(&jws, 1);
    claims["claims"]["live"] = json!(false);
    let (head, signature) = (jws.split('.').next().unwrap(), jws.rsplit('.').next().unwrap());
    let forged = format!("{head}.{}.{signature}", encoded(&claims));
    assert_eq!(failed(&verified(&registry, &forged).await), ["signature"]);
    // The same seed makes the same key: of another registry, even of the same key, the issuer differs.
    let answer = verified(&other, &jws).await;
    assert_eq!(answer["valid"], false, "{answer}");
    // The card of the registry is signed by the same key, and is no statement.
    let card = registry.get("/.well-known/agent-card.json").await.body;
    let signature = &card["signatures"][0];
    let protected = signature["protected"].as_str().unwrap();
    let token = format!("{protected}.{}.{}", encoded(&json!({})), signature["signature"].as_str().unwrap());
    assert_eq!(failed(&verified(&registry, &token).await), ["algorithm"]);
}

#[tokio::test]
async fn a_statement_ends_when_it_expires_is_revoked_or_its_listing_is_withdrawn() {
    let options = TestOptions::default().with_setting("OPERATOR_TOKEN", OPERATOR);
    let registry = TestRegistry::start_with(options).await;
    let peer = tests::peers::Peer::start(tests::peers::agents::newest).await;
    let id = registry.live_card(&peer.card()).await;
    let short = registry.call_tool("attest", &json!({ "listing_id": id, "expires_hours": 1 })).await;
    let token = |answer: &Value| answer["attestation"]["jws"].as_str().unwrap().to_owned();
    registry.advance(HOUR - std::time::Duration::from_secs(2));
    assert_eq!(verified(&registry, &token(&short)).await["valid"], true);
    registry.advance(std::time::Duration::from_secs(2));
    assert_eq!(failed(&verified(&registry, &token(&short)).await), ["expiry"]);

    let kept = attested(&registry, &id, "liveness").await;
    let jws = kept["jws"].as_str().unwrap();
    let wrong = registry.call_tool("verify_attestation", &json!({ "jws": jws, "id": "att_x" })).await;
    assert_eq!((&wrong["valid"], failed(&wrong)), (&json!(false), vec!["id"]));
    let revoke = json!({ "action": "revoke_attestation", "listing_id": id, "attestation_id": kept["id"],
        "reason": "Signed in error." });
    for (token, status) in [(None, 401), (Some("x"), 403), (Some(OPERATOR), 200)] {
        let reply = as_operator(&registry, token, &revoke).await;
        assert_eq!(reply.status, status, "{reply:?}");
    }
    assert_eq!(as_operator(&registry, Some(OPERATOR), &revoke).await.body["changed"], false);
    let answer = verified(&registry, jws).await;
    assert_eq!((&answer["valid"], failed(&answer)), (&json!(false), vec!["revocation"]));
    assert!(answer.to_string().contains("Signed in error."), "{answer}");
    let listed = registry.call_tool("attestations", &json!({ "listing_id": id })).await;
    assert_eq!(listed["attestations"][0]["revoked"]["reason"], "Signed in error.");
    let unknown = json!({ "action": "revoke_attestation", "listing_id": id, "reason": "x",
        "attestation_id": "att_000000000000000000000000" });
    assert_eq!(as_operator(&registry, Some(OPERATOR), &unknown).await.status, 404);

    let good = attested(&registry, &id, "liveness").await["jws"].as_str().unwrap().to_owned();
    let withdraw = json!({ "command": "withdraw", "listing_id": id, "reason": "Spam." });
    ::operator::handle(&registry.app, withdraw).await.unwrap();
    assert_eq!(failed(&verified(&registry, &good).await), ["listing"]);
    let problem = registry.refused_tool("attest", &json!({ "listing_id": id })).await;
    assert_eq!((&problem["status"], &problem["code"]), (&json!(409), &json!("withdrawn")));

    registry.advance(DAY * 5);
    registry.sweep_expired();
    let answer = verified(&registry, &good).await;
    assert_eq!(failed(&answer), ["expiry", "revocation", "listing"], "its record is gone: {answer}");
}

/// What callers told is stated as what they told.
#[tokio::test]
async fn reports_of_callers_are_stated_as_reports() {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let composition = json!({ "type": "composition", "listing_id": pair.agent, "listing_b": pair.server });
    let outcome = json!({ "type": "outcome", "listing_id": pair.agent });
    for (arguments, code) in [(&composition, "no_composition"), (&outcome, "no_outcome")] {
        assert_eq!(registry.refused_tool("attest", arguments).await["code"], code);
    }
    let used = json!({ "listing_id": pair.agent, "listing_b": pair.server });
    registry.call_tool("used_with", &used).await;
    let deposit = json!({ "listing_id": pair.agent, "ok": true, "quality": 0.9 });
    registry.call_tool("deposit_outcome", &deposit).await;
    let stated = registry.call_tool("attest", &composition).await["attestation"].clone();
    let claims = &stated["claims"];
    assert_eq!((&claims["listing_b"], &claims["reports"]), (&json!(pair.server), &json!(1)), "{claims}");
    let stated = registry.call_tool("attest", &outcome).await["attestation"].clone();
    let claims = &stated["claims"];
    assert_eq!((&claims["reports"], &claims["reported_ok"]), (&json!(1), &json!(1)), "{claims}");
    assert_eq!(claims["quality_sum_thousandths"], 900, "{claims}");
    assert_eq!(verified(registry, stated["jws"].as_str().unwrap()).await["valid"], true);
    for (arguments, field) in [
        (json!({ "type": "composition", "listing_id": pair.agent }), "listing_b"),
        (json!({ "type": "outcome", "listing_id": pair.agent, "listing_b": pair.server }), "listing_b"),
    ] {
        assert_eq!(registry.refused_tool("attest", &arguments).await["field"], field);
    }
    let graph = registry.call_tool("get_reciprocity", &used).await["graph"].clone();
    assert!(
        graph["edges"].as_array().unwrap().iter().any(|edge| edge["to"] == json!(pair.server)),
        "{graph}"
    );
}

/// What is signed is in the log of evidence: its leaf is written with its record.
#[tokio::test]
async fn a_statement_leaves_a_leaf_in_the_log() {
    let (registry, _peer, id) = live_agent().await;
    let attestation = attested(&registry, &id, "liveness").await;
    let table = registry.table().await;
    let leaves = table.items_under("LOG#PENDING").into_iter().map(|item| item["leaf"].to_string());
    let own: Vec<String> = leaves.filter(|leaf| leaf.contains(attestation["id"].as_str().unwrap())).collect();
    assert!(own.len() == 1 && own[0].contains("attested"), "{own:?}");
}

#[tokio::test]
async fn statements_are_rated() {
    let options = TestOptions::default().with_rates().with_setting("ATTESTATIONS_PER_HOUR", 2);
    let registry = TestRegistry::start_with(options).await;
    let peer = tests::peers::Peer::start(tests::peers::agents::newest).await;
    let id = registry.live_card(&peer.card()).await;
    let attest = json!({ "action": "attest", "listing_id": id });
    for status in [200, 200, 429] {
        assert_eq!(registry.post(super::FAMILY, &attest).await.status, status);
    }
    registry.advance(HOUR);
    assert_eq!(registry.post(super::FAMILY, &attest).await.status, 200);
}

#[tokio::test]
async fn by_the_familys_endpoint_what_changes_is_a_post() {
    let pair = live_pair().await;
    let get =
        pair.registry.get(&format!("{}?action=liveness&listing_id={}", super::FAMILY, pair.agent)).await;
    assert_eq!((get.status, &get.body["live"]), (200, &json!(true)));
    let attest =
        pair.registry.get(&format!("{}?action=attest&listing_id={}", super::FAMILY, pair.agent)).await;
    assert_eq!((attest.status, &attest.body["code"]), (422, &json!("action_needs_post")));
}
