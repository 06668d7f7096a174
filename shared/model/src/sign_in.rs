//! The sign-in that an MCP server asks for, as its metadata describes it (MCP, basic/authorization).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the callers of a server get a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SignIn {
    /// The authorization server that issues tokens for it, by its issuer identifier.
    pub issuer: String,
    /// The scopes in its challenge, else those in its metadata.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// How a client that is unknown to the authorization server gets a client id.
    pub registration: ClientRegistration,
}

string_enum! {
    /// How a client gets a client id (MCP 2026-07-28, basic/authorization/client-registration).
    #[derive(JsonSchema)]
    pub enum ClientRegistration {
        /// The URL of a metadata document is the client id.
        MetadataDocument = "metadata_document",
        /// The client registers itself (RFC 7591).
        Dynamic = "dynamic",
        /// Only by hand: the metadata names no way for unknown clients.
        ByHand = "by_hand",
    }
}

impl SignIn {
    pub fn sentence(&self) -> String {
        let scopes = match self.scopes.len() {
            0 => String::new(),
            1 => format!(", scope {}", self.scopes[0]),
            _ => format!(", scopes {}", self.scopes.join(" ")),
        };
        format!("Asks for sign-in at {}{scopes}.", self.issuer)
    }
}
