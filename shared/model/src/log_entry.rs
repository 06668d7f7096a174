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
        /// A probe proved the sign-in that the listing asks for. The listing is not Live.
        Gated = "gated",
        /// The proof expired before the next successful probe. The listing was no longer shown as Live.
        Ended = "ended",
        /// No longer Live or gated: the failure was confirmed, a check failed, or the owner moved the listing.
        Demoted = "demoted",
        /// The owner or the operator withdrew the listing.
        Withdrawn = "withdrawn",
        /// The withdrawal ended. The listing waits for a probe; it is not Live.
        Restored = "restored",
        /// The registry signed a statement about the listing. Only old leaves record single statements.
        Attested = "attested",
        /// The registry signed statements (attestations). The leaf contains their number and their Merkle root.
        Attestations = "attestations",
        /// The registry will sign checkpoints with another key. From this leaf on, both keys sign.
        NextKey = "next_key",
        /// The registry published a dump of its listings. The leaf contains its checksum.
        Dump = "dump",
    }
}

/// A leaf. Its text is canonical JSON (RFC 8785), so that anyone who has the values can compute the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogEntry {
    /// The version of the leaf format.
    v: u8,
    /// When it was decided.
    pub at: Moment,
    /// The listing that it is about. Absent with `attestations`, `next_key` and `dump`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<ListingId>,
    /// Agent or MCP server; absent while unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// What was decided.
    pub event: LogEvent,
    /// The outcome of the handshake, if a probe made the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Handshake>,
    /// SHA-256 (hex) over the evidence of the decision. With `attestations`, the root (hex) of their Merkle tree; with
    /// `dump`, the checksum of the dump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The hash (hex) of the tool set that the probe saw, with `live` and `confirmed`. Leaves of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// SHA-256 (hex) over the URL that was probed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// How many attestations the root in `evidence` commits to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestations: Option<u32>,
    /// The next key of the log, in the form of signed notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vkey: Option<String>,
    /// The id of the attestation, with `attested`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestation_id: Option<String>,
    /// The reason, as a code of this registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl LogEntry {
    pub fn new(at: Moment, listing_id: &ListingId, kind: impl Into<Option<Kind>>, event: LogEvent) -> Self {
        Self { listing_id: Some(listing_id.clone()), kind: kind.into(), ..Self::of_log(at, event) }
    }

    /// A leaf that belongs to no listing.
    pub const fn of_log(at: Moment, event: LogEvent) -> Self {
        Self {
            v: VERSION,
            at,
            listing_id: None,
            kind: None,
            event,
            outcome: None,
            evidence: None,
            tools: None,
            endpoint: None,
            attestations: None,
            vkey: None,
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
    /// The second key that signed the checkpoint, during a change of keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_key: Option<SecondKey>,
}

/// A key that signs checkpoints in addition to the first key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecondKey {
    /// The public key, in the form of signed notes.
    pub vkey: String,
    /// Whether it was the first key before. Otherwise it will be the first key.
    pub is_previous: bool,
}

string_enum! {
    /// A step of a change of the log's key, in order.
    #[derive(JsonSchema)]
    pub enum KeyStep {
        /// Creates the next key and adds it to the log. From then on, both keys sign.
        Announce = "announce",
        /// Makes the next key the first key. The previous key continues to sign.
        Promote = "promote",
        /// Deletes the previous key, or a next key that was announced by mistake.
        Retire = "retire",
    }
}

/// What the witnesses of the log have cosigned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witnessed {
    /// The last tree that a witness cosigned; its checkpoint contains the cosignatures.
    pub tree: Option<LogTree>,
    /// When this was still the latest tree.
    pub at: Moment,
    pub witnesses: Vec<WitnessState>,
}

/// The last answers of a witness.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WitnessState {
    /// The public key of the witness, in the form of signed notes.
    pub vkey: String,
    /// The size of the largest tree that it is known to have cosigned.
    pub tree_size: u64,
    /// The time in its last cosignature.
    pub cosigned_at: Option<Moment>,
    /// Why it did not cosign when it was last asked. Absent if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The signature line of its last cosignature.
    #[serde(default)]
    pub line: String,
}

/// The leaf of the latest decision on a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastLeaf {
    pub at: Moment,
    pub event: LogEvent,
    /// The hash of the tool set that it commits to.
    pub tools: Option<String>,
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
