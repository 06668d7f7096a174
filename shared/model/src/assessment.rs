//! A verdict with the checks on it and the score of both: what status shows, and what the table keeps as evidence.

use serde::{Deserialize, Serialize};

use super::{AbilityChange, Check, Moment, Score, Verdict};

/// What the last probe of a listing found, as status shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct Assessment {
    pub verdict: Verdict,
    pub checks: Vec<Check>,
    /// The score and what it is made of.
    pub score: Score,
    pub probed_at: Moment,
    /// The latest change of its tools or skills, now or before. Kept beside the evidence: what a probe saw is the same
    /// whether or not something changed.
    #[serde(skip)]
    pub changed: Option<AbilityChange>,
}

impl Assessment {
    /// True where no blocking check fails (contract: `checks_clean`); false before there are any.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        !self.checks.is_empty() && self.checks.iter().all(|check| check.ok || !check.blocking)
    }
}
