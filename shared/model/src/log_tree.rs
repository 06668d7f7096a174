//! Where the log of evidence stands: its size, its root, and the few hashes from which it grows. What is signed is kept
//! beside them, so that whoever serves the log needs no key.

use serde::{Deserialize, Serialize};

use super::{LogEvent, Moment};

/// The tree as it was signed last. Hashes are base64, as a checkpoint writes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogTree {
    /// The name of the log, in its checkpoints and of its key; it stays as it was made.
    pub origin: String,
    /// The public key, as clients of signed notes read it.
    pub vkey: String,
    /// How many leaves it has.
    pub size: u64,
    /// The root hash.
    pub root: String,
    /// The roots of the full subtrees that it consists of, the largest first.
    pub edge: Vec<String>,
    /// The signed checkpoint.
    pub checkpoint: String,
    /// When it was signed.
    pub at: Moment,
}

/// The leaf of the latest decision on a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastLeaf {
    /// When it was decided.
    pub at: Moment,
    /// What was decided.
    pub event: LogEvent,
    /// Its index in the tree; none while it waits to be taken up.
    pub index: Option<u64>,
}
