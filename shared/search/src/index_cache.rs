//! The index in the memory of this process. It is loaded at the start or for the first query. When a search reads a newer
//! manifest from the table, the changed buckets are loaded. The manifest comes with a request that every
//! search makes, so it costs no extra request.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::bucket::{Bucket, Unreadable};
use super::embedding;
use super::index::Index;
use super::word_lists;
use registry_model::{HashPrefix, Moment};
use registry_store::{Manifest, Store, StoreError};

/// The number of attempts to load buckets, because buckets may be replaced while they are loaded.
const MAX_ATTEMPTS: u32 = 4;

#[derive(Clone, Default)]
pub(super) struct IndexCache(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Whether a search backend finds the candidates.
    is_light: bool,
    state: RwLock<State>,
    loading: tokio::sync::Mutex<()>,
    building: AtomicBool,
    build_again: AtomicBool,
    /// When the stored index was last checked, in seconds; 0 before the first time.
    checked_at: AtomicI64,
}

/// A build that is running in this process. When this value is dropped, the build ends.
pub(super) struct Building<'a>(&'a Shared);

impl Building<'_> {
    /// Whether another build was requested since the last call.
    pub(super) fn take_requested_again(&self) -> bool {
        self.0.build_again.swap(false, Ordering::AcqRel)
    }
}

impl Drop for Building<'_> {
    fn drop(&mut self) {
        self.0.building.store(false, Ordering::Release);
    }
}

#[derive(Default)]
struct State {
    index: Index,
    version: Option<u64>,
}

impl fmt::Debug for IndexCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexCache").field("version", &self.version()).finish_non_exhaustive()
    }
}

pub(super) struct Reading<'a>(RwLockReadGuard<'a, State>);

impl std::ops::Deref for Reading<'_> {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.0.index
    }
}

impl IndexCache {
    pub(super) fn new(is_light: bool) -> Self {
        Self(Arc::new(Shared { is_light, ..Shared::default() }))
    }

    pub(super) fn version(&self) -> Option<u64> {
        self.read().0.version
    }

    /// Must not be held across an await: an update waits for it, and further reads wait for the update.
    pub(super) fn read(&self) -> Reading<'_> {
        Reading(self.0.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts a build. If one is running in this process, that one looks for new marks again, and this returns `None`.
    pub(super) fn begin_build(&self) -> Option<Building<'_>> {
        let busy = self.0.building.swap(true, Ordering::AcqRel);
        // A build that starts now reads all marks and need not look again.
        self.0.build_again.store(busy, Ordering::Release);
        (!busy).then(|| Building(&self.0))
    }

    /// Whether to check the whole stored index: at first, and once an hour.
    pub(super) fn is_check_due(&self, now: Moment) -> bool {
        (now.as_second() - self.0.checked_at.load(Ordering::Acquire)).abs() >= 3600
    }

    pub(super) fn note_check(&self, now: Moment) {
        self.0.checked_at.store(now.as_second(), Ordering::Release);
    }

    /// The next build checks the stored index, because a repair is not complete.
    pub(super) fn require_check(&self) {
        self.0.checked_at.store(0, Ordering::Release);
    }

    pub(super) async fn load(&self, store: &Store) -> Result<(), StoreError> {
        if self.version().is_some() {
            return Ok(());
        }
        // The first query needs the phrasebook and the language model, too: with a second processor they are read while the
        // index is loaded.
        drop(tokio::task::spawn_blocking(|| {
            word_lists::preload();
            drop(embedding::embed("search"));
        }));
        self.refresh(store).await
    }

    /// Updates the index to the version in the table. Concurrent callers wait for one update.
    pub(super) async fn refresh(&self, store: &Store) -> Result<(), StoreError> {
        let manifest = store.recent_manifest().await?;
        if self.version().is_some_and(|loaded| loaded >= manifest.version) {
            return Ok(());
        }
        let _guard = self.0.loading.lock().await;
        self.update_to(store, &manifest).await
    }

    /// Updates the index to `seen` if that is newer, and returns whether it did. While another task updates the index, the
    /// current one is used: it is recent, and waiting would stall all searches while many listings go Live.
    pub(super) async fn refreshed(&self, store: &Store, seen: &Manifest) -> Result<bool, StoreError> {
        if self.version().is_some_and(|loaded| loaded >= seen.version) {
            return Ok(false);
        }
        let Ok(_guard) = self.0.loading.try_lock() else { return Ok(false) };
        self.update_to(store, seen).await?;
        Ok(true)
    }

    async fn update_to(&self, store: &Store, manifest: &Manifest) -> Result<(), StoreError> {
        let mut manifest = Cow::Borrowed(manifest);
        for _ in 0..MAX_ATTEMPTS {
            if self.version().is_some_and(|version| version >= manifest.version) {
                return Ok(());
            }
            let mut stale = self.stale(&manifest);
            let fetched = store.buckets_since(&stale).await?;
            if fetched.len() != stale.len() {
                let newer = store.manifest().await?;
                if newer.version != manifest.version {
                    manifest = Cow::Owned(Manifest::clone(&newer));
                    continue;
                }
                // They were not replaced, so they are lost.
            }
            // All decoded buckets take more memory than the index. No one reads an index that is not loaded, so the first
            // load adds each bucket at once; an update is collected first, so that readers see all of it.
            let is_first = self.version().is_none();
            let mut index = if self.0.is_light { Index::light() } else { Index::default() };
            let (mut buckets, mut newer) = (Vec::new(), 0);
            for stored in fetched {
                let bucket = match Bucket::read(&stored.bytes) {
                    Ok(bucket) => bucket,
                    Err(Unreadable::Newer(_)) => {
                        newer += 1;
                        continue;
                    }
                    Err(Unreadable::Damaged(_)) => continue,
                };
                stale.remove(&stored.prefix);
                match is_first {
                    true => index.put(stored.prefix, stored.version, bucket),
                    false => buckets.push((stored.prefix, stored.version, bucket)),
                }
            }
            index.shrink();
            if manifest.is_damaged || stale.len() > newer {
                tracing::error!(
                    buckets = stale.len() - newer,
                    "the search index is damaged: searches miss listings until it is rebuilt"
                );
            }
            if newer > 0 {
                tracing::warn!(
                    buckets = newer,
                    "a newer version of the registry wrote parts of the search index: searches miss their changes"
                );
            }
            let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
            if is_first {
                state.index = index;
            }
            let gone: Vec<HashPrefix> =
                state.index.prefixes().filter(|loaded| !manifest.buckets.contains_key(loaded)).collect();
            // A damaged manifest does not show which buckets were removed.
            if !manifest.is_damaged {
                gone.into_iter().for_each(|prefix| state.index.remove(prefix));
            }
            for (prefix, version, bucket) in buckets {
                state.index.put(prefix, version, bucket);
            }
            for (prefix, version) in stale {
                state.index.stand_in(prefix, version);
            }
            state.version = Some(manifest.version);
            return Ok(());
        }
        Err(StoreError::Busy("the index keeps changing; retry later".to_owned()))
    }

    fn stale(&self, manifest: &Manifest) -> BTreeMap<HashPrefix, u64> {
        let index = self.read();
        let older = |(prefix, version): (&HashPrefix, &u64)| {
            index.version(*prefix).is_none_or(|loaded| loaded < *version)
        };
        manifest.buckets.iter().filter(|entry| older(*entry)).map(|(prefix, at)| (*prefix, *at)).collect()
    }
}
