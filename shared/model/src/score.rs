//! A score with what it is made of: a bare number helps nobody. How it is reckoned stands in `probe::score`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A score and its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// 0 to 100: the sum of the parts' points.
    #[schemars(range(max = 100))]
    pub value: u8,
    /// The parts; what they could give sums to 100.
    pub breakdown: Vec<ScorePart>,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScorePart {
    /// Which part: `handshake`, `answers`, `latency`, `protocol`, `description`, `abilities`, `identity` or `checks`.
    pub id: String,
    /// What it gave.
    pub points: u8,
    /// What it could give.
    pub of: u8,
    /// What was seen.
    pub why: String,
}
