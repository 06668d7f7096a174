//! The index that this process keeps in memory: loaded when it is first asked, and brought up to date bucket by bucket as
//! soon as an answer shows that the table has a newer one.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::bucket::Bucket;
use super::index::Index;
use super::phrasebook;
use crate::model::HashPrefix;
use crate::store::{Manifest, Store, StoreError};

/// A bucket that was split after the manifest was read is looked for again so many times.
const ATTEMPTS: u32 = 4;

/// The index of this process; clones share it.
#[derive(Clone, Default)]
pub(super) struct IndexCache(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: RwLock<State>,
    loading: tokio::sync::Mutex<()>,
    building: AtomicBool,
    build_again: AtomicBool,
}

/// A build under way in this process; its end is the drop of this.
pub(super) struct Building<'a>(&'a Shared);

impl Building<'_> {
    /// Whether a further build was asked for since this was asked last.
    pub(super) fn is_asked_again(&self) -> bool {
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

/// The index while it is read.
pub(super) struct Reading<'a>(RwLockReadGuard<'a, State>);

impl std::ops::Deref for Reading<'_> {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.0.index
    }
}

impl IndexCache {
    /// The version that is held; `None` before the first load.
    #[must_use]
    pub(super) fn version(&self) -> Option<u64> {
        self.0.state.read().unwrap_or_else(PoisonError::into_inner).version
    }

    /// The index. Whoever holds this must not wait for anything else.
    pub(super) fn read(&self) -> Reading<'_> {
        Reading(self.0.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a build, unless one is under way in this process: then that one is told to look again.
    pub(super) fn begin_build(&self) -> Option<Building<'_>> {
        let busy = self.0.building.swap(true, Ordering::AcqRel);
        // Whoever begins sees all that is marked so far, and needs no telling.
        self.0.build_again.store(busy, Ordering::Release);
        (!busy).then(|| Building(&self.0))
    }

    /// Loads the index where nothing is held yet.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub(super) async fn load(&self, store: &Store) -> Result<(), StoreError> {
        if self.version().is_some() {
            return Ok(());
        }
        // The first question reads the phrasebook, too. Where there is a second processor it is read beside the index;
        // a question that comes before its end waits for it.
        drop(tokio::task::spawn_blocking(phrasebook::preload));
        self.refresh(store).await
    }

    /// Brings the index up to what the table says now. Who comes while another does it waits for that.
    ///
    /// # Errors
    /// The table is busy or refused; what was held stays.
    pub(super) async fn refresh(&self, store: &Store) -> Result<(), StoreError> {
        let manifest = store.manifest().await?;
        if self.version().is_some_and(|loaded| loaded >= manifest.version) {
            return Ok(());
        }
        let _alone = self.0.loading.lock().await;
        self.bring_up_to(store, manifest).await
    }

    /// Brings the index up to `seen`, where it is newer than what is held, and says whether it did. While somebody else
    /// does it what is held must do: it is a moment old, and while much goes Live nobody would get an answer.
    ///
    /// # Errors
    /// The table is busy or refused; what was held stays.
    pub(super) async fn refreshed(&self, store: &Store, seen: Manifest) -> Result<bool, StoreError> {
        if self.version().is_some_and(|loaded| loaded >= seen.version) {
            return Ok(false);
        }
        let Ok(_alone) = self.0.loading.try_lock() else { return Ok(false) };
        self.bring_up_to(store, seen).await?;
        Ok(true)
    }

    async fn bring_up_to(&self, store: &Store, mut manifest: Manifest) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            if self.version().is_some_and(|version| version >= manifest.version) {
                return Ok(());
            }
            let stale = self.stale(&manifest);
            let fetched = store.buckets(&stale).await?;
            if fetched.len() == stale.len() {
                let mut buckets = Vec::with_capacity(fetched.len());
                for stored in fetched {
                    buckets.push((stored.prefix, stored.version, Bucket::read(&stored.bytes)?));
                }
                let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
                let gone: Vec<HashPrefix> =
                    state.index.prefixes().filter(|loaded| !manifest.buckets.contains_key(loaded)).collect();
                gone.into_iter().for_each(|prefix| state.index.remove(prefix));
                for (prefix, version, bucket) in buckets {
                    state.index.put(prefix, version, bucket);
                }
                state.version = Some(manifest.version);
                return Ok(());
            }
            manifest = store.manifest().await?;
        }
        Err(StoreError::Busy("the index changed again and again".to_owned()))
    }

    fn stale(&self, manifest: &Manifest) -> Vec<HashPrefix> {
        let state = self.0.state.read().unwrap_or_else(PoisonError::into_inner);
        let loaded = |prefix: HashPrefix| state.index.version(prefix);
        let older =
            |(prefix, version): (&HashPrefix, &u64)| loaded(*prefix).is_none_or(|loaded| loaded < *version);
        manifest.buckets.iter().filter(|entry| older(*entry)).map(|(prefix, _)| *prefix).collect()
    }
}
