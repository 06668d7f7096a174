//! The two kinds of peer that the registry lists (contract "What the service does" 1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a listing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An agent that speaks A2A.
    Agent,
    /// An MCP server.
    Mcp,
}

impl Kind {
    /// The word used in paths, keys and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Mcp => "mcp",
        }
    }
}
