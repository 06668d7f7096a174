//! One leaf of the log of evidence: what the registry decided of a listing, and when. It holds ids, hashes, times and
//! outcomes, no text of a stranger and nothing of a person, because it can never be taken back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Handshake, Kind, ListingId, Moment};

/// The version of the form of leaves.
const VERSION: u8 = 1;

/// What a leaf tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogEvent {
    /// A verdict made it Live.
    Live,
    /// A verdict confirmed that it is Live.
    Confirmed,
    /// Its last proof ran out before another came: it was not shown as Live any longer.
    Ended,
    /// A confirmed failure of its recheck ended Live.
    Demoted,
    /// Its owner or the operator took it off.
    Withdrawn,
    /// The registry signed an attestation about it.
    Attested,
}

/// A leaf. As text it is canonical JSON (RFC 8785), so that whoever has its values has its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogEntry {
    /// The version of this form.
    v: u8,
    /// When it was decided.
    pub at: Moment,
    /// About which listing.
    pub listing_id: ListingId,
    /// Agent or MCP server.
    pub kind: Kind,
    /// What was decided.
    pub event: LogEvent,
    /// The outcome of the handshake, where a probe decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Handshake>,
    /// SHA-256 (hex) over what it was decided on: the stored evidence of a probe, or the JWS of an attestation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// SHA-256 (hex) over the URL that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The id of the attestation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestation_id: Option<String>,
    /// Why, as one of the codes of this registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl LogEntry {
    /// A leaf without an outcome, evidence or reason.
    #[must_use]
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

    /// The text from which its hash in the tree is made.
    ///
    /// # Errors
    /// It cannot be serialised, which is a fault of this service.
    pub fn canonical(&self) -> Result<String, serde_json::Error> {
        serde_json_canonicalizer::to_string(self)
    }
}

/// SHA-256 in hexadecimal, as leaves carry it.
#[must_use]
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
