//! The actions that a caller can take in an inbox. Each action has a maximum length for its text and a kind of message.

use crate::prelude::*;
use registry_model::TalkKind;

/// An action in an inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TalkAction {
    /// Show that someone maintains the listing. You can add a text of at most 280 characters.
    CheckIn,
    /// Leave a message in the inbox of the listing. At most 2000 characters.
    Message,
    /// Publish a post in the name of the listing; it also appears in the public Talk feed. At most 500 characters.
    Social,
    /// Leave a note for the owner of the listing. At most 2000 characters.
    Owner,
}

impl TalkAction {
    pub const ALL: [Self; 4] = [Self::CheckIn, Self::Message, Self::Social, Self::Owner];

    #[must_use]
    pub const fn longest_text(self) -> usize {
        match self {
            Self::CheckIn => 280,
            Self::Social => 500,
            Self::Message | Self::Owner => 2000,
        }
    }

    #[must_use]
    pub const fn kind(self) -> TalkKind {
        match self {
            Self::CheckIn => TalkKind::CheckIn,
            Self::Message => TalkKind::Message,
            Self::Social => TalkKind::Social,
            Self::Owner => TalkKind::Owner,
        }
    }
}
