//! A public key as RFC 7517 writes it, of the two kinds that are taken here: Ed25519 (RFC 8037) and P-256 (RFC 7518).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are those of RFC 7517")]
pub struct PublicJwk {
    /// `OKP` or `EC`.
    pub kty: String,
    /// `Ed25519` or `P-256`.
    pub crv: String,
    pub x: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<String>,
}

impl PublicJwk {
    /// The thumbprint of the key (RFC 7638): the digest of the required members in the order of their names.
    #[must_use]
    pub fn thumbprint(&self) -> String {
        let Self { kty, crv, x, y } = self;
        let y = y.as_ref().map(|y| format!(r#","y":"{y}""#)).unwrap_or_default();
        BASE64URL.encode(Sha256::digest(format!(r#"{{"crv":"{crv}","kty":"{kty}","x":"{x}"{y}}}"#)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 8037, appendix A.3.
    #[test]
    fn a_thumbprint_is_that_of_the_standard() {
        let key = PublicJwk {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo".to_owned(),
            y: None,
        };
        assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }
}
