//! Batches of attestations. The evidence log contains one leaf for each batch, not one for each attestation. An attestation
//! waits in one partition until a batch takes it. Two processes that make a batch at the same time cannot both succeed: the
//! pointer to the latest batch changes under a condition.

use super::leaves::{add_leaf, leaf_id};
use crate::table::prelude::*;
use registry_model::{AttestationRecord, LogEntry};

/// The maximum number of attestations in a batch. Their digests need 128 KB.
pub const MAX_BATCH: usize = 2048;
/// Seconds for which the digests of a batch are stored: the longest life of an attestation (30 days), and two days more.
const KEPT_S: i64 = 32 * 86_400;
/// Batches that may contain an attestation. The first one does, unless the attestation was stored late.
const CANDIDATES: usize = 3;

/// Attestations that no batch contains, the oldest first.
#[derive(Debug)]
pub struct Unlogged {
    /// SHA-256 (hex) of each token.
    pub digests: Vec<String>,
    sort_keys: Vec<String>,
    latest: Option<String>,
    pub more: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttestationBatch {
    /// SHA-256 (hex) of each token, in the order of the Merkle tree.
    pub digests: Vec<String>,
    /// The index of its leaf in the log; none while the leaf is pending.
    pub index: Option<u64>,
}

impl Store {
    /// The attestations before `end` that no batch contains. It first deletes the notes of those that the latest batch
    /// contains, which an earlier run may have left.
    pub async fn unlogged_attestations(&self, end: Moment) -> Result<Unlogged> {
        let pointer = self.read(&keys::LATEST_BATCH.key(), Consistency::Strong).await?;
        let latest = pointer.map(|item| text(&item, "batch").to_owned());
        let range = Range::Before(keys::millis(end));
        let query = Query::of(keys::UNLOGGED_ATTESTATIONS).range(range).limit(MAX_BATCH).strong();
        let page = self.query(query).await?;
        let logged = match &latest {
            Some(latest) if !page.items.is_empty() => {
                let batch =
                    self.read(&Key::new(keys::ATTESTATION_BATCHES, latest), Consistency::Strong).await?;
                batch.as_ref().map(digests_of).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let note = |item: &Item| (text(item, "digest").to_owned(), text(item, "sk").to_owned());
        let (old, new): (Vec<_>, Vec<_>) =
            page.items.iter().map(note).partition(|(digest, _)| logged.contains(digest));
        self.delete_notes(old.into_iter().map(|(_, sort_key)| sort_key)).await?;
        let (digests, sort_keys) = new.into_iter().unzip();
        Ok(Unlogged { digests, sort_keys, latest, more: page.next.is_some() })
    }

    /// Stores a batch with its leaf; false if another process was faster. `digests` is in the order of the Merkle tree.
    pub async fn keep_batch(&self, unlogged: Unlogged, digests: &[String], leaf: &LogEntry) -> Result<bool> {
        let Some(last) = unlogged.sort_keys.last() else { return Ok(false) };
        let mut transaction = Transaction::default();
        let pointer = Expression::default().set("batch", s(last));
        let pointer = match &unlogged.latest {
            Some(latest) => pointer.if_equal("batch", s(latest)),
            None => pointer.if_absent(),
        };
        transaction.update(keys::LATEST_BATCH.key(), pointer);
        transaction.put_new(Key::new(keys::ATTESTATION_BATCHES, last).with([
            ("digests", s(digests.join(" "))),
            ("leaf", s(leaf_id(&leaf.canonical()?))),
            ("at", n(leaf.at.as_millisecond())),
            ttl(leaf.at, KEPT_S),
        ]));
        add_leaf(&mut transaction, leaf)?;
        if !self.transact(transaction).await?.is_written() {
            return Ok(false);
        }
        self.delete_notes(unlogged.sort_keys.into_iter()).await?;
        Ok(true)
    }

    /// The batch that contains an attestation; `None` before there is one.
    pub async fn batch_of(&self, record: &AttestationRecord) -> Result<Option<AttestationBatch>> {
        let Some(digest) = &record.jws_sha256 else { return Ok(None) };
        let own = keys::by_time(keys::UNLOGGED_ATTESTATIONS, record.issued_at, record.id.as_str()).sk;
        let mut start = None;
        for _ in 0..CANDIDATES {
            let range = Range::From(own.clone());
            let query = Query::of(keys::ATTESTATION_BATCHES).range(range).after(start).limit(1).strong();
            let page = self.query(query).await?;
            let Some(item) = page.items.first() else { break };
            let digests = digests_of(item);
            if digests.contains(digest) {
                let at = moment(item, "at").unwrap_or(Moment::UNIX_EPOCH);
                let index = self.index_of_log_leaf(at, text(item, "leaf")).await?;
                return Ok(Some(AttestationBatch { digests, index }));
            }
            start = page.next;
            if start.is_none() {
                break;
            }
        }
        Ok(None)
    }

    async fn delete_notes(&self, sort_keys: impl Iterator<Item = String>) -> Result<()> {
        let notes = sort_keys.map(|sort_key| Key::new(keys::UNLOGGED_ATTESTATIONS, sort_key));
        self.write_all(notes.collect(), Transaction::delete).await
    }
}

fn digests_of(batch: &Item) -> Vec<String> {
    text(batch, "digests").split_whitespace().map(str::to_owned).collect()
}
