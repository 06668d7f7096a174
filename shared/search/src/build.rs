//! Brings the stored index up to date: it reads the listings that have a dirty mark, and rewrites their
//! buckets. Several builds may run at the same time. A build replaces the manifest only if no other build has
//! changed the manifest since it was read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use jiff::SignedDuration;
use serde::Serialize;

use super::damage::{self, Damage, Examined, Repair, Sound};
use super::embedding;
use super::entry::{IndexEntry, IndexedText};
use super::service::Searcher;
use registry_model::error::chain;
use registry_model::{HashPrefix, ListingId, Moment};
use registry_store::{DirtyMark, Manifest, StoreError};

const MAX_MARKS: u16 = 500;
/// Bytes of buckets in one transaction, which allows 4 MB.
const MAX_BYTES: usize = 3 * 1024 * 1024;
/// Buckets read in one round, and buckets written: a transaction allows 100 writes, and the buckets that were split are
/// deleted in it.
const MAX_BUCKETS: usize = 24;
const MAX_WRITTEN: usize = 70;
/// Listings indexed in one round. The model takes some ten milliseconds for each, and none of them is found before the end of
/// the round.
const MAX_LISTINGS: usize = 64;
/// Rounds lost to a concurrent build before the index counts as busy.
const MAX_ATTEMPTS: u32 = 8;

/// After so many seconds, a change is in the index of every function, or counts as made later. The half of it is for the
/// build and for the functions that read it.
pub const CHANGE_SEEN_AFTER_S: i64 = 240;

/// After this time, a build leaves the rest to the next build, so that the function does not time out in the middle of
/// a round.
const MAX_DURATION: Duration = Duration::from_secs(45);
/// After this time, a build leaves damaged buckets to the next build, so that it has time for its marks.
const MAX_REPAIR: Duration = Duration::from_secs(30);
/// Listings that a build marks because their embeddings are outdated. The next build continues. So changed listings do not
/// wait for all of them.
const MAX_OUTDATED: usize = 1000;
/// The longest pause between two rounds of a build.
const MAX_PAUSE: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BuildReport {
    pub come: usize,
    pub gone: usize,
    pub buckets: usize,
    pub damaged: usize,
    /// Buckets that a newer version of the registry wrote. Their listings keep their marks.
    pub newer: usize,
    pub version: u64,
}

