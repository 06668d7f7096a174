//! Two kinds of documents that contain keys: a key set (RFC 7517), and the document of a DID. Key types that
//! this registry does not support are skipped.

use serde_json::{Map, Value};

use super::did::Did;
use super::public_key::PublicKey;

const MAX_KEYS: usize = 50;

pub(super) fn of_key_set(document: &Value) -> Vec<PublicKey> {
    members(document, "keys").filter_map(|jwk| PublicKey::from_jwk(jwk).ok()).collect()
}

/// The keys in the document of a DID; none in the document of another DID.
pub(super) fn of_did_document(document: &Value, did: &Did) -> Vec<PublicKey> {
    if document["id"].as_str() != Some(did.as_str()) {
        return Vec::new();
    }
    let key = |method: &Map<String, Value>| {
        let multikey = || PublicKey::from_multikey(method.get("publicKeyMultibase")?.as_str()?).ok();
        let jwk = || PublicKey::from_jwk(method.get("publicKeyJwk")?.as_object()?).ok();
        multikey().or_else(jwk)
    };
    members(document, "verificationMethod").filter_map(key).collect()
}

fn members<'a>(document: &'a Value, list: &str) -> impl Iterator<Item = &'a Map<String, Value>> {
    document[list].as_array().into_iter().flatten().filter_map(Value::as_object).take(MAX_KEYS)
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
    fn the_document_of_another_did_is_ignored() {
        let did = Did::parse("did:web:agents.example.org").unwrap();
        let mut document = json!({
            "id": "did:web:agents.example.org",
            "verificationMethod": [
                { "id": "#1", "publicKeyMultibase": "z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp" },
                { "id": "#2", "publicKeyJwk": { "kty": "OKP", "crv": "Ed25519", "x": KEY } },
                { "id": "#3" },
            ],
        });
        assert_eq!(of_did_document(&document, &did).len(), 2);
        document["id"] = json!("did:web:other.example.org");
        assert!(of_did_document(&document, &did).is_empty());
    }
}
