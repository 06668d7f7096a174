//! Tests the trust tools: signed statements about listings, keys that are bound to domains, and actions that
//! only the owner of a listing can take.

mod attestations;
mod capability_hash;
mod collections;
mod identities;
mod owner;
mod reciprocity;
mod signing_keys;

use registry::model::ListingId;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use tests::test_registry::{Reply, TestRegistry};

/// The REST endpoint of the trust operations.
const FAMILY: &str = "/api/products/first-principles";

/// The operator token.
const OPERATOR_TOKEN: &str = "an-operator-token-of-thirty-two-characters";

async fn attest_listing(registry: &TestRegistry, id: &ListingId, about: &str) -> Value {
    let answer = registry.call_tool("attest", &json!({ "listing_id": id, "type": about })).await;
    answer["attestation"].clone()
}

async fn verify_token(registry: &TestRegistry, jws: &str) -> Value {
    registry.call_tool("verify_attestation", &json!({ "jws": jws })).await
}

/// The ids of the failed checks of a token.
fn failed_checks(answer: &Value) -> Vec<&str> {
    let checks = answer["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["ok"] == false).map(|check| check["id"].as_str().unwrap()).collect()
}

/// POSTs an action with the given bearer token.
async fn post_with_token(registry: &TestRegistry, token: Option<&str>, body: &Value) -> Reply {
    match token {
        Some(token) => registry.post_with_token(FAMILY, token, body).await,
        None => registry.post(FAMILY, body).await,
    }
}

/// The owner of a domain, with a signing key.
struct Owner {
    key: Ed25519KeyPair,
}

impl Owner {
    fn new(seed: u8) -> Self {
        Self { key: Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap() }
    }

    fn jwk(&self) -> Value {
        use base64::Engine as _;
        let x = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(self.key.public_key());
        json!({ "kty": "OKP", "crv": "Ed25519", "x": x })
    }

    fn record(&self) -> String {
        use base64::Engine as _;
        let key = base64::engine::general_purpose::STANDARD.encode(self.key.public_key());
        format!("v=MCPv1; k=ed25519; p={key}")
    }

    fn sign(&self, text: &str) -> String {
        self.key.sign(text.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Requests a challenge for a call and returns the call with the signed challenge.
    async fn with_signature(&self, registry: &TestRegistry, tool: &str, arguments: &Value) -> Value {
        let answer = registry.call_tool(tool, arguments).await;
        let challenge = &answer["challenge"];
        assert!(challenge["text"].is_string(), "{answer}");
        let mut signed = arguments.clone();
        signed["nonce"] = challenge["nonce"].clone();
        signed["signature"] = json!(self.sign(challenge["text"].as_str().unwrap()));
        signed
    }
}
