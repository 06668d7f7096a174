//! The search index in the table. A bucket contains a part of the index as bytes. The manifest lists the
//! buckets and their versions. A dirty mark says that a listing must be indexed again. It is written in the
//! same transaction as the change of the listing, so that no change is missed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use super::listings::{GATED, PACKAGES, active_partition};
use crate::prelude::*;
use registry_model::{HashPrefix, Kind, ListingId, id_hash};

/// Marks set or cleared at the same time.
const CONCURRENCY: usize = 4;
/// Live listings read in one request.
const PAGE: u32 = 100;
/// Dirty marks read to find the oldest.
const MARKS_FOR_AGE: i32 = 100;

pub(super) const BUCKET: KeyPattern = KeyPattern::new("INDEX#", "BUCKET");
pub(super) const MANIFEST: KeyPattern = KeyPattern::new("INDEX", "MANIFEST");
/// The version of the manifest. It costs one read unit, however long the manifest is. A table of an earlier version has no
/// such item before the next change of its index.
pub(super) const VERSION: KeyPattern = KeyPattern::new("INDEX", "VERSION");
/// Marks sort by hash and so by bucket, so that one round of a build reads marks of few buckets.
pub(super) const DIRTY_MARK: KeyPattern = KeyPattern::new("INDEX#CHANGED", "");

/// A bucket as it is stored. The format of its entries is private to the search.
#[derive(Clone, Debug)]
pub struct StoredBucket {
    pub prefix: HashPrefix,
    /// The version of the index at which it was written.
    pub version: u64,
    /// Its encoded entries; empty where the item has none.
    pub bytes: Vec<u8>,
}

/// Marks a listing that must be indexed again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirtyMark {
    pub id: ListingId,
    /// When the listing changed. This distinguishes the mark from a later mark on the same listing.
    pub at: Moment,
}

/// The listings of a page of hits, with the manifest read in the same request.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub manifest: Arc<Manifest>,
    pub listings: HashMap<ListingId, Arc<Listing>>,
    pub seats_claimed: u32,
}

fn dirty_mark(id: &ListingId, at: Moment) -> Item {
    dirty_mark_key(id).with([("at", ms(at))])
}

fn dirty_mark_key(id: &ListingId) -> Key {
    DIRTY_MARK.one(format_args!("{:08x}#{id}", id_hash(id) >> 32))
}

impl Transaction {
    pub(super) fn mark_dirty(&mut self, id: &ListingId, at: Moment) {
        self.put(dirty_mark(id, at));
    }
}

impl Store {
    /// The manifest; empty before the first build.
    pub async fn manifest(&self) -> Result<Arc<Manifest>> {
        if self.is_sole_writer() { self.recent_manifest().await } else { self.manifest_now().await }
    }

    /// The manifest for searches. If other processes write to the table, their changes are missing for about a second. The
    /// manifest of a large index is long, so it is read again only if its version has changed.
    pub async fn recent_manifest(&self) -> Result<Arc<Manifest>> {
        let read = async |outdated: Option<Arc<Manifest>>| {
            if let Some(outdated) = outdated
                && let Some(item) = self.read_with(&VERSION.key(), Consistency::Eventual).await?
                && unsigned::<u64>(&item, "version") <= outdated.version
            {
                return Ok(outdated);
            }
            self.manifest_now().await
        };
        self.read_cache.manifest(MANIFEST.prefix, read).await
    }

    async fn manifest_now(&self) -> Result<Arc<Manifest>> {
        let item = self.read(&MANIFEST.key()).await?;
        Ok(Arc::new(item.as_ref().map(parse_manifest).unwrap_or_default()))
    }

    /// Buckets as they are now; those that no longer exist are left out.
    pub async fn buckets(&self, prefixes: &[HashPrefix]) -> Result<Vec<StoredBucket>> {
        self.read_buckets(prefixes.iter(), Consistency::Strong).await
    }

