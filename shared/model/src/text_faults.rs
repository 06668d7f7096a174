//! What is wrong with the texts of a peer. Found while its documents are read, because what is kept of them is cut: a
//! fault behind the cut, or in a text that is not kept at all, would be seen by the peer's clients alone.

use serde::{Deserialize, Serialize};

/// The first fault of each sort in the texts that were looked at, with its place; `None` where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextFaults {
    /// Not plain text: hidden characters, active markup, an endless name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_plain: Option<String>,
    /// An instruction to whoever's model reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<String>,
}

impl TextFaults {
    /// True where nothing is wrong.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.not_plain.is_none() && self.injection.is_none()
    }

    /// True where another text could add nothing.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.not_plain.is_some() && self.injection.is_some()
    }

    /// Takes over the faults of texts that were looked at later.
    pub fn or(&mut self, later: Self) {
        self.not_plain = self.not_plain.take().or(later.not_plain);
        self.injection = self.injection.take().or(later.injection);
    }
}
