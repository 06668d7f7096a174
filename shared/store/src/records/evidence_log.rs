//! The tree of the evidence log and its tiles. One transaction appends to the tree, on the condition that the
//! tree has not changed since it was read. If two processes append at the same time, only one of them can
//! succeed. Hashes that were served never change, because new hashes are stored in new items.

use std::collections::BTreeMap;
use std::time::Duration;

use super::evidence::{LAST_LEAF, PENDING, leaf_id};
use crate::prelude::*;
use crate::table::reads::Page;
use registry_model::{AttestationId, LogEntry, LogEvent, LogTile, LogTree, TileSegment, Witnessed};

pub(super) const TREE: Record<LogTree> = Record::new("LOG#TREE", "TREE", "tree");
/// Bytes appended to a tile of the log at an offset; a tile is all of its partition, in order.
pub(super) const SEGMENT: KeyPattern = KeyPattern::new("LOG#", "");
/// The index of a leaf in the tree. In the partition of its listing, so that a listing's history is one query.
pub(super) const LEAF: KeyPattern = KeyPattern::new(LISTING.prefix, "LEAF#");
/// The index of a leaf of no listing.
pub(super) const LOG_LEAF: KeyPattern = KeyPattern::new("LOG#LEAVES", "LEAF#");
/// Pending leaves that cannot be read, under their earlier sort keys.
pub(super) const UNREADABLE: KeyPattern = KeyPattern::new("LOG#UNREADABLE", "");
/// What the witnesses of the log have cosigned.
pub(super) const WITNESSED: Record<Witnessed> = Record::new("LOG#WITNESSED", "TREE", "witnessed");

/// The maximum number of leaves that one transaction appends. A transaction allows 100 writes: each leaf takes three,
/// and the tree and its tiles take the rest.
const MAX_LEAVES: i32 = 30;
/// The length of a leaf is stored in two bytes (C2SP `tlog-tiles`, "Log entries").
const MAX_LEAF_BYTES: usize = u16::MAX as usize;
/// Leaves of a listing that one query reads.
const PAGE: i32 = 25;
/// The attribute of a leaf that older versions wrote for an attestation.
const ATTESTATION: &str = "attestation";

#[derive(Clone, Debug)]
pub struct PendingLeaf {
    /// Its exact bytes in the tree.
    pub text: String,
    /// The same, parsed.
    pub entry: LogEntry,
}

/// A pending leaf that cannot be appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableLeaf {
    pub text: String,
    sort_key: String,
}

/// Pending leaves, the oldest first: at most as many as one transaction appends.
#[derive(Clone, Debug)]
pub struct PendingLeaves {
    pub leaves: Vec<PendingLeaf>,
    pub unreadable: Vec<UnreadableLeaf>,
    pub more: bool,
}

/// How an attempt to append ended. Either all leaves are appended, or nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    Appended,
    /// The tree grew since it was read.
    Overtaken,
    /// These leaves (by position) are in the tree already.
    Known(Vec<usize>),
}

impl Store {
    /// The tree; `None` before it is created.
    pub async fn log_tree(&self) -> Result<Option<LogTree>> {
        self.get(&TREE, &TREE.key()).await
    }

    /// Creates the tree, unless another process has.
    pub async fn make_log(&self, tree: &LogTree) -> Result<()> {
        self.put_new(TREE.key().with([("size", n(tree.size)), TREE.value(tree)?])).await.map(drop)
    }

    pub async fn pending_leaves(&self) -> Result<PendingLeaves> {
        let page = self.oldest_pending(MAX_LEAVES).await?;
        let (mut leaves, mut unreadable) = (Vec::new(), Vec::new());
        for item in &page.items {
            let (text, sort_key) = (text(item, "leaf").to_owned(), text(item, "sk").to_owned());
            match parse_pending_leaf(&text, &sort_key) {
                Some(entry) => leaves.push(PendingLeaf { text, entry }),
                None => unreadable.push(UnreadableLeaf { text, sort_key }),
            }
        }
        Ok(PendingLeaves { leaves, unreadable, more: page.next.is_some() })
    }

