//! Parses the key that an owner names.

use schemars::{Schema, SchemaGenerator, json_schema};

use crate::prelude::*;
use registry_app::domain_keys::PublicKey;

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

/// Parses the key in one of its forms; if there are both, they must be the same key.
pub(super) fn named_key(
    public_jwk: Option<&Map<String, Value>>,
    public_key_pem: Option<&str>,
) -> Result<Option<PublicKey>, Problem> {
    let refuse = |field: &'static str| {
        move |error| Problem::invalid(field, Code::BadKey, format!("`{field}` is not accepted: {error}."))
    };
    let jwk = public_jwk.map(PublicKey::from_jwk).transpose().map_err(refuse("public_jwk"))?;
    let pem = public_key_pem.map(PublicKey::from_pem).transpose().map_err(refuse("public_key_pem"))?;
    match (jwk, pem) {
        (Some(jwk), Some(pem)) if jwk != pem => {
            let detail = "`public_jwk` and `public_key_pem` contain different keys. Send only one of them.";
            Err(Problem::invalid("public_jwk", Code::DifferentKeys, detail))
        }
        (jwk, pem) => Ok(jwk.or(pem)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PEM: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
        -----END PUBLIC KEY-----";

    #[test]
    fn all_given_forms_must_contain_the_same_key() {
        let jwk = |x: &str| json!({ "kty": "OKP", "crv": "Ed25519", "x": x });
        let named = |x: &str| named_key(jwk(x).as_object(), Some(PEM));
        assert!(named("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap().is_some());
        assert_eq!(named(&"A".repeat(43)).unwrap_err().code, Code::DifferentKeys);
        assert_eq!(named("A").unwrap_err().field.as_deref(), Some("public_jwk"));
        assert_eq!(named_key(None, Some("x")).unwrap_err().field.as_deref(), Some("public_key_pem"));
        assert!(named_key(None, None).unwrap().is_none());
    }
}
