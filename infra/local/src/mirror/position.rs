//! How far a source was handled, as it is kept between runs. It counts documents of a file but names entries of a
//! page, since a page can hold other entries when it is requested again.

use serde::{Deserialize, Serialize};

use super::server_entry::Label;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Position {
    /// The number of handled documents of a file.
    Documents(u64),
    /// All pages before this one, and some of its entries.
    Page {
        /// The cursor of the page; the first has none.
        cursor: Option<String>,
        /// [`Label::key`] of each handled entry.
        handled: Vec<String>,
    },
}

impl Position {
    pub(super) fn advance(&mut self, label: &Label) {
        match self {
            Self::Documents(number) => *number += 1,
            Self::Page { handled, .. } => handled.push(label.key()),
        }
    }
}
