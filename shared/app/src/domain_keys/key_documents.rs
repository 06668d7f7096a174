//! Two kinds of documents that contain keys: a key set (RFC 7517), and the document of a DID. Keys that this registry
//! does not support, and keys that must not verify signatures, are skipped.

use serde_json::{Map, Value};

use super::did::Did;
use super::public_key::PublicKey;

const MAX_KEYS: usize = 50;
/// The relationships of a DID document whose keys sign challenges (DID Core 1.0, §5.3.1 and §5.3.2).
const RELATIONSHIPS: [&str; 2] = ["assertionMethod", "authentication"];

pub(super) fn of_key_set(document: &Value) -> Vec<PublicKey> {
    members(document, "keys").filter_map(|jwk| PublicKey::from_jwk(jwk).ok()).collect()
}

/// The keys with which the subject of a DID may authenticate or make statements; none in the document of another DID.
/// A verification method that no such relationship contains or references counts for nothing (DID Core 1.0, §5.3), and
/// its controller must be the DID itself.
pub(super) fn of_did_document(document: &Value, did: &Did) -> Vec<PublicKey> {
    if document["id"].as_str() != Some(did.as_str()) {
        return Vec::new();
    }
    let related: Vec<&Value> = RELATIONSHIPS.into_iter().flat_map(|list| entries(document, list)).collect();
    let full = |id: &str| if id.starts_with('#') { format!("{did}{id}") } else { id.to_owned() };
    let is_referenced = |method: &&Map<String, Value>| {
        let id = method.get("id").and_then(Value::as_str).map(full);
        id.is_some_and(|id| related.iter().any(|entry| entry.as_str().map(full).as_ref() == Some(&id)))
    };
    let embedded = related.iter().filter_map(|entry| entry.as_object());
    let key = |method: &Map<String, Value>| {
        if method.get("controller")?.as_str()? != did.as_str() {
            return None;
        }
        let multikey = || PublicKey::from_multikey(method.get("publicKeyMultibase")?.as_str()?).ok();
        let jwk = || PublicKey::from_jwk(method.get("publicKeyJwk")?.as_object()?).ok();
        multikey().or_else(jwk)
    };
    let referenced = members(document, "verificationMethod").filter(is_referenced);
    referenced.chain(embedded).filter_map(key).collect()
}

fn members<'a>(document: &'a Value, list: &str) -> impl Iterator<Item = &'a Map<String, Value>> {
    entries(document, list).filter_map(Value::as_object)
}

fn entries<'a>(document: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    document[list].as_array().into_iter().flatten().take(MAX_KEYS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik";

    #[test]
    fn unknown_keys_do_not_hide_known_keys() {
        let own = json!({ "kty": "OKP", "crv": "Ed25519", "x": KEY, "kid": "1" });
        let set = json!({ "keys": [{ "kty": "RSA" }, 1, own, null] });
        let keys = of_key_set(&set);
        assert_eq!(keys.iter().map(|key| key.jwk().x).collect::<Vec<_>>(), [KEY]);
        for none in [json!({}), json!([]), json!({ "keys": {} }), json!({ "keys": "x" })] {
            assert!(of_key_set(&none).is_empty(), "{none}");
        }
    }

    #[test]
    fn only_keys_for_verifying_signatures_count() {
        let count = |member: &str, value: Value| {
            let mut key = json!({ "kty": "OKP", "crv": "Ed25519", "x": KEY });
            key[member] = value;
            of_key_set(&json!({ "keys": [key] })).len()
        };
        for (member, value) in [
            ("use", json!("sig")),
            ("key_ops", json!(["sign", "verify"])),
            ("alg", json!("EdDSA")),
            ("alg", json!("Ed25519")),
        ] {
            assert_eq!(count(member, value.clone()), 1, "{member} {value}");
        }
        for (member, value) in [
            ("use", json!("enc")),
            ("use", json!(1)),
            ("key_ops", json!(["encrypt"])),
            ("key_ops", json!("verify")),
            ("alg", json!("ES256")),
            ("alg", json!("ECDH-ES")),
        ] {
            assert_eq!(count(member, value.clone()), 0, "{member} {value}");
        }
    }

    const DID: &str = "did:web:agents.example.org";

    fn keys_of(document: &Value) -> usize {
        of_did_document(document, &Did::parse(DID).unwrap()).len()
    }

    #[test]
    fn the_document_of_another_did_is_ignored() {
        let mut document = json!({
            "id": DID,
            "verificationMethod": [
                { "id": "#1", "controller": DID,
                    "publicKeyMultibase": "z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp" },
                { "id": "#2", "controller": DID, "publicKeyJwk": { "kty": "OKP", "crv": "Ed25519", "x": KEY } },
                { "id": "#3", "controller": DID },
            ],
            "authentication": ["#1", "#2", "#3"],
        });
        assert_eq!(keys_of(&document), 2);
        document["id"] = json!("did:web:other.example.org");
        assert_eq!(keys_of(&document), 0);
    }

    #[test]
    fn only_keys_that_speak_for_the_did_count() {
        let method = |controller: &str| {
            json!({ "id": format!("{DID}#1"), "controller": controller,
                "publicKeyJwk": { "kty": "OKP", "crv": "Ed25519", "x": KEY } })
        };
        let listed = |relationship: &str, entry: Value| {
            let mut document = json!({ "id": DID, "verificationMethod": [method(DID)] });
            document[relationship] = json!([entry]);
            keys_of(&document)
        };
        for relationship in RELATIONSHIPS {
            assert_eq!(listed(relationship, json!("#1")), 1, "{relationship}, relative");
            assert_eq!(listed(relationship, json!(format!("{DID}#1"))), 1, "{relationship}, absolute");
            let embedded = json!({ "id": DID, relationship: [method(DID)] });
            assert_eq!(keys_of(&embedded), 1, "{relationship}, embedded");
        }
        assert_eq!(listed("keyAgreement", json!("#1")), 0);
        assert_eq!(listed("authentication", json!("#2")), 0);
        assert_eq!(listed("authentication", json!("did:web:other.example.org#1")), 0);
        assert_eq!(keys_of(&json!({ "id": DID, "verificationMethod": [method(DID)] })), 0);
        let other = method("did:web:other.example.org");
        assert_eq!(keys_of(&json!({ "id": DID, "authentication": [other] })), 0, "another controller");
    }
}
