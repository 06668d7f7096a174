//! One probe as the statistics and the page of its listing show it, kept for ninety-one days after the listing itself has
//! moved on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Handshake, Kind, ListingId, Moment};

/// One probe as the statistics show it (contract "Probe statistics", `recent[]` and `fail_samples[]`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract's")]
pub struct ProbeRecord {
    pub id: ListingId,
    pub kind: Kind,
    /// What was asked.
    pub target: String,
    /// Whether the handshake was `ok`.
    pub ok: bool,
    /// Milliseconds of the handshake; null where nothing was asked.
    pub latency_ms: Option<u32>,
    /// 0 to 100.
    pub score: u8,
    /// Short findings.
    pub signals: Vec<String>,
    pub handshake: Handshake,
    /// Protocols seen.
    pub protocol_hints: Vec<String>,
    #[schemars(with = "String")]
    pub probed_at: Moment,
    /// Why it was not `ok`, in the contract's vocabulary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
