//! Where the domain of a listing makes a key known. Whoever can put a key there speaks for the domain.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a domain makes a key known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    /// A TXT record at the domain: `v=MCPv1; k=ed25519; p=...`.
    Dns,
    /// The same record in the document at its `/.well-known/mcp-registry-auth`.
    Http,
    /// The key set at `/.well-known/jwks.json` of the listing's own origin.
    KeySet,
    /// The document of a `did:web` of the domain.
    DidWeb,
}

impl KeySource {
    /// The word used in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Http => "http",
            Self::KeySet => "key_set",
            Self::DidWeb => "did_web",
        }
    }
}
