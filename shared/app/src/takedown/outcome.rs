//! What an operator's decision came to. Apart from the decisions, because each of them answers with it.

use serde::Serialize;

/// What a decision came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Always true: a decision that cannot be carried out is a problem.
    pub ok: bool,
    /// Whether anything was changed; made a second time, a decision changes nothing.
    pub changed: bool,
    /// Listings that were withdrawn or restored.
    pub listings: u32,
    /// Listings at the host that are still to be withdrawn or restored: give the same command again.
    pub left: u32,
    /// One sentence for the operator.
    pub note: String,
}

impl Outcome {
    pub(super) fn of_one(changed: bool, listings: u32, note: impl Into<String>) -> Self {
        Self { ok: true, changed, listings, left: 0, note: note.into() }
    }
}