    /// Buckets of at least these versions; those that no longer exist are left out. A strong read costs twice as much, so
    /// it only repeats what an eventual one returned too old.
    pub async fn buckets_since(&self, versions: &BTreeMap<HashPrefix, u64>) -> Result<Vec<StoredBucket>> {
        let mut buckets = self.read_buckets(versions.keys(), Consistency::Eventual).await?;
        buckets
            .retain(|bucket| versions.get(&bucket.prefix).is_some_and(|version| bucket.version >= *version));
        let found: BTreeSet<HashPrefix> = buckets.iter().map(|bucket| bucket.prefix).collect();
        let missed: Vec<HashPrefix> =
            versions.keys().copied().filter(|prefix| !found.contains(prefix)).collect();
        buckets.extend(self.buckets(&missed).await?);
        Ok(buckets)
    }

    async fn read_buckets(
        &self,
        prefixes: impl Iterator<Item = &HashPrefix>,
        consistency: Consistency,
    ) -> Result<Vec<StoredBucket>> {
        self.batch_get(BUCKET.all(prefixes), consistency).await?.into_iter().map(stored_bucket).collect()
    }

    /// What a search shows with its hits. At most the listings are read, in one batch, where the rest is cached.
    pub async fn shown(&self, ids: &[ListingId]) -> Result<Shown> {
        // Boxed, because its future is large and part of every search's.
        let read = Box::pin(async {
            futures::try_join!(self.recent_manifest(), self.live(), self.shown_listings(ids))
        });
        let (manifest, live, listings) = read.await?;
        Ok(Shown {
            manifest,
            listings: listings.into_iter().map(|listing| (listing.id.clone(), listing)).collect(),
            seats_claimed: live.funnel.seats_claimed,
        })
    }

    /// Listings that must be indexed again, at most `limit`, in the order of their marks after the mark `after`.
    pub async fn dirty_marks(&self, after: Option<&DirtyMark>, limit: i32) -> Result<Vec<DirtyMark>> {
        let start = after.map(|mark| dirty_mark_key(&mark.id).item());
        let marks = self.query(DIRTY_MARK.query().strong().after(start).limit(limit)).await?.items;
        let read = |item: &Item| {
            let (_, id) = text(item, "sk").split_once('#')?;
            Some(DirtyMark { id: id.parse().ok()?, at: moment(item, "at")? })
        };
        Ok(marks.iter().filter_map(read).collect())
    }

    /// How long the oldest dirty mark has waited; zero without marks. Of many marks it reads a part, which is as old as the
    /// rest, because marks are sorted by hash.
    pub async fn oldest_dirty_mark(&self, now: Moment) -> Result<Duration> {
        let marks = self.dirty_marks(None, MARKS_FOR_AGE).await?;
        let waited = marks.iter().map(|mark| now.duration_since(mark.at)).max();
        Ok(waited.and_then(|waited| waited.try_into().ok()).unwrap_or_default())
    }

    /// Replaces buckets, all or none. False, with nothing written, where the index was changed since `before` was read.
    pub async fn replace_buckets(
        &self,
        before: &Manifest,
        after: &Manifest,
        written: &[(HashPrefix, Vec<u8>)],
    ) -> Result<bool> {
        let names: Vec<(String, u64)> =
            after.buckets.iter().map(|(prefix, version)| (prefix.to_string(), *version)).collect();
        let change = Expression::default()
            .set("version", n(after.version))
            .set("buckets", to_blob(&names)?)
            .if_missing_or("version", "=", n(before.version));
        let mut transaction = Transaction::updating(MANIFEST.key(), change);
        transaction.update(VERSION.key(), Expression::default().set("version", n(after.version)));
        for (prefix, bytes) in written {
            let bucket = [("version", n(after.version)), ("bucket", b(bytes.clone()))];
            transaction.put(BUCKET.of(prefix).with(bucket));
        }
        for removed in before.buckets.keys().filter(|prefix| !after.buckets.contains_key(prefix)) {
            transaction.delete(BUCKET.of(removed));
        }
        self.commit(transaction).await
    }

