//! Tests the trust tools: signed statements about listings, keys that are bound to domains, and actions that
//! only the owner of a listing can take.

mod attestations;
mod capability_hash;
mod collections;
mod identities;
mod owner;
mod reciprocity;
mod signing_keys;

use tests::prelude::*;

/// The REST endpoint of the trust operations.
const FAMILY: &str = "/api/products/first-principles";

const OPERATOR_TOKEN: &str = "an-operator-token-of-thirty-two-characters";

async fn attest_listing(registry: &TestRegistry, id: &ListingId, about: &str) -> Value {
    registry.call_tool("attest", &json!({ "listing_id": id, "type": about })).await["attestation"].clone()
}

async fn verify_token(registry: &TestRegistry, jws: &str) -> Value {
    registry.call_tool("verify_attestation", &json!({ "jws": jws })).await
}

fn failed_checks(answer: &Value) -> Vec<&str> {
    let checks = answer["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["ok"] == false).map(|check| check["id"].as_str().unwrap()).collect()
}
