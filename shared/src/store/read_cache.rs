//! Caches what was read until it is written. Only valid for the sole writer of a table, as on one machine; on AWS many
//! processes write, and every read asks the table.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::error::StoreError;
use super::keys::{self, Key};
use super::listing_item::NamedListing;
use super::live::Live;
use super::manifest::Manifest;
use crate::model::ListingId;

/// Approximate bytes of cached listings.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes of a typical listing with evidence, without the texts of its tools and skills.
const TYPICAL_BYTES: u64 = 4096;

/// The cache of a table's sole writer; for any other process, empty and never filled.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadCache(Option<Arc<Caches>>);

#[derive(Debug)]
struct Caches {
    listings: Cache<String, Arc<NamedListing>, Size>,
    live: Cache<String, Live>,
    manifest: Cache<String, Arc<Manifest>>,
}

impl ReadCache {
    /// A cache whose items last until they are written.
    pub(super) fn until_written() -> Self {
        Self(Some(Arc::new(Caches {
            listings: Cache::with_weighter(
                usize::try_from(MAX_BYTES / TYPICAL_BYTES).unwrap_or(1),
                MAX_BYTES,
                Size,
            ),
            live: Cache::new(1),
            manifest: Cache::new(1),
        })))
    }

    /// Whether anything is cached at all.
    pub(super) const fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// A cached listing, or the result of `read`. That there is none is not cached.
    pub(super) async fn listing(
        &self,
        id: &ListingId,
        read: impl Future<Output = Result<Option<NamedListing>, StoreError>>,
    ) -> Result<Option<Arc<NamedListing>>, StoreError> {
        let read = async { Ok(read.await?.map(Arc::new)) };
        let Some(memory) = &self.0 else { return read.await };
        cached(&memory.listings, &keys::listing(id), read).await
    }

    /// The cached counts, or the result of `read`.
    pub(super) async fn live(
        &self,
        read: impl Future<Output = Result<Live, StoreError>>,
    ) -> Result<Live, StoreError> {
        let Some(memory) = &self.0 else { return read.await };
        let read = async { read.await.map(Some) };
        Ok(cached(&memory.live, &Key::new(keys::LIVE, ""), read).await?.unwrap_or_default())
    }

    /// The cached manifest of the search index, whose key this is, or the result of `read`.
    pub(super) async fn manifest(
        &self,
        key: &Key,
        read: impl Future<Output = Result<Manifest, StoreError>>,
    ) -> Result<Arc<Manifest>, StoreError> {
        let Some(memory) = &self.0 else { return read.await.map(Arc::new) };
        let read = async { Ok(Some(Arc::new(read.await?))) };
        Ok(cached(&memory.manifest, key, read).await?.unwrap_or_default())
    }

    /// Held while partitions are written. Their cached items are removed when it is dropped, whether or not the write
    /// succeeded, together with anything read meanwhile.
    pub(super) fn writing(&self, partitions: impl IntoIterator<Item = String>) -> Writing {
        let memory = self.0.clone();
        let partitions = if memory.is_some() { partitions.into_iter().collect() } else { Vec::new() };
        Writing { memory, partitions }
    }
}

/// A write under way; see [`ReadCache::writing`].
#[derive(Debug)]
pub(super) struct Writing {
    memory: Option<Arc<Caches>>,
    partitions: Vec<String>,
}

impl Drop for Writing {
    fn drop(&mut self) {
        let Some(memory) = &self.memory else { return };
        for partition in &self.partitions {
            memory.listings.remove(partition);
            memory.live.remove(partition);
            memory.manifest.remove(partition);
        }
    }
}

#[derive(Clone, Debug)]
struct Size;

impl Weighter<String, Arc<NamedListing>> for Size {
    fn weight(&self, _: &String, named: &Arc<NamedListing>) -> u64 {
        let facts = named.1.as_ref().map(|evidence| &evidence.verdict.facts);
        let tools = facts.into_iter().flat_map(|facts| &facts.tools);
        let skills = facts.into_iter().flat_map(|facts| &facts.skills);
        let texts = tools.map(|tool| &tool.description).chain(skills.map(|skill| &skill.description));
        TYPICAL_BYTES + texts.map(|text| 100 + text.len() as u64).sum::<u64>()
    }
}

async fn cached<T: Clone, W: Weighter<String, T> + Clone>(
    cache: &Cache<String, T, W>,
    key: &Key,
    read: impl Future<Output = Result<Option<T>, StoreError>>,
) -> Result<Option<T>, StoreError> {
    // Concurrent readers of one partition wait for the first. A removal meanwhile invalidates its guard, so that a value
    // read before a write is never cached after it.
    let place = match cache.get_value_or_guard_async(&key.pk).await {
        Ok(kept) => return Ok(Some(kept)),
        Err(place) => place,
    };
    let found = read.await?;
    if let Some(found) = &found {
        let _written_meanwhile = place.insert(found.clone());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(agents: u32) -> Live {
        Live { agents, ..Live::default() }
    }

    async fn read(agents: u32) -> Result<Live, StoreError> {
        Ok(live(agents))
    }

    #[tokio::test]
    async fn reads_are_cached_until_the_item_is_written() {
        let memory = ReadCache::until_written();
        assert_eq!(memory.live(read(1)).await.unwrap(), live(1));
        assert_eq!(memory.live(read(2)).await.unwrap(), live(1));
        drop(memory.writing([keys::LIVE.to_owned()]));
        assert_eq!(memory.live(read(3)).await.unwrap(), live(3));
    }

    #[tokio::test]
    async fn reads_during_a_write_are_not_cached() {
        let memory = ReadCache::until_written();
        let overtaken = async {
            drop(memory.writing([keys::LIVE.to_owned()]));
            Ok(live(1))
        };
        assert_eq!(memory.live(overtaken).await.unwrap(), live(1));
        assert_eq!(memory.live(read(2)).await.unwrap(), live(2));
    }

    #[tokio::test]
    async fn without_sole_writing_every_read_asks_the_table() {
        let nothing = ReadCache::default();
        assert_eq!(nothing.live(read(1)).await.unwrap(), live(1));
        assert_eq!(nothing.live(read(2)).await.unwrap(), live(2));
    }
}
