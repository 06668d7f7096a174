//! Tests proofs of names by tokens of GitHub Actions. The setting directs the look-up of the keys to a peer on loopback.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD as BASE64URL};
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair, PublicKeyComponents};
use ring::signature::RSA_PKCS1_SHA256;
use tests::prelude::*;

use crate::fixtures::server_json;

/// The issuer of tokens, with a key that is used only here.
struct Issuer {
    key: KeyPair,
    peer: Peer,
}

impl Issuer {
    async fn start() -> Self {
        let text = include_str!("../../../harness/fixtures/workflow-key.pk8.txt").replace('\n', "");
        let key = KeyPair::from_pkcs8(&BASE64.decode(text).unwrap()).unwrap();
        let PublicKeyComponents { n, e } = PublicKeyComponents::<Vec<u8>>::from(key.public());
        let jwk = json!({ "kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k1", "n": BASE64URL.encode(n),
            "e": BASE64URL.encode(e) });
        let peer = Peer::start(move |request| match request.path.as_str() {
            "/.well-known/jwks" => json_answer(200, &json!({ "keys": [{ "kty": "EC" }, jwk] })),
            _ => empty(404),
        })
        .await;
        Self { key, peer }
    }

    /// A registry that trusts this issuer.
    async fn registry(&self) -> TestRegistry {
        let options = TestOptions::default()
            .with_setting("NAME_PROOFS", format!("github-actions={}", self.peer.origin));
        TestRegistry::start_with(options).await
    }

    /// A token of a workflow of `owner`, with other claims.
    fn token(&self, registry: &TestRegistry, owner: &str, owner_id: u64, jti: &str, other: &Value) -> String {
        let now = registry.now().as_second();
        let claims = json!({
            "iss": self.peer.origin, "aud": registry.url("").trim_end_matches('/'), "iat": now, "exp": now + 300,
            "jti": jti, "repository": format!("{owner}/tools"), "repository_owner": owner,
            "repository_owner_id": owner_id.to_string(), "sub": format!("repo:{owner}/tools:ref:refs/heads/main"),
        });
        self.signed(&json!({ "alg": "RS256", "kid": "k1", "typ": "JWT" }), &with_members(claims, other))
    }

    fn signed(&self, header: &Value, claims: &Value) -> String {
        let text = [header, claims].map(|part| BASE64URL.encode(part.to_string())).join(".");
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
        format!("{text}.{}", BASE64URL.encode(signature))
    }
}

async fn publish(registry: &TestRegistry, name: &str, remote: &str, token: &str) -> Reply {
    let body = json!({ "server_json": server_json(name, remote), "proof": { "token": token } });
    registry.post("/api/publish", &body).await
}

fn refused(reply: &Reply, code: &str) {
    reply.assert_field_refused(403, code, "proof.token");
}

#[tokio::test]
async fn token_of_a_workflow_proves_the_names_of_its_owner_once() {
    let issuer = Issuer::start().await;
    let (registry, server) = (issuer.registry().await, Peer::start(servers::modern).await);
    let remote = server.url("/mcp");
    let token = issuer.token(&registry, "Acme", 77, "first", &json!({}));
    let reply = publish(&registry, "io.github.acme/adder", &remote, &token).await.ok();
    let id = id_of(&reply);
    let standing = registry.status(&id).await["name_standing"].clone();
    assert_eq!((&standing["standing"], &standing["how"]), (&json!("proven"), &json!("github")));

    refused(&publish(&registry, "io.github.acme/adder", &remote, &token).await, "used_token");
    let second = issuer.token(&registry, "acme", 77, "second", &json!({}));
    refused(&publish(&registry, "io.github.other/adder", &remote, &second).await, "other_owner");
    refused(&publish(&registry, "com.example/adder", &remote, &second).await, "no_github_name");
    // A refused request does not use the token. The keys were read once.
    assert_eq!(publish(&registry, "io.github.acme/other", &server.url("/other"), &second).await.status, 200);
    assert_eq!(issuer.peer.requests().len(), 1);
}

