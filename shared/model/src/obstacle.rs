//! Why some servers are listed and never asked: their descriptions lead to nothing that a public client could call.

use serde::{Deserialize, Serialize};

/// Why a server description leads to nothing that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// It has packages and no remote.
    StdioOnly,
    /// The remote's URL holds placeholders.
    TemplatedUrl,
    /// A required header has no value: a secret of its user.
    NeedsSecret,
}