    /// Deletes the marks of indexed listings, except those that were set again in the meantime. After an error some marks
    /// may be left, which only causes their listings to be indexed again.
    pub async fn clear_dirty_marks(&self, done: &[DirtyMark]) -> Result<()> {
        let deletions = done.iter().map(|mark| async {
            let unchanged = Expression::default().if_equal("at", ms(mark.at));
            self.delete_if(&dirty_mark_key(&mark.id), &unchanged).await.map(drop)
        });
        let deletions: Vec<_> = deletions.collect();
        stream::iter(deletions).buffer_unordered(CONCURRENCY).try_collect().await
    }

    /// Marks listings, so that they are indexed again. After an error some may be marked.
    pub async fn mark_dirty(&self, ids: &[ListingId], at: Moment) -> Result<()> {
        let puts: Vec<_> = ids.iter().map(|id| self.put(dirty_mark(id, at))).collect();
        stream::iter(puts).buffer_unordered(CONCURRENCY).try_collect().await
    }

    /// Marks every indexed listing that `chosen` accepts, so that it is indexed again; returns their number. It reads the
    /// whole lists, so it is for rare events. After an error some may be marked.
    pub async fn mark_listed_dirty(&self, chosen: impl Fn(&ListingId) -> bool, at: Moment) -> Result<usize> {
        let mut marked = 0;
        let partitions = [Kind::Agent, Kind::Mcp].map(active_partition);
        let others = [GATED, PACKAGES].map(str::to_owned);
        for partition in partitions.into_iter().chain(others) {
            let mut after = None;
            loop {
                let (listings, more) =
                    self.read_page_of_shown(partition.clone(), after.as_deref(), PAGE).await?;
                let ids: Vec<ListingId> =
                    listings.into_iter().map(|listing| listing.id).filter(&chosen).collect();
                marked += ids.len();
                self.mark_dirty(&ids, at).await?;
                after = more;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(marked)
    }
}

/// A manifest that cannot be read keeps its version, so that it can be replaced.
fn parse_manifest(item: &Item) -> Manifest {
    let names = serde_json::from_str::<Vec<(String, u64)>>(text(item, "buckets"));
    let read = |(name, version): (String, u64)| Some((name.parse().ok()?, version));
    let buckets =
        names.ok().and_then(|names| names.into_iter().map(read).collect::<Option<BTreeMap<_, _>>>());
    Manifest {
        version: unsigned(item, "version"),
        is_damaged: buckets.is_none(),
        buckets: buckets.unwrap_or_default(),
    }
}

fn stored_bucket(mut item: Item) -> Result<StoredBucket> {
    let prefix = text(&item, "pk").strip_prefix(BUCKET.prefix).and_then(|name| name.parse().ok());
    let prefix = prefix.ok_or_else(|| StoreError::fault("the key of a bucket cannot be read"))?;
    let bytes = match item.remove("bucket") {
        Some(AttributeValue::B(bytes)) => bytes.into_inner(),
        _ => Vec::new(),
    };
    Ok(StoredBucket { prefix, version: unsigned(&item, "version"), bytes })
}

/// The buckets of the search index. Readers load only buckets whose version they do not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Grows with every change; 0 before the first.
    pub version: u64,
    pub buckets: BTreeMap<HashPrefix, u64>,
    /// The list of buckets in the table cannot be read. So `buckets` is empty, and the index must be built again.
    pub is_damaged: bool,
}

impl Manifest {
    /// The bucket of an id. Buckets without entries are not stored: then it is the largest one beside the stored buckets.
    pub fn bucket_of(&self, id: &ListingId) -> HashPrefix {
        let hash = id_hash(id);
        if let Some(stored) = self.buckets.keys().copied().find(|prefix| prefix.covers(hash)) {
            return stored;
        }
        let mut free = HashPrefix::default();
        while self.buckets.keys().any(|stored| free.contains(*stored)) {
            let mut halves = free.halves().into_iter().flatten();
            let Some(half) = halves.find(|half| half.covers(hash)) else { break };
            free = half;
        }
        free
    }
}

#[cfg(test)]
mod tests;
