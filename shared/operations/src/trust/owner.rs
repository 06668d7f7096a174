//! What every act of an owner shares: the challenge that is answered where no signature was sent, and the reading of the
//! signature and of the key that made it.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use registry_app::domain_keys::{Did, PublicKey, Signature};
use registry_domain::trust::ownership::Offered;
use registry_formats::argument_schema;
use registry_model::Moment;
use registry_model::error::Problem;
use registry_store::Challenge;

/// A challenge that is to be signed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownChallenge {
    /// Goes back with the signature.
    nonce: String,
    /// The text to be signed, byte by byte: four lines joined by line feeds, none at the end.
    text: String,
    /// Until when it may be used, and once.
    expires_at: Moment,
    /// How it is signed.
    how: &'static str,
}

impl From<Challenge> for ShownChallenge {
    fn from(challenge: Challenge) -> Self {
        let Challenge { nonce, text, expires_at } = challenge;
        let how = "Sign the UTF-8 bytes of `text` with a key that the domain of the listing makes known (`ways`): Ed25519, \
            or ECDSA on P-256 with SHA-256. Send the same call again with `nonce` and `signature` (hexadecimal or base64; \
            of P-256 also in DER).";
        Self { nonce, text, expires_at, how }
    }
}

/// How a caller names a key.
#[derive(Debug, Default)]
pub(super) struct NamedKey {
    /// The key.
    pub(super) key: Option<PublicKey>,
    /// The DID.
    pub(super) did: Option<Did>,
}

/// The key is told in one way, or not at all.
pub(super) fn one_key() -> Value {
    let none = argument_schema::none_of;
    json!([
        none(&["public_jwk", "public_key_pem"]),
        none(&["did", "public_key_pem"]),
        none(&["did", "public_jwk"]),
    ])
}

/// A public key of the kinds that are taken, as a JWK.
pub(super) fn public_jwk_schema(_: &mut SchemaGenerator) -> Schema {
    let coordinate = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$";
    json_schema!({
        "description": "The key as a JWK, without its private part.",
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
    /// Reads a key in any of its forms; several must be the same key.
    ///
    /// # Errors
    /// Names the field that cannot be taken.
    pub(super) fn parse(
        did: Option<&str>,
        public_jwk: Option<&Map<String, Value>>,
        public_key_pem: Option<&str>,
    ) -> Result<Self, Problem> {
        let did = did.map(Did::parse).transpose();
        let did = did.map_err(|error| Problem::invalid("did", "bad_did", format!("`did`: {error}.")))?;
        let refuse = |field: &'static str| {
            move |error| Problem::invalid(field, "bad_key", format!("`{field}` cannot be taken: {error}."))
        };
        let jwk = public_jwk.map(PublicKey::from_jwk).transpose().map_err(refuse("public_jwk"))?;
        let pem = public_key_pem.map(PublicKey::from_pem).transpose().map_err(refuse("public_key_pem"))?;
        let mut keys = [did.as_ref().and_then(Did::key).cloned(), jwk, pem].into_iter().flatten();
        let key = keys.next();
        if keys.any(|other| Some(&other) != key.as_ref()) {
            let detail = "`did`, `public_jwk` and `public_key_pem` are different keys. Send one.";
            return Err(Problem::invalid("public_jwk", "different_keys", detail));
        }
        Ok(Self { key, did })
    }

    /// What is offered with a challenge; `None` where it is asked for.
    ///
    /// # Errors
    /// Only one of both was sent, or the signature is none.
    pub(super) fn offered(
        self,
        nonce: Option<&str>,
        signature: Option<&str>,
    ) -> Result<Option<Offered>, Problem> {
        let Self { key, did } = self;
        match (nonce, signature) {
            (None, None) => Ok(None),
            (Some(nonce), Some(signature)) => {
                let signature = Signature::parse(signature).ok_or_else(|| {
                    let detail = "`signature` must be 64 bytes in hexadecimal or base64, or of P-256 in DER.";
                    Problem::invalid("signature", "bad_signature", detail)
                })?;
                Ok(Some(Offered { nonce: nonce.to_owned(), signature, key, did }))
            }
            (Some(_), None) => {
                Err(Problem::invalid("signature", "signature_missing", "`nonce` goes with a `signature`."))
            }
            (None, Some(_)) => Err(Problem::invalid(
                "nonce",
                "nonce_missing",
                "`signature` goes with the `nonce` of a challenge: send the call without both to be given one.",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DID: &str = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";

    #[test]
    fn a_key_that_is_named_twice_is_one_key() {
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
    fn a_nonce_and_a_signature_go_together() {
        let offered = |nonce, signature| NamedKey::default().offered(nonce, signature).map_err(|p| p.code);
        assert!(matches!(offered(None, None), Ok(None)));
        let good = "00".repeat(64);
        assert!(matches!(offered(Some("n"), Some(&good)), Ok(Some(_))));
        assert_eq!(offered(Some("n"), None).unwrap_err(), "signature_missing");
        assert_eq!(offered(None, Some(&good)).unwrap_err(), "nonce_missing");
        assert_eq!(offered(Some("n"), Some("x")).unwrap_err(), "bad_signature");
    }
}
