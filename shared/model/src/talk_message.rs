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

impl TalkMessage {
    /// A message of the registry to a listing, about what happened to it at `at`. Its id follows from that, so that what
    /// is told twice is one message.
    #[must_use]
    pub fn of_registry(to: &ListingId, kind: TalkKind, at: Moment, text: String) -> Self {
        let id = Self::id_at(at, kind.as_str());
        Self { id, at, to: to.clone(), from: None, channel: TalkChannel::Registry, kind, text }
    }

    /// The id of a message of `at`; `mark` tells it from others of the same millisecond.
    #[must_use]
    pub fn id_at(at: Moment, mark: &str) -> String {
        format!("msg_{:013}_{mark}", at.as_millisecond())
    }
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
    /// The registry: a probe found something to fix.
    NeedsFix,
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

impl TalkKind {
    /// The kind as documents and ids write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Welcome => "welcome",
            Self::DemoInvitation => "demo_invitation",
            Self::Recheck => "recheck",
            Self::NeedsFix => "needs_fix",
            Self::Drift => "drift",
            Self::Connector => "connector",
            Self::Message => "message",
            Self::Social => "social",
            Self::Owner => "owner",
            Self::CheckIn => "check_in",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_registry_tells_twice_is_one_message_and_ids_sort_by_time() {
        let to: ListingId = "agent-a".parse().unwrap();
        let told = |millis, kind| {
            TalkMessage::of_registry(&to, kind, Moment::from_millisecond(millis).unwrap(), String::new()).id
        };
        assert_eq!(told(7, TalkKind::Welcome), told(7, TalkKind::Welcome));
        assert_ne!(told(7, TalkKind::Welcome), told(7, TalkKind::Recheck));
        assert!(told(999, TalkKind::Welcome) < told(1000, TalkKind::Drift));
    }

    #[test]
    fn a_kind_is_written_as_it_is_serialised() {
        for kind in [TalkKind::DemoInvitation, TalkKind::NeedsFix, TalkKind::CheckIn, TalkKind::Owner] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