impl Searcher {
    /// Indexes all listings with a dirty mark; listings that were not indexed keep their marks. If a build is already
    /// running in this process, that build looks for new marks again, and this call does nothing. An error of a repair is
    /// returned after the other buckets are up to date. The future is boxed for the same reason as that of a sweep.
    pub fn build(&self) -> BoxFuture<'_, Result<BuildReport, StoreError>> {
        Box::pin(async move {
            let store = &self.store;
            let mut report = BuildReport::default();
            let Some(alone) = self.index.begin_build() else { return Ok(report) };
            let (mut lost, first) = (0, Instant::now());
            let mut repair_error = None;
            if self.index.is_check_due(self.clock.now()) {
                match self.check(first + MAX_REPAIR).await {
                    Ok(repaired) => report.damaged += repaired,
                    Err(error) => repair_error = Some(logged(error)),
                }
            }
            // Buckets that this build leaves as they are, and the last of the marks that belong only to such buckets.
            let (mut left, mut after) = (BTreeSet::new(), None);
            loop {
                let marks = store.dirty_marks(after.as_ref(), MAX_MARKS.into()).await?;
                let done = marks.is_empty() && !alone.take_requested_again();
                if done || first.elapsed() > MAX_DURATION {
                    return repair_error.map_or(Ok(report), Err);
                }
                if marks.is_empty() {
                    after = None;
                    continue;
                }
                let (begun, full) = (Instant::now(), marks.len() >= usize::from(MAX_MARKS));
                let (last, mut embedded) = (marks.last().cloned(), Duration::ZERO);
                match self.index_marked(marks, &left, &mut embedded).await? {
                    Round::Indexed(done) => {
                        report.come += done.come;
                        report.gone += done.gone;
                        report.buckets += done.buckets;
                        report.version = report.version.max(done.version);
                    }
                    Round::Left => after = last,
                    Round::Newer(buckets) => {
                        tracing::warn!(
                            buckets = buckets.len(),
                            "a newer version of the registry wrote parts of the search index: they are not updated"
                        );
                        report.newer += buckets.len();
                        left.extend(buckets);
                    }
                    Round::Damaged(damage) => {
                        let (is_whole, buckets) = (damage.manifest.is_damaged, damage.buckets.clone());
                        match self.repair(damage, first + MAX_REPAIR).await {
                            Ok(repair) => {
                                report.damaged += repair.buckets;
                                lost += u32::from(repair.buckets == 0);
                            }
                            Err(error) if is_whole => return Err(error),
                            Err(error) => {
                                repair_error = Some(logged(error));
                                left.extend(buckets);
                            }
                        }
                    }
                    Round::Lost => lost += 1,
                }
                if lost > MAX_ATTEMPTS {
                    return Err(StoreError::Busy("the index keeps changing; retry later".into()));
                }
                // While many listings go Live at once, wait for more marks, so that one write of a bucket serves many. Marks
                // also come while the model computes.
                if full || alone.take_requested_again() {
                    let stored = begun.elapsed().saturating_sub(embedded);
                    tokio::time::sleep((stored * 2).saturating_sub(embedded).min(MAX_PAUSE)).await;
                }
            }
        })
    }

    /// Checks the whole stored index and repairs it; returns the number of repaired buckets.
    async fn check(&self, until: Instant) -> Result<usize, StoreError> {
        // The index is not read in vain while the server does not answer.
        if let Some(chroma) = &self.backend.chroma {
            chroma.check().await?;
        }
        let mut sound = Sound::default();
        let repair = match damage::find_damage(&self.store, self.backend.is_light(), &mut sound).await? {
            Some(damage) => self.repair(damage, until).await?,
            None => Repair { buckets: 0, is_complete: true },
        };
        // All listings, after the backend was chosen or has lost its data.
        let missing = match &self.backend.chroma {
            Some(chroma) => chroma.missing(&sound.listed).await?,
            None => Vec::new(),
        };
        if !missing.is_empty() {
            tracing::warn!(
                listings = missing.len(),
                "the search backend lacks listings: they are sent again"
            );
            self.store.mark_dirty(&missing, self.clock.now()).await?;
        }
        let outdated = &sound.outdated[..sound.outdated.len().min(MAX_OUTDATED)];
        if !outdated.is_empty() {
            tracing::info!(
                listings = outdated.len(),
                left = sound.outdated.len() - outdated.len(),
                "listings have embeddings of an older version: they are indexed again"
            );
            self.store.mark_dirty(outdated, self.clock.now()).await?;
        }
        if repair.is_complete && outdated.len() == sound.outdated.len() {
            self.index.note_check(self.clock.now());
        }
        Ok(repair.buckets)
    }

    async fn repair(&self, damage: Damage, until: Instant) -> Result<Repair, StoreError> {
        let repair = damage::repair(&self.store, damage, self.clock.now(), until).await;
        if !repair.as_ref().is_ok_and(|repair| repair.is_complete) {
            self.index.require_check();
        }
        repair
    }

    /// One round. Adds the time that the model took to `embedded`.
    async fn index_marked(
        &self,
        marks: Vec<DirtyMark>,
        left: &BTreeSet<HashPrefix>,
        embedded: &mut Duration,
    ) -> Result<Round, StoreError> {
        let (store, is_light) = (&self.store, self.backend.is_light());
        let (oldest_proof, now) = (self.oldest_proof(), self.clock.now());
        let before = store.manifest().await?;
        if before.is_damaged {
            return Ok(Round::Damaged(Damage { manifest: before, buckets: Vec::new() }));
        }
        let mut by_bucket: BTreeMap<HashPrefix, Vec<DirtyMark>> = BTreeMap::new();
        for mark in marks {
            by_bucket.entry(before.bucket_of(&mark.id)).or_default().push(mark);
        }
        by_bucket.retain(|prefix, _| !left.contains(prefix));
        if by_bucket.is_empty() {
            return Ok(Round::Left);
        }
        let mut chosen: Vec<(HashPrefix, Vec<DirtyMark>)> = by_bucket.into_iter().take(MAX_BUCKETS).collect();
        let mut room = MAX_LISTINGS;
        chosen.retain_mut(|(_, marks)| {
            marks.truncate(room);
            room -= marks.len();
            !marks.is_empty()
        });
        let ids: Vec<ListingId> =
            chosen.iter().flat_map(|(_, marks)| marks).map(|mark| mark.id.clone()).collect();
        let known: Vec<HashPrefix> = chosen
            .iter()
            .map(|(prefix, _)| *prefix)
            .filter(|prefix| before.buckets.contains_key(prefix))
            .collect();
        let (listings, stored_buckets) =
            futures::try_join!(store.listings_with_evidence(&ids), store.buckets(&known))?;
        if stored_buckets.len() != known.len() && store.manifest().await?.version != before.version {
            return Ok(Round::Lost);
        }
        let Examined { sound: mut buckets, newer, damaged } =
            damage::examine(&before, &known, stored_buckets, is_light);
        if !newer.is_empty() {
            return Ok(Round::Newer(newer));
        }
        if !damaged.is_empty() {
            return Ok(Round::Damaged(Damage { manifest: before, buckets: damaged }));
        }
        let listings: HashMap<ListingId, _> =
            listings.into_iter().map(|named| (named.0.id.clone(), named)).collect();
        // The model takes some ten milliseconds for each listing, so another thread computes the embeddings first.
        let shown = listings.values().filter(|(listing, _)| listing.availability(oldest_proof).is_some());
        let texts =
            shown.map(|(listing, evidence)| IndexedText::of(listing, evidence.as_ref()).embedded_text());
        let begun = Instant::now();
        embedding::prepare(texts.collect()).await;
        *embedded += begun.elapsed();

        let mut report = BuildReport { version: before.version + 1, ..BuildReport::default() };
        let mut after = Manifest { version: report.version, ..Manifest::clone(&before) };
        let (mut written, mut done) = (Vec::new(), Vec::new());
        let (mut come, mut gone) = (Vec::new(), Vec::new());
        let stored = |entry: IndexEntry| self.backend.stored(entry, before.buckets.len());
        for (prefix, mut marks) in chosen {
            let bucket = buckets.remove(&prefix).unwrap_or_default();
            let entry = |mark: &DirtyMark| {
                let entry = listings.get(&mark.id).and_then(|(listing, evidence)| {
                    let shown = listing.availability(oldest_proof)?;
                    let text = IndexedText::of(listing, evidence.as_ref());
                    Some(IndexEntry::of(listing, shown, &text, changed_at(mark.at, now)))
                });
                entry.ok_or_else(|| mark.id.clone())
            };
            let mut entries: Vec<Result<IndexEntry, ListingId>> = marks.iter().map(entry).collect();
            let changed = loop {
                let upserted =
                    entries.iter().filter_map(|entry| entry.as_ref().ok().cloned().map(stored)).collect();
                let removed: Vec<ListingId> =
                    entries.iter().filter_map(|entry| entry.as_ref().err().cloned()).collect();
                let changed = bucket.changed(prefix, upserted, &removed)?;
                if fits(&written, &changed) || written.is_empty() && entries.len() <= 1 {
                    break Some(changed);
                }
                if !written.is_empty() {
                    break None;
                }
                entries.truncate(entries.len() / 2);
            };
            // The next round takes what does not fit into this one.
            let Some(changed) = changed else { break };
            marks.truncate(entries.len());
            for entry in entries {
                match entry {
                    Ok(entry) => come.push(entry),
                    Err(id) => gone.push(id),
                }
            }
            done.extend(marks);
            after.buckets.remove(&prefix);
            after.buckets.extend(changed.iter().map(|(prefix, _)| (*prefix, report.version)));
            written.extend(changed);
        }
        (report.come, report.gone, report.buckets) = (come.len(), gone.len(), written.len());
        self.backend.apply(&come, &gone).await?;
        if !store.replace_buckets(&before, &after, &written).await? {
            if is_light {
                // The other build may have sent a later state before, and cleared the marks.
                let sent: Vec<ListingId> = done.into_iter().map(|mark| mark.id).collect();
                store.mark_dirty(&sent, now).await?;
            }
            return Ok(Round::Lost);
        }
        store.clear_dirty_marks(&done).await?;
        Ok(Round::Indexed(report))
    }
}

fn logged(error: StoreError) -> StoreError {
    tracing::error!(error = chain(&error), "could not repair the search index; the next build tries again");
    error
}

enum Round {
    Indexed(BuildReport),
    /// All marks belong to buckets that this build leaves as they are.
    Left,
    /// A concurrent build won; nothing was written.
    Lost,
    /// Something cannot be read; nothing was written.
    Damaged(Damage),
    /// Only newer code can read these buckets; nothing was written.
    Newer(Vec<HashPrefix>),
}

fn fits(written: &[(HashPrefix, Vec<u8>)], more: &[(HashPrefix, Vec<u8>)]) -> bool {
    let bytes: usize = written.iter().chain(more).map(|(_, bytes)| bytes.len()).sum();
    bytes <= MAX_BYTES && written.len() + more.len() <= MAX_WRITTEN
}

/// A mirror that reads the changes since its last visit must not miss a change that was indexed late, so such a change
/// counts as made now. The others keep their order.
fn changed_at(marked_at: Moment, now: Moment) -> Moment {
    let is_late = now.duration_since(marked_at) > SignedDuration::from_secs(CHANGE_SEEN_AFTER_S / 2);
    if is_late { now } else { marked_at }
}
