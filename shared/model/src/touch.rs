//! A first touch: the registry wrote to a listing that had not written to it (contract "Limits", outreach). It says when
//! and by which way, never what came of it, which the listing itself shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListingId, Moment};

/// One first touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Touch {
    /// Who was written to.
    pub listing_id: ListingId,
    /// When.
    #[schemars(with = "String")]
    pub at: Moment,
    /// Why.
    pub kind: TouchKind,
    /// It had taken its demo before, so that none can come of this.
    #[serde(default)]
    pub after_demo: bool,
    /// What became of the A2A message that went with it: `delivered`, else why not; absent where none was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a2a: Option<String>,
}

/// Why the registry wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TouchKind {
    /// To invite a Live listing to its demo.
    Invitation,
    /// To introduce the registry to the connector of the day.
    Connector,
}