    /// Moves a pending leaf that cannot be appended to another key, where the operator finds it.
    pub async fn set_aside(&self, leaf: &UnreadableLeaf) -> Result<()> {
        let mut transaction = Transaction::default();
        transaction.put(UNREADABLE.one(&leaf.sort_key).with([("leaf", s(&leaf.text))]));
        transaction.delete(PENDING.one(&leaf.sort_key));
        self.commit(transaction).await.map(drop)
    }

    pub async fn unreadable_leaves(&self) -> Result<u32> {
        Ok(self.count(UNREADABLE.query()).await?.0)
    }

    /// For how long the oldest leaf has been pending; zero if no leaf is pending.
    pub async fn oldest_pending_leaf(&self, now: Moment) -> Result<Duration> {
        let oldest = self.oldest_pending(1).await?.items;
        let since = oldest.first().and_then(|item| key::time_of(text(item, "sk")));
        Ok(since.and_then(|since| now.duration_since(since).try_into().ok()).unwrap_or_default())
    }

    async fn oldest_pending(&self, limit: i32) -> Result<Page> {
        self.query(PENDING.query().limit(limit).strong()).await
    }

    /// Appends leaves: `after` is the tree with all of `leaves`, in their order, and `segments` are the additions to its
    /// tiles. After an error whose answer was lost, the leaves may be in the tree or still pending.
    pub async fn append_to_log(
        &self,
        before: &LogTree,
        after: &LogTree,
        segments: &[TileSegment],
        leaves: &[PendingLeaf],
    ) -> Result<AppendOutcome> {
        let tree = Expression::default().set("size", n(after.size)).set(TREE.attribute, to_blob(after)?);
        let tree = tree.if_equal("size", n(before.size));
        let mut transaction = Transaction::updating(TREE.key(), tree);
        for segment in segments {
            let key = segment_key(segment.tile, segment.offset);
            transaction.put_new(key.with([("bytes", b(segment.bytes.clone()))]));
        }
        let mut writes: Vec<WriteId> = Vec::with_capacity(leaves.len());
        let mut latest: BTreeMap<&ListingId, (String, u64)> = BTreeMap::new();
        for (index, leaf) in (before.size..).zip(leaves) {
            let id = leaf_id(&leaf.text);
            let listing_id = leaf.entry.listing_id.as_ref();
            let attestation = leaf.entry.attestation_id.as_ref().map(|id| (ATTESTATION, s(id)));
            let attributes = [("index", n(index))].into_iter().chain(attestation);
            let key = leaf_key(listing_id, &key::at(leaf.entry.at, &id));
            writes.push(transaction.put_new(key.with(attributes)));
            // Leaves of a listing are in the order of their times, so the last one in this batch is the latest.
            if let Some(listing_id) = listing_id.filter(|_| leaf.entry.event != LogEvent::Attested) {
                latest.insert(listing_id, (id, index));
            }
        }
        for leaf in leaves {
            transaction.delete(pending_key(leaf));
        }
        for (id, (leaf, index)) in latest {
            let appended = Expression::default().set("taken_up", s(leaf)).set("index", n(index));
            transaction.update(LAST_LEAF.of(id), appended);
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => AppendOutcome::Appended,
            Outcome::Refused(refused) => {
                let known: Vec<usize> =
                    (0..writes.len()).filter(|position| refused.includes(writes[*position])).collect();
                // If the tree grew, too, its new leaves may be among these: the caller reads both again.
                if known.len() == refused.0.len() {
                    AppendOutcome::Known(known)
                } else {
                    AppendOutcome::Overtaken
                }
            }
        })
    }

    /// Deletes a pending leaf that is in the tree.
    pub async fn forget_pending(&self, leaf: &PendingLeaf) -> Result<()> {
        self.delete(&pending_key(leaf)).await.map(drop)
    }

    pub async fn log_tile(&self, tile: LogTile) -> Result<Vec<u8>> {
        let segments = self.partition(&SEGMENT.partition(tile)).await?;
        Ok(segments.iter().flat_map(|segment| bytes(segment, "bytes")).copied().collect())
    }

    /// The segment of a tile that contains `offset`, and the offset of its beginning.
    pub async fn log_tile_segment(&self, tile: LogTile, offset: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let Key { pk, sk } = segment_key(tile, offset);
        let query = Query::of(pk).range(Range::UpTo(sk)).descending().limit(1).strong();
        let found = self.query(query).await?.items.pop();
        Ok(found.and_then(|item| Some((text(&item, "sk").parse().ok()?, bytes(&item, "bytes").to_vec()))))
    }

    /// The index of the last decision about a listing; with `until`, of the last one at this time or before. `None` where
    /// the tree contains no such decision.
    ///
    /// Attestations are not decisions: older versions stored their leaves under the same prefix. In leaves of older
    /// versions, times may contradict the order of the tree. So of a page, the leaf with the greatest index counts.
    pub async fn decision_index(&self, id: &ListingId, until: Option<Moment>) -> Result<Option<u64>> {
        let last = LEAF.one_of(id, until.map_or("~".to_owned(), key::after_all_at));
        let mut start = None;
        loop {
            let range = Range::Between(LEAF.sort.to_owned(), last.sk.clone());
            let query =
                Query::of(last.pk.clone()).range(range).after(start).descending().limit(PAGE).strong();
            let page = self.query(query).await?;
            let decisions = page.items.iter().filter(|leaf| !leaf.contains_key(ATTESTATION));
            let latest = decisions.filter_map(leaf_index).max();
            start = page.next;
            if latest.is_some() || start.is_none() {
                return Ok(latest);
            }
        }
    }

    /// The index of the leaf of one attestation, which older versions wrote; `None` where there is none.
    pub async fn attestation_leaf(
        &self,
        id: &ListingId,
        issued_at: Moment,
        attestation: &AttestationId,
    ) -> Result<Option<u64>> {
        let first = LEAF.one_of(id, key::at(issued_at, ""));
        let last = LEAF.one_of(id, key::after_all_at(issued_at));
        let query = Query::of(first.pk).range(Range::Between(first.sk, last.sk)).strong();
        let leaves = self.query(query).await?.items;
        let leaf = leaves.iter().find(|leaf| text(leaf, ATTESTATION) == attestation.as_str());
        Ok(leaf.and_then(leaf_index))
    }

    /// The index of the leaf of no listing that commits to an item; `None` while it is pending.
    pub(super) async fn index_of_log_leaf(&self, item: &Item) -> Result<Option<u64>> {
        let at = moment(item, "at").unwrap_or(Moment::UNIX_EPOCH);
        let key = leaf_key(None, &key::at(at, text(item, "leaf")));
        Ok(self.read(&key).await?.as_ref().and_then(leaf_index))
    }

    /// Adds a leaf that belongs to no listing.
    pub async fn add_log_leaf(&self, leaf: &LogEntry) -> Result<()> {
        let mut transaction = Transaction::default();
        transaction.add_leaf(leaf)?;
        self.commit(transaction).await.map(drop)
    }

    pub async fn witnessed(&self) -> Result<Witnessed> {
        Ok(self.get(&WITNESSED, &WITNESSED.key()).await?.unwrap_or_default())
    }

    pub async fn keep_witnessed(&self, witnessed: &Witnessed) -> Result<()> {
        self.put(WITNESSED.item(&WITNESSED.key(), witnessed)?).await
    }
}

/// The entry of a pending leaf, if the leaf can be appended. A leaf with another key than its own could never be deleted.
fn parse_pending_leaf(text: &str, sort_key: &str) -> Option<LogEntry> {
    let entry: LogEntry = serde_json::from_str(text).ok()?;
    let own_key = key::at(entry.at, &leaf_id(text));
    (own_key == sort_key && text.len() <= MAX_LEAF_BYTES).then_some(entry)
}

fn pending_key(leaf: &PendingLeaf) -> Key {
    PENDING.at(leaf.entry.at, &leaf_id(&leaf.text))
}

fn leaf_key(id: Option<&ListingId>, rest: &str) -> Key {
    id.map_or_else(|| LOG_LEAF.one(rest), |id| LEAF.one_of(id, rest))
}

fn segment_key(tile: LogTile, offset: u64) -> Key {
    SEGMENT.one_of(tile, format_args!("{offset:03}"))
}

fn leaf_index(leaf: &Item) -> Option<u64> {
    u64::try_from(number(leaf, "index")).ok()
}
