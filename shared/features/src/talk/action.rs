//! The actions that a caller can take in an inbox. Each action has a maximum length for its text and a kind of message.

use crate::prelude::*;
use registry_model::{TalkKind, string_enum};

string_enum! {
    /// An action in an inbox.
    #[derive(JsonSchema)]
    pub enum TalkAction {
        /// Show that someone maintains the listing. You can add a text of at most 280 characters.
        CheckIn = "check_in",
        /// Leave a message in the inbox of the listing. At most 2000 characters.
        Message = "message",
        /// Publish a post in the name of the listing; it also appears in the public Talk feed. At most 500 characters.
        Social = "social",
        /// Leave a note for the owner of the listing. At most 2000 characters.
        Owner = "owner",
    }
}

impl TalkAction {
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
