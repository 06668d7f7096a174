//! The evidence log: its entries (leaves) and its signed tree head. A leaf contains only ids, hashes, times, and
//! outcomes. It contains no text of third parties and no personal data, because a leaf can never be removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Handshake, Kind, ListingId, Moment};

const VERSION: u8 = 1;

string_enum! {
    /// What a leaf records.
    #[derive(JsonSchema)]
    pub enum LogEvent {
        /// A probe made the listing Live.
        Live = "live",
        /// A probe confirmed that the listing is Live.
        Confirmed = "confirmed",
        /// The proof expired before the next successful probe. The listing was no longer shown as Live.
        Ended = "ended",
        /// The recheck failed and the failure was confirmed, so the listing was no longer Live.
        Demoted = "demoted",
        /// The owner or the operator withdrew the listing.
        Withdrawn = "withdrawn",
        /// The registry signed a statement about the listing.
        Attested = "attested",
    }
}

/// A leaf. Its text is canonical JSON (RFC 8785), so that anyone who has the values can compute the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogEntry {
    /// The version of the leaf format.
    v: u8,
    /// When it was decided.
    pub at: Moment,
    /// The listing that it is about.
    pub listing_id: ListingId,
    /// Agent or MCP server.
    pub kind: Kind,
    /// What was decided.
    pub event: LogEvent,
    /// The outcome of the handshake, if a probe made the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Handshake>,
    /// SHA-256 (hex) over the evidence of the decision: the evidence of a probe, or the JWS of an attestation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// SHA-256 (hex) over the URL that was probed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The id of the attestation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestation_id: Option<String>,
    /// The reason, as a code of this registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl LogEntry {
    pub fn new(at: Moment, listing_id: &ListingId, kind: Kind, event: LogEvent) -> Self {
        Self {
            v: VERSION,
            at,
            listing_id: listing_id.clone(),
            kind,
            event,
            outcome: None,
            evidence: None,
            endpoint: None,
            attestation_id: None,
            reason: None,
        }
    }

    /// The text that its hash in the tree is computed from.
    pub fn canonical(&self) -> Result<String, serde_json::Error> {
        serde_json_canonicalizer::to_string(self)
    }
}

/// The signed tree head. Hashes are base64, as in a checkpoint. It is stored signed, so that serving the log needs no
/// key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogTree {
    /// The name of the log in its checkpoints and its key; it never changes.
    pub origin: String,
    /// The public key in the form of signed notes.
    pub vkey: String,
    pub size: u64,
    pub root: String,
    /// The roots of the full subtrees, the largest first.
    pub edge: Vec<String>,
    pub checkpoint: String,
    pub at: Moment,
}

/// The leaf of the latest decision on a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastLeaf {
    pub at: Moment,
    pub event: LogEvent,
    /// Its index in the tree; none while it is not yet in the log.
    pub index: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256_hex;

    #[test]
    fn a_leaf_is_canonical_json() {
        let at = "2026-11-20T12:00:00Z".parse().unwrap();
        let id: ListingId = "mcp-adder".parse().unwrap();
        let mut entry = LogEntry::new(at, &id, Kind::Mcp, LogEvent::Live);
        entry.outcome = Some(Handshake::Ok);
        // The digest of "abc" is the example of FIPS 180-4.
        entry.evidence = Some(sha256_hex("abc"));
        let expected = r#"{"at":"2026-11-20T12:00:00.000Z","event":"live","evidence":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","kind":"mcp","listing_id":"mcp-adder","outcome":"ok","v":1}"#;
        assert_eq!(entry.canonical().unwrap(), expected);
        assert_eq!(serde_json::from_str::<LogEntry>(expected).unwrap(), entry);
    }
}