#[tokio::test]
async fn names_stay_with_the_account_that_proved_them_first() {
    let issuer = Issuer::start().await;
    let (registry, server) = (issuer.registry().await, Peer::start(servers::modern).await);
    let (name, remote) = ("io.github.acme/adder", server.url("/mcp"));
    let publish_by = async |owner: &str, owner_id: u64, jti: &str| {
        let token = issuer.token(&registry, owner, owner_id, jti, &json!({}));
        publish(&registry, name, &remote, &token).await
    };
    assert_eq!(publish_by("acme", 77, "1").await.status, 200);
    // Another account has taken the login.
    refused(&publish_by("acme", 88, "2").await, "other_owner");
    // The first account has another login now.
    assert_eq!(publish_by("acme-group", 77, "3").await.status, 200);
    refused(&publish_by("acme-group", 88, "4").await, "other_owner");
    registry.advance(HOUR * 24 * 400);
    refused(&publish_by("acme", 88, "5").await, "other_owner");
}

#[tokio::test]
async fn token_that_github_did_not_make_for_this_registry_is_refused() {
    let issuer = Issuer::start().await;
    let (registry, server) = (issuer.registry().await, Peer::start(servers::modern).await);
    let remote = server.url("/mcp");
    let good = issuer.token(&registry, "acme", 77, "good", &json!({}));
    let (text, signature) = good.rsplit_once('.').unwrap();
    let now = registry.now().as_second();
    let with = |other: Value| issuer.token(&registry, "acme", 77, "other", &other);
    let claims = json!({ "iss": issuer.peer.origin });
    for (token, code) in [
        (with(json!({ "aud": "https://other.example" })), "wrong_audience"),
        (with(json!({ "iss": "https://token.actions.githubusercontent.com" })), "wrong_issuer"),
        (with(json!({ "iat": now - 400, "exp": now - 100 })), "expired_token"),
        (with(json!({ "exp": now + 7200 })), "expired_token"),
        (with(json!({ "iat": now + 120 })), "expired_token"),
        (with(json!({ "iat": i64::MIN, "exp": i64::MAX })), "expired_token"),
        (with(json!({ "repository_owner_id": "0" })), "malformed_token"),
        (with(json!({ "jti": "" })), "malformed_token"),
        (format!("{text}x.{signature}"), "malformed_token"),
        (format!("{text}.{}", BASE64URL.encode([1; 256])), "wrong_signature"),
        (format!("{text}."), "wrong_signature"),
        (issuer.signed(&json!({ "alg": "none", "kid": "k1" }), &claims), "malformed_token"),
        (issuer.signed(&json!({ "alg": "HS256", "kid": "k1" }), &claims), "malformed_token"),
        (text.to_owned(), "malformed_token"),
        (String::new(), "malformed_token"),
        ("x".repeat(9000), "malformed_token"),
    ] {
        refused(&publish(&registry, "io.github.acme/adder", &remote, &token).await, code);
    }
    let (_, payload) = text.split_once('.').unwrap();
    let claims: Value = serde_json::from_slice(&BASE64URL.decode(payload).unwrap()).unwrap();
    let unknown_key = issuer.signed(&json!({ "alg": "RS256", "kid": "k2" }), &claims);
    refused(&publish(&registry, "io.github.acme/adder", &remote, &unknown_key).await, "wrong_signature");
    assert_eq!(publish(&registry, "io.github.acme/adder", &remote, &good).await.status, 200);
    assert_eq!(issuer.peer.requests().len(), 1, "an unknown key does not cause a request at once");
}

#[tokio::test]
async fn unreachable_issuer_is_not_a_refusal() {
    let issuer = Issuer::start().await;
    let (registry, server) = (issuer.registry().await, Peer::start(servers::modern).await);
    issuer.peer.answer_with(|_| empty(500));
    let token = issuer.token(&registry, "acme", 77, "a", &json!({}));
    let reply = publish(&registry, "io.github.acme/adder", &server.url("/mcp"), &token).await;
    assert_eq!(reply.status, 503, "{reply:?}");
}
