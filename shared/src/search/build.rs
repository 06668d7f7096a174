//! Building the index: listings that were marked are read, made into entries and put into their buckets. It may run
//! twice, or beside itself, without harm: the index moves from one version to the next or not at all.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde::Serialize;

use super::Searcher;
use super::bucket::Bucket;
use super::entry::{IndexEntry, IndexedText};
use crate::model::{HashPrefix, Lane, ListingId};
use crate::store::{DirtyMark, Manifest, Store, StoreError, StoredBucket};

/// At most so many marks are taken up at once.
const MAX_MARKS: u16 = 500;
/// At most so many bytes of buckets are written together; a transaction takes 4 MB.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// At most so many buckets are taken up together, and none once so many were written; a transaction takes 100 writes,
/// and a bucket that is split takes three and more.
const MAX_BUCKETS: usize = 24;
const MAX_WRITTEN: usize = 48;
/// So often a build is begun anew because somebody else was quicker.
const MAX_ATTEMPTS: u32 = 8;

/// A build that takes longer leaves the rest to the next, so that a function is not cut off in the middle of it.
const MAX_DURATION: Duration = Duration::from_secs(45);
/// The longest pause between two rounds of a build.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// What a build did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BuildReport {
    /// Entries that were made or made anew.
    pub come: usize,
    /// Listings that are not Live any more.
    pub gone: usize,
    /// Buckets that were written.
    pub buckets: usize,
    /// The version of the index at the end.
    pub version: u64,
}

impl Searcher {
    /// Takes up every mark there is. Where this process does so already, that run takes up what is new, and this one does
    /// nothing. Boxed for the same reason as a sweep.
    ///
    /// # Errors
    /// The table is busy or refused; what was not taken up keeps its mark.
    pub fn build(&self) -> BoxFuture<'_, Result<BuildReport, StoreError>> {
        Box::pin(async move {
            let store = &self.store;
            let mut report = BuildReport::default();
            let Some(alone) = self.index.begin_build() else { return Ok(report) };
            let (mut lost, first) = (0, Instant::now());
            loop {
                let marks = store.dirty_marks(MAX_MARKS.into()).await?;
                let done = marks.is_empty() && !alone.is_asked_again();
                if done || first.elapsed() > MAX_DURATION {
                    return Ok(report);
                }
                let (begun, full) = (Instant::now(), marks.len() >= usize::from(MAX_MARKS));
                match index_marked(store, marks).await? {
                    Some(done) => {
                        report.come += done.come;
                        report.gone += done.gone;
                        report.buckets += done.buckets;
                        report.version = report.version.max(done.version);
                    }
                    None if lost < MAX_ATTEMPTS => lost += 1,
                    None => return Err(StoreError::Busy("the index changed again and again".to_owned())),
                }
                // While much goes Live at once, marks are let gather: a bucket is then written for many and not for each.
                if full || alone.is_asked_again() {
                    tokio::time::sleep((begun.elapsed() * 2).min(MAX_PAUSE)).await;
                }
            }
        })
    }
}

/// Takes up the marks of as many buckets as are written together; `None` where somebody else was quicker.
async fn index_marked(store: &Store, marks: Vec<DirtyMark>) -> Result<Option<BuildReport>, StoreError> {
    if marks.is_empty() {
        return Ok(Some(BuildReport::default()));
    }
    let before = store.manifest().await?;
    let mut by_bucket: BTreeMap<HashPrefix, Vec<DirtyMark>> = BTreeMap::new();
    for mark in marks {
        by_bucket.entry(before.bucket_of(&mark.id)).or_default().push(mark);
    }
    let chosen: Vec<(HashPrefix, Vec<DirtyMark>)> = by_bucket.into_iter().take(MAX_BUCKETS).collect();
    let ids: Vec<ListingId> =
        chosen.iter().flat_map(|(_, marks)| marks).map(|mark| mark.id.clone()).collect();
    let known: Vec<HashPrefix> = chosen
        .iter()
        .map(|(prefix, _)| *prefix)
        .filter(|prefix| before.buckets.contains_key(prefix))
        .collect();
    let (listings, kept) = futures::try_join!(store.listings_with_evidence(&ids), store.buckets(&known))?;
    if kept.len() != known.len() {
        return Ok(None);
    }
    let listings: HashMap<ListingId, _> =
        listings.into_iter().map(|named| (named.0.id.clone(), named)).collect();
    let mut kept: HashMap<HashPrefix, StoredBucket> =
        kept.into_iter().map(|stored| (stored.prefix, stored)).collect();

    let mut report = BuildReport { version: before.version + 1, ..BuildReport::default() };
    let mut after = Manifest { version: report.version, buckets: before.buckets.clone() };
    let (mut written, mut done) = (Vec::new(), Vec::new());
    for (prefix, marks) in chosen {
        let bytes: usize = written.iter().map(|(_, bytes): &(HashPrefix, Vec<u8>)| bytes.len()).sum();
        if bytes > MAX_BYTES || written.len() >= MAX_WRITTEN {
            break;
        }
        let (mut come, mut gone) = (Vec::new(), Vec::new());
        for mark in marks {
            match listings.get(&mark.id) {
                Some((listing, evidence)) if listing.lane == Lane::Active => {
                    come.push(IndexEntry::of(listing, &IndexedText::of(listing, evidence.as_ref()), mark.at));
                }
                _ => gone.push(mark.id.clone()),
            }
            done.push(mark);
        }
        report.come += come.len();
        report.gone += gone.len();
        let stored = kept.remove(&prefix);
        let bucket = stored.map(|stored| Bucket::read(&stored.bytes)).transpose()?.unwrap_or_default();
        after.buckets.remove(&prefix);
        for (prefix, bytes) in bucket.changed(prefix, come, &gone)? {
            after.buckets.insert(prefix, report.version);
            written.push((prefix, bytes));
        }
    }
    report.buckets = written.len();
    if !store.replace_buckets(&before, &after, &written).await? {
        return Ok(None);
    }
    store.clear_dirty_marks(&done).await?;
    Ok(Some(report))
}
