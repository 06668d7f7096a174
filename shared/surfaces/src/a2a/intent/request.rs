//! What a message requests.

use serde_json::{Map, Value, json};

use crate::a2a::intent::argument_slots::Slot;
use registry_features::AnyOperation;
use registry_features::operation::DETAIL;

#[derive(Clone, Debug)]
pub enum Intent {
    Run(&'static AnyOperation, Value),
    /// This operation, but an argument for the slot is missing; the others are known.
    Missing(&'static AnyOperation, Slot, Map<String, Value>),
    /// This operation, but several listings have the name.
    Ambiguous(&'static AnyOperation, String),
    /// This operation, in a form that is not executed.
    Refused(&'static AnyOperation, Hold),
    NoSuch(String),
    /// More than 50 fields and URLs outside of the text.
    TooManyFields,
    /// A greeting, a call for help, or an empty message.
    Greeting,
    Unclear,
}

impl Intent {
    pub(super) fn operation(&self) -> Option<&'static AnyOperation> {
        match self {
            Self::Run(entry, _) | Self::Missing(entry, ..) | Self::Refused(entry, _) => Some(entry),
            _ => None,
        }
    }

    /// The arguments of an operation that can run.
    pub(super) const fn arguments(&self) -> Option<&Value> {
        match self {
            Self::Run(_, arguments) => Some(arguments),
            _ => None,
        }
    }

    pub(super) const fn is_read(&self) -> bool {
        matches!(self, Self::Run(entry, _) if entry.described.effect.read_only)
    }

    /// Asks for the short answer, unless the message says how much it wants.
    pub(super) fn with_short_answer(mut self) -> Self {
        if let Self::Run(entry, Value::Object(arguments)) = &mut self
            && detail_selects_a_part(entry)
        {
            arguments.entry(DETAIL).or_insert_with(|| json!("short"));
        }
        self
    }
}

/// Whether `detail` selects a part of the answer. An operation may have an argument of this name.
pub(super) fn detail_selects_a_part(entry: &AnyOperation) -> bool {
    !entry.unknown(std::iter::once(DETAIL)).is_empty()
}

/// Why an operation is not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    SeveralCalls,
    SeveralUrls,
    SeveralListings,
    Later,
    /// The message takes the request back, or makes it conditional.
    Retracted,
    /// It writes, and the message contains no request for it.
    Unrequested,
    /// It writes, and the message contains only the name of the listing.
    Named,
    /// The message takes back what was written about a listing.
    Written,
    /// The message changes what a probe reads.
    FromItsServer,
}

impl Hold {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::SeveralCalls => "Only one operation can be called at a time.",
            Self::SeveralUrls => "The message contains several URLs, but only one is accepted at a time.",
            Self::SeveralListings => "Only one listing is accepted at a time.",
            Self::Later => "It is done at once, never at a later time.",
            Self::Retracted => "It needs a plain request, without words such as “not” or “if”.",
            Self::Unrequested => "It stores something, so it needs a plain request.",
            Self::Named => "Anybody can give a listing this name, so say which one with its id.",
            Self::Written => {
                "What was written cannot be taken back or deleted: marks lose their strength, messages and outcomes expire."
            }
            Self::FromItsServer => {
                "It is read from the card, the server or its server.json: change it there, and publish it again."
            }
        }
    }
}
