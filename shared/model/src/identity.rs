//! A key that is bound to the domain of a listing. The key proves who speaks for the domain. It says
//! nothing about the quality of the listing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{HostName, Listing, Moment};

/// The proven identity of a listing's domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The domain that published the key: the host of the listing, or the registrable domain of that host.
    #[schemars(with = "String")]
    pub proven_domain: HostName,
    /// Where the domain published the key.
    pub method: KeySource,
    /// When the key signed a challenge of this registry while the domain published it.
    pub at: Moment,
    /// The public key.
    pub public_jwk: PublicJwk,
    /// Its thumbprint (RFC 7638).
    pub thumbprint: String,
}

impl Identity {
    /// Whether it still belongs to this listing: a listing that moved to another host may have another owner.
    pub fn is_of(&self, listing: &Listing) -> bool {
        listing.own_host().is_some_and(|host| self.proven_domain.covers(&host))
    }
}

string_enum! {
    /// Where a domain publishes a key. Anyone who can publish a key there can act for the domain.
    #[derive(JsonSchema)]
    pub enum KeySource {
        /// A TXT record at the domain: `v=MCPv1; k=ed25519; p=...`.
        Dns = "dns",
        /// The same record in the document at `/.well-known/mcp-registry-auth` of the domain.
        Http = "http",
        /// The key set at `/.well-known/jwks.json` of the listing's own origin.
        KeySet = "key_set",
    }
}

/// A public key (RFC 7517): Ed25519 (RFC 8037) or P-256 (RFC 7518).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// The thumbprint (RFC 7638): the digest of the required members in the order of their names.
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
    fn thumbprint_matches_the_standard() {
        let key = PublicJwk {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo".to_owned(),
            y: None,
        };
        assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }
}
