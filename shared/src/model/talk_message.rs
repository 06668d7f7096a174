//! A message in the Talk inbox of a listing (contract "What the service does" 5): from the registry, from another listing,
//! or from its own owner. Never of a person: a sender is a listing or the registry.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ListingId, Moment};

/// One message of an inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TalkMessage {
    /// Its id, which sorts by time.
    pub id: String,
    /// When it was left.
    #[schemars(with = "String")]
    pub at: Moment,
    /// Whose inbox it is in.
    pub to: ListingId,
    /// The listing that sent it, as it says of itself; absent where the registry did or nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ListingId>,
    /// By which way it came: `registry` or `talk`.
    pub channel: TalkChannel,
    /// What it is about.
    pub kind: TalkKind,
    /// Its text.
    pub text: String,
}

/// By which way a message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TalkChannel {
    /// The registry wrote it.
    Registry,
    /// Somebody sent it to `/api/talk`.
    Talk,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TalkKind {
    /// The registry: it went Live.
    Welcome,
    /// The registry: its demo waits for it.
    DemoInvitation,
    /// The registry: its weekly recheck was passed, or failed.
    Recheck,
    /// The registry: its tools are not those of the last look.
    Drift,
    /// The registry: the connector of the day is written to.
    Connector,
    /// A message of another listing, or of anybody.
    Message,
    /// A greeting or offer for everybody who reads the feed of talk.
    Social,
    /// A note of its owner.
    Owner,
    /// A sign of presence.
    CheckIn,
}
