//! How far the import of another directory has come.

use serde::{Deserialize, Serialize};

use super::Moment;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportState {
    /// The page where the import is, while it is under way; `None` for the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Entries of that page that were handled.
    #[serde(default)]
    pub handled: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_at: Option<Moment>,
    /// When the last whole import began. The next one reads only what changed since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete_since: Option<Moment>,
}
