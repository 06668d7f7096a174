//! Records of the attestations that the registry signed about listings. The signed token itself is not stored.
//!
//! The evidence log contains one leaf for each batch of attestations, not one for each attestation. An attestation waits in
//! one partition until a batch takes it. Two processes that make a batch at the same time cannot both succeed: the pointer
//! to the latest batch changes under a condition.

use super::callers::Allowance;
use super::evidence::leaf_id;
use crate::prelude::*;
use registry_model::{AttestationId, AttestationRecord, LogEntry, Revocation, TrailEvent};

/// Stored for a day after its attestation expires, because nothing needs the record after that.
pub(super) const ATTESTATION: Record<AttestationRecord> =
    Record::new("ATTESTED#", "", "attestation").stored_for(86_400);
/// The attestations that no leaf commits to yet, by time.
pub(super) const UNLOGGED: KeyPattern = KeyPattern::new("LOG#ATTESTED", "");
/// The attestations that one leaf commits to, under the sort key that the last of them had before.
pub(super) const BATCH: KeyPattern = KeyPattern::new("LOG#BATCH", "");
/// A pointer to the latest batch of attestations.
pub(super) const LATEST_BATCH: KeyPattern = KeyPattern::new("LOG#BATCHES", "LATEST");

/// The maximum number of attestations in a batch. Their digests need 128 KB.
pub const MAX_BATCH: usize = 2048;
/// Seconds for which the digests of a batch are stored: the longest life of an attestation (30 days), and two days more.
const BATCH_RETENTION: i64 = 32 * 86_400;
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
    /// Stores the record of an attestation, counts it and notes it for the next batch in the evidence log. After an error the
    /// token must not be returned to the caller.
    pub async fn keep_attestation(
        &self,
        record: &AttestationRecord,
        act: Option<&Allowance<'_>>,
    ) -> Result<()> {
        let (at, listing_id) = (record.issued_at, &record.listing_id);
        self.count_allowed(act.copied(), at).await?;
        let mut transaction = Transaction::default();
        let negative = ("negative", n(u8::from(record.is_negative)));
        let attributes = [ATTESTATION.value(record)?, negative, ATTESTATION.ttl(record.expires_at)];
        transaction.put_new(ATTESTATION.one_of(listing_id, record.id.as_str()).with(attributes));
        transaction.add_deposits(&[Deposit::of(listing_id, TrailEvent::Attestation)], at);
        let digest = record.jws_sha256.as_deref().unwrap_or_default();
        transaction.put(UNLOGGED.at(at, record.id.as_str()).with([("digest", s(digest))]));
        match self.commit(transaction).await? {
            true => Ok(()),
            false => Err(StoreError::busy("the id of an attestation exists already")),
        }
    }

    pub async fn attestation(
        &self,
        listing_id: &ListingId,
        id: &AttestationId,
    ) -> Result<Option<AttestationRecord>> {
        let item = self.read(&ATTESTATION.one_of(listing_id, id.as_str())).await?;
        item.as_ref().map(attestation_in).transpose()
    }

    /// Of the latest attestations about a listing, those that have not expired, the newest first.
    pub async fn attestations_of(
        &self,
        listing_id: &ListingId,
        limit: u32,
        now: Moment,
    ) -> Result<Vec<AttestationRecord>> {
        let query = ATTESTATION.query_of(listing_id).descending().limit(limit);
        let mut records: Vec<_> =
            self.query(query).await?.items.iter().map(attestation_in).collect::<Result<_>>()?;
        records.retain(|record: &AttestationRecord| record.expires_at > now);
        Ok(records)
    }

    /// Revokes an attestation; false where there is none, or it was revoked before.
    pub async fn revoke_attestation(
        &self,
        listing_id: &ListingId,
        id: &AttestationId,
        revocation: &Revocation,
    ) -> Result<bool> {
        let change = Expression::default().set("revoked", to_blob(revocation)?);
        let change = change.if_exists().if_missing("revoked");
        self.change(ATTESTATION.one_of(listing_id, id.as_str()), change).await
    }

    /// The attestations before `end` that no batch contains. It first deletes the notes of those that the latest batch
    /// contains, which an earlier run may have left.
    pub async fn unlogged_attestations(&self, end: Moment) -> Result<Unlogged> {
        let pointer = self.read(&LATEST_BATCH.key()).await?;
        let latest = pointer.map(|item| text(&item, "batch").to_owned());
        let range = Range::Before(key::millis(end));
        let page = self.query(UNLOGGED.query().range(range).limit(MAX_BATCH).strong()).await?;
        let logged = match &latest {
            Some(latest) if !page.items.is_empty() => {
                self.read(&BATCH.one(latest)).await?.as_ref().map(batch_digests).unwrap_or_default()
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
        let pointer = Expression::default().set("batch", s(last));
        let pointer = match &unlogged.latest {
            Some(latest) => pointer.if_equal("batch", s(latest)),
            None => pointer.if_absent(),
        };
        let mut transaction = Transaction::updating(LATEST_BATCH.key(), pointer);
        transaction.put_new(BATCH.one(last).with([
            ("digests", s(digests.join(" "))),
            ("leaf", s(leaf_id(&leaf.canonical()?))),
            ("at", ms(leaf.at)),
            ttl(leaf.at, BATCH_RETENTION),
        ]));
        transaction.add_leaf(leaf)?;
        if !self.commit(transaction).await? {
            return Ok(false);
        }
        self.delete_notes(unlogged.sort_keys.into_iter()).await?;
        Ok(true)
    }

    /// The batch that contains an attestation; `None` before there is one.
    pub async fn batch_of(&self, record: &AttestationRecord) -> Result<Option<AttestationBatch>> {
        let Some(digest) = &record.jws_sha256 else { return Ok(None) };
        let own = key::at(record.issued_at, record.id.as_str());
        let mut start = None;
        for _ in 0..CANDIDATES {
            let range = Range::From(own.clone());
            let page = self.query(BATCH.query().range(range).after(start).limit(1).strong()).await?;
            let Some(item) = page.items.first() else { break };
            let digests = batch_digests(item);
            if digests.contains(digest) {
                let index = self.index_of_log_leaf(item).await?;
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
        self.write_all(sort_keys.map(|sort_key| UNLOGGED.one(sort_key)).collect(), Transaction::delete).await
    }
}

fn attestation_in(item: &Item) -> Result<AttestationRecord> {
    let revoked = some_text(item, "revoked").map(|_| blob(item, "revoked")).transpose()?;
    let is_negative = number(item, "negative") > 0;
    Ok(AttestationRecord { revoked, is_negative, ..ATTESTATION.read(item)? })
}

fn batch_digests(batch: &Item) -> Vec<String> {
    text(batch, "digests").split_whitespace().map(str::to_owned).collect()
}
