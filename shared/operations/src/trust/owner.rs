//! Code that all actions of owners use. It parses the key and the signature.

use schemars::{Schema, SchemaGenerator, json_schema};

use crate::prelude::*;
use registry_app::domain_keys::{Did, PublicKey};
use registry_domain::trust::ownership::SignedChallenge;

#[derive(Debug, Default)]
pub(super) struct NamedKey {
    pub(super) key: Option<PublicKey>,
    pub(super) did: Option<Did>,
}

/// At most one form of the key may be sent.
pub(super) fn one_key() -> Value {
    let none = argument_schema::none_of;
    json!([
        none(&["public_jwk", "public_key_pem"]),
        none(&["did", "public_key_pem"]),
        none(&["did", "public_jwk"]),
    ])
}

pub(super) fn public_jwk_schema(_: &mut SchemaGenerator) -> Schema {
    let coordinate = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$";
    json_schema!({
        "description": "The public key as a JWK, without its private part.",
        "anyOf": [
            { "type": "null" },
            {
                "type": "object",
                "properties": {
                    "kty": { "const": "OKP" }, "crv": { "const": "Ed25519" },
                    "x": { "type": "string", "pattern": coordinate }, "d": false,
                },
                "required": ["kty", "crv", "x"],
            },
            {
                "type": "object",
                "properties": {
                    "kty": { "const": "EC" }, "crv": { "const": "P-256" },
                    "x": { "type": "string", "pattern": coordinate, "format": "p256-x" },
                    "y": { "type": "string", "pattern": coordinate, "format": "p256-y" }, "d": false,
                },
                "required": ["kty", "crv", "x", "y"],
            },
        ],
    })
}

impl NamedKey {
    /// Parses a key in any of its forms; if there are several, they must be the same key.
    pub(super) fn parse(
        did: Option<&str>,
        public_jwk: Option<&Map<String, Value>>,
        public_key_pem: Option<&str>,
    ) -> Result<Self, Problem> {
        let did = did.map(Did::parse).transpose();
        let did = did.map_err(|error| Problem::invalid("did", "bad_did", format!("`did`: {error}.")))?;
        let refuse = |field: &'static str| {
            move |error| Problem::invalid(field, "bad_key", format!("`{field}` is not accepted: {error}."))
        };
        let jwk = public_jwk.map(PublicKey::from_jwk).transpose().map_err(refuse("public_jwk"))?;
        let pem = public_key_pem.map(PublicKey::from_pem).transpose().map_err(refuse("public_key_pem"))?;
        let mut keys = [did.as_ref().and_then(Did::key).cloned(), jwk, pem].into_iter().flatten();
        let key = keys.next();
        if keys.any(|other| Some(&other) != key.as_ref()) {
            let detail = "`did`, `public_jwk` and `public_key_pem` contain different keys. Send only one of \
                them.";
            return Err(Problem::invalid("public_jwk", "different_keys", detail));
        }
        Ok(Self { key, did })
    }

    /// The signed challenge; `None` if the call asks for a challenge.
    pub(super) fn offered(
        self,
        nonce: Option<&str>,
        signature: Option<&str>,
    ) -> Result<Option<SignedChallenge>, Problem> {
        let Self { key, did } = self;
        let signed = SignedChallenge::parse(nonce, signature)?;
        Ok(signed.map(|signed| SignedChallenge { key, did, ..signed }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DID: &str = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";

    #[test]
    fn all_given_forms_must_contain_the_same_key() {
        let jwk = |x: &str| json!({ "kty": "OKP", "crv": "Ed25519", "x": x });
        let named = |x: &str| NamedKey::parse(Some(DID), jwk(x).as_object(), None);
        assert!(named("O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik").unwrap().key.is_some());
        assert_eq!(named(&"A".repeat(43)).unwrap_err().code, "different_keys");
        assert_eq!(named("A").unwrap_err().field.as_deref(), Some("public_jwk"));
        assert_eq!(NamedKey::parse(Some("did:x"), None, None).unwrap_err().code, "bad_did");
        assert_eq!(
            NamedKey::parse(None, None, Some("x")).unwrap_err().field.as_deref(),
            Some("public_key_pem")
        );
        assert!(NamedKey::parse(None, None, None).unwrap().key.is_none());
    }

    #[test]
    fn nonce_and_signature_require_each_other() {
        let offered = |nonce, signature| NamedKey::default().offered(nonce, signature).map_err(|p| p.code);
        assert!(matches!(offered(None, None), Ok(None)));
        let good = "00".repeat(64);
        assert!(matches!(offered(Some("n"), Some(&good)), Ok(Some(_))));
        assert_eq!(offered(Some("n"), None).unwrap_err(), "signature_missing");
        assert_eq!(offered(None, Some(&good)).unwrap_err(), "nonce_missing");
        assert_eq!(offered(Some("n"), Some("x")).unwrap_err(), "bad_signature");
    }
}
