//! Attestations in the evidence log. Anyone can request attestations, so a leaf for each one would let anyone grow the log.
//! Instead, one leaf commits to all attestations of an hour: it contains the root of a Merkle tree (RFC 6962) whose
//! leaves are the SHA-256 digests (hex) of the tokens, in ascending order.

use jiff::SignedDuration;
use tlog_tiles::{check_record, prove_record, record_hash, tree_hash};

use super::inclusion::Inclusion;
use super::tree::{small_tree, tree_fault, write_hash};
use crate::prelude::*;
use registry_model::{AttestationId, AttestationRecord, LogEntry, LogEvent, hex};

const HOUR_S: i64 = 3600;
/// Batches per run, so that a run ends within its function's time; the next run takes the rest.
const MAX_BATCHES: u32 = 8;

/// Proves that a leaf with the event `attestations` commits to one attestation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AttestationProof {
    /// SHA-256 (hex) of the token. Its text is the leaf in the Merkle tree of the attestations.
    pub jws_sha256: String,
    /// Its index in this tree.
    pub index: u64,
    /// How many attestations this tree contains.
    pub tree_size: u64,
    /// The audit path (RFC 6962 §2.1.1), the sibling of the leaf first, as base64. Its root is `evidence` of the leaf.
    pub proof: Vec<String>,
}

/// The end of the hour in which an attestation was issued. After this time, the next tick adds it to the log.
pub fn logged_after(issued_at: Moment) -> Moment {
    issued_at.rounded_down(HOUR_S) + SignedDuration::from_secs(HOUR_S)
}

/// Adds a pending leaf for the attestations of the hours that have ended.
pub async fn log_attestations(app: &App) -> Result<(), Problem> {
    for _ in 0..MAX_BATCHES {
        let now = app.clock.now();
        let hour_began = logged_after(now) - SignedDuration::from_secs(HOUR_S);
        let unlogged = app.store.unlogged_attestations(hour_began).await?;
        if unlogged.digests.is_empty() {
            return Ok(());
        }
        let mut digests = unlogged.digests.clone();
        digests.sort_unstable();
        let size = digests.len() as u64;
        let root = tree_hash(size, &small_tree(&digests)?).map_err(tree_fault)?;
        let mut leaf = LogEntry::of_log(now, LogEvent::Attestations);
        leaf.attestations = Some(u32::try_from(size).unwrap_or(u32::MAX));
        leaf.evidence = Some(hex(root.0));
        let more = unlogged.more;
        if !app.store.keep_batch(unlogged, &digests, &leaf).await? || !more {
            return Ok(());
        }
    }
    Ok(())
}

/// The leaf that commits to an attestation, and the proof that it does. `None` while the leaf is not in the tree.
pub async fn attestation_proof(
    app: &App,
    record: &AttestationRecord,
) -> Result<Option<(Inclusion, AttestationProof)>, Problem> {
    let Some(batch) = app.store.batch_of(record).await? else { return Ok(None) };
    let Some(leaf) = batch.index else { return Ok(None) };
    let Some(inclusion) = Inclusion::at(app, leaf).await? else { return Ok(None) };
    let jws_sha256 = record.jws_sha256.clone().unwrap_or_default();
    let position = batch.digests.iter().position(|digest| *digest == jws_sha256);
    let position = position.ok_or_else(|| Problem::fault("a batch of attestations is incomplete"))?;
    let (index, tree_size) = (position as u64, batch.digests.len() as u64);
    let hashes = small_tree(&batch.digests)?;
    let root = tree_hash(tree_size, &hashes).map_err(tree_fault)?;
    let proof = prove_record(tree_size, index, &hashes).map_err(tree_fault)?;
    check_record(&proof, tree_size, root, index, record_hash(jws_sha256.as_bytes())).map_err(tree_fault)?;
    if inclusion.entry()?.evidence != Some(hex(root.0)) {
        return Err(Problem::fault("a batch of attestations does not match its leaf"));
    }
    let proof = proof.into_iter().map(write_hash).collect();
    Ok(Some((inclusion, AttestationProof { jws_sha256, index, tree_size, proof })))
}

/// The digest of a token whose attestation has a leaf of its own, from an older version; with the index of the leaf.
pub async fn attested_digest(
    app: &App,
    listing_id: &ListingId,
    issued_at: Moment,
    id: &AttestationId,
) -> Result<Option<(u64, String)>, Problem> {
    let Some(index) = app.store.attestation_leaf(listing_id, issued_at, id).await? else { return Ok(None) };
    let Some(inclusion) = Inclusion::at(app, index).await? else { return Ok(None) };
    Ok(inclusion.entry()?.evidence.map(|digest| (index, digest)))
}
