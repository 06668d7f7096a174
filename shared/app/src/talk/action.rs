//! What a caller may do in an inbox. Each act has its own longest text, its kind of message, and says whether it shows
//! that the listing itself is there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use registry_model::TalkKind;

/// What a caller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TalkAction {
    /// Show that the listing is there; a text of at most 280 characters may go with it.
    CheckIn,
    /// Leave a message in the inbox of the listing; at most 2000 characters.
    Message,
    /// Say something to everybody in the name of the listing; at most 500 characters, in the feed of talk, too.
    Social,
    /// Keep a note for whoever looks after the listing; at most 2000 characters.
    Owner,
}

impl TalkAction {
    /// Every act.
    pub const ALL: [Self; 4] = [Self::CheckIn, Self::Message, Self::Social, Self::Owner];

    /// The longest text, in characters.
    #[must_use]
    pub const fn longest_text(self) -> usize {
        match self {
            Self::CheckIn => 280,
            Self::Social => 500,
            Self::Message | Self::Owner => 2000,
        }
    }

    /// The kind of the message that it leaves.
    #[must_use]
    pub const fn kind(self) -> TalkKind {
        match self {
            Self::CheckIn => TalkKind::CheckIn,
            Self::Message => TalkKind::Message,
            Self::Social => TalkKind::Social,
            Self::Owner => TalkKind::Owner,
        }
    }

    /// Whether the listing itself speaks; anybody else may leave it a message.
    #[must_use]
    pub const fn is_of_the_listing(self) -> bool {
        !matches!(self, Self::Message)
    }
}
