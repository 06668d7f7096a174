//! What another registry told of somebody: who is listed there, and where. A referral is hearsay: nobody here asked the one it
//! names, so it is never Live and never a listing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, Moment};

/// Somebody that another registry lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Referral {
    /// Its name, as the other registry tells it.
    pub name: String,
    /// Its card or endpoint.
    pub url: String,
    /// Agent or MCP server.
    pub kind: Kind,
    /// What it is for, as the other registry tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The registry that lists it.
    pub peer: String,
    /// When that was read.
    pub at: Moment,
}

/// What was read of another registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerRegistry {
    /// Its base URL.
    pub url: String,
    /// The name it goes by; its host where it tells none.
    pub name: String,
    /// Its search API of the ARD standard, where its catalogue announces one.
    pub search_url: Option<String>,
    /// When it was last asked.
    pub asked_at: Moment,
    /// When it last answered.
    pub answered_at: Option<Moment>,
    /// Why it gave nothing when it was asked last.
    pub failure: Option<String>,
    /// Whether its list of MCP servers has this registry, as it last said; none where it did not say.
    pub lists_this: Option<bool>,
    /// What it listed when it last answered.
    pub referrals: Vec<Referral>,
}
