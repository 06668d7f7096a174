//! A referral is an agent or MCP server that another registry lists. It is not verified, because this
//! registry has not contacted the agent or server. So a referral is never Live and never a listing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, Moment};

/// A peer that another registry lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Referral {
    /// Its name in the other registry.
    pub name: String,
    /// Its card or endpoint.
    pub url: String,
    /// Agent or MCP server.
    pub kind: Kind,
    /// Its description in the other registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The registry that lists it.
    pub peer: String,
    /// When it was read.
    pub at: Moment,
}

/// The facts read from another registry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerRegistry {
    pub url: String,
    /// Its host where it gives no name.
    pub name: String,
    /// Its search API of the ARD standard, where its catalogue announces one.
    pub search_url: Option<String>,
    pub asked_at: Moment,
    pub answered_at: Option<Moment>,
    /// Why the last request gave no referrals.
    pub failure: Option<String>,
    /// Whether its list of MCP servers contains this registry; none where it did not answer that.
    pub lists_this: Option<bool>,
    pub referrals: Vec<Referral>,
}
