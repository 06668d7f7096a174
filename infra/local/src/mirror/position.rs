//! How far a source was handled, as it is kept between runs. It counts documents of a file but names entries of a
//! page, since a page can hold other entries when it is requested again.

use serde::{Deserialize, Serialize};

use super::server_entry::Label;

/// How far a source was handled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Position {
    /// So many documents of a file.
    Documents(u64),
    /// The pages before this one, and some of its entries. They are remembered by name, for the page may be
    /// another when it is asked for again.
    Page {
        /// The page; the first has none.
        cursor: Option<String>,
        /// [`Label::key`] of what was handled of it.
        handled: Vec<String>,
    },
}

impl Position {
    /// One entry further.
    pub(super) fn advance(&mut self, label: &Label) {
        match self {
            Self::Documents(number) => *number += 1,
            Self::Page { handled, .. } => handled.push(label.key()),
        }
    }
}
