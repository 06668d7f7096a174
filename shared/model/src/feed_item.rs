//! One line of the public activity feed (contract "Events" 3): what happened to which listing, nothing of any person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, ListingId, Moment};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct FeedItem {
    /// `listing_queued`, `listing_live`, `listing_needs_fix`, `listing_demoted`, `listing_withdrawn`, `host_blocked`, ...
    #[serde(rename = "type")]
    pub what: String,
    #[schemars(with = "String")]
    pub at: Moment,
    /// To which listing; absent where it happened to a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<ListingId>,
    /// Its kind, where it is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    pub name: String,
    /// One sentence for people.
    pub text: String,
}
