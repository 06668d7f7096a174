//! A named selection of MCP servers, which clients read as a registry of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HostName, Moment};

string_enum! {
    /// How a server can be used.
    #[derive(JsonSchema)]
    pub enum Access {
        /// It is Live, and its handshake needs no sign-in.
        Open = "open",
        /// It asks for a sign-in, which was found correct.
        Gated = "gated",
        /// It runs on the machine of its user. It is never Live.
        Package = "package",
        /// All of these.
        All = "all",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Collection {
    /// A name such as `approved`, or for the owner of a domain, a reversed domain and a name: `com.example.approved`.
    pub name: String,
    /// A title for people.
    pub title: String,
    /// What the servers have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The domain whose key signed the collection. Absent if the operator of this registry published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub owner: Option<HostName>,
    #[serde(flatten)]
    pub rules: CollectionRules,
    pub updated_at: Moment,
}

/// Which servers a collection contains: those that match all rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionRules {
    /// The names (as in `/v0.1/servers`) or ids of servers. Empty: no server is excluded by its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<String>,
    /// A search text: only its best 100 hits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// The id of a category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How the servers can be used.
    pub access: Access,
    /// Only servers whose names are proven.
    #[serde(default)]
    pub proven_names: bool,
    /// Only servers whose last successful handshake is at most so many hours old.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_hours: Option<u32>,
}
