//! Caches what was read until it is written. Only valid for the sole writer of a table, as on one machine; on AWS many
//! processes write, and every read asks the table.

use std::collections::BTreeMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::error::StoreError;
use super::keys::{self, Key};
use super::listing_item::NamedListing;
use super::live::Live;
use super::manifest::Manifest;
use registry_model::{Listing, ListingId};

/// Approximate bytes of cached listings with their evidence.
const MAX_BYTES: u64 = 10 * 1024 * 1024;
/// Bytes of a typical listing with evidence, without the texts of its tools and skills.
const TYPICAL_BYTES: u64 = 4096;
/// Approximate bytes of cached cores, of which one page of hits needs a dozen; and of a core without its description.
const MAX_CORE_BYTES: u64 = 12 * 1024 * 1024;
const CORE_BYTES: u64 = size_of::<Listing>() as u64 + 600;

/// The cache of a table's sole writer; for any other process, empty and never filled.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadCache(Option<Arc<Caches>>);

#[derive(Debug)]
struct Caches {
    listings: Cache<String, Arc<NamedListing>, Size>,
    cores: Cache<String, Arc<Listing>, Size>,
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
            cores: Cache::with_weighter(
                usize::try_from(MAX_CORE_BYTES / CORE_BYTES).unwrap_or(1),
                MAX_CORE_BYTES,
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

    /// The cores of listings in no order, those that are not cached by one `read`; ids without a listing are left out.
    pub(super) async fn cores<R>(
        &self,
        ids: &[ListingId],
        read: impl FnOnce(Vec<ListingId>) -> R,
    ) -> Result<Vec<Arc<Listing>>, StoreError>
    where
        R: Future<Output = Result<Vec<Listing>, StoreError>>,
    {
        let Some(memory) = &self.0 else {
            return Ok(read(ids.to_vec()).await?.into_iter().map(Arc::new).collect());
        };
        // Each once and in one order: else a reader would wait for itself, or two for each other.
        let partitions: BTreeMap<String, &ListingId> =
            ids.iter().map(|id| (keys::listing(id).pk, id)).collect();
        let (mut found, mut places, mut missing) =
            (Vec::with_capacity(ids.len()), BTreeMap::new(), Vec::new());
        for (partition, id) in &partitions {
            match memory.cores.get_value_or_guard_async(partition).await {
                Ok(kept) => found.push(kept),
                Err(place) => {
                    places.insert(id.as_str(), place);
                    missing.push((*id).clone());
                }
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        for listing in read(missing).await? {
            let listing = Arc::new(listing);
            if let Some(place) = places.remove(listing.id.as_str()) {
                let _written_meanwhile = place.insert(Arc::clone(&listing));
            }
            found.push(listing);
        }
        Ok(found)
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
            memory.cores.remove(partition);
            memory.live.remove(partition);
            memory.manifest.remove(partition);
        }
    }
}

#[derive(Clone, Debug)]
struct Size;

impl Weighter<String, Arc<Listing>> for Size {
    fn weight(&self, _: &String, listing: &Arc<Listing>) -> u64 {
        CORE_BYTES + listing.description.as_ref().map_or(0, |text| text.len() as u64)
    }
}

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

    fn id(number: usize) -> ListingId {
        format!("mcp-{number}").parse().unwrap()
    }

    /// What the table has of these, each as its description says it was read.
    fn stored(ids: &[ListingId], said: &str) -> Vec<Listing> {
        let core = |id: &ListingId| {
            serde_json::from_value(serde_json::json!({
                "id": id, "name": "A", "description": said, "category": "other", "declared": "unknown",
                "lane": "active", "listed_at": "2026-11-20T12:00:00Z", "due_at": "2026-11-20T12:00:00Z",
            }))
            .unwrap()
        };
        ids.iter().map(core).collect()
    }

    /// Which of them were read, and how they are described.
    async fn cores(memory: &ReadCache, ids: &[ListingId], said: &str) -> (Vec<ListingId>, Vec<String>) {
        let mut asked = Vec::new();
        let read = async |missing: Vec<ListingId>| {
            asked.clone_from(&missing);
            Ok(stored(&missing, said))
        };
        let mut found = memory.cores(ids, read).await.unwrap();
        found.sort_by_key(|listing| listing.id.clone());
        (asked, found.iter().filter_map(|listing| listing.description.clone()).collect())
    }

    #[tokio::test]
    async fn of_several_listings_only_those_that_are_not_cached_are_read() {
        let memory = ReadCache::until_written();
        let (one, two, three) = (id(1), id(2), id(3));
        let first = cores(&memory, &[two.clone(), one.clone(), two.clone()], "old").await;
        assert_eq!(first, (vec![one.clone(), two.clone()], vec!["old".to_owned(); 2]), "each once");
        drop(memory.writing([keys::listing(&one).pk]));
        let (asked, said) = cores(&memory, &[three.clone(), two, one.clone()], "new").await;
        assert_eq!((asked, said), (vec![one, three], vec!["new".into(), "old".into(), "new".into()]));
    }

    #[tokio::test]
    async fn a_listing_that_is_written_while_it_is_read_is_not_cached() {
        let memory = ReadCache::until_written();
        let overtaken = async |missing: Vec<ListingId>| {
            drop(memory.writing([keys::listing(&id(1)).pk]));
            Ok(stored(&missing, "old"))
        };
        memory.cores(&[id(1), id(2)], overtaken).await.unwrap();
        assert_eq!(cores(&memory, &[id(1), id(2)], "new").await.0, [id(1)]);
    }

    #[tokio::test]
    async fn readers_of_the_same_listings_do_not_wait_for_each_other_in_a_circle() {
        let memory = ReadCache::until_written();
        let slowly = async |missing: Vec<ListingId>| {
            tokio::task::yield_now().await;
            Ok(stored(&missing, "it"))
        };
        let (there, back) = (vec![id(1), id(2), id(3)], vec![id(3), id(2), id(1)]);
        let both = async { tokio::join!(memory.cores(&there, slowly), memory.cores(&back, slowly)) };
        let both = tokio::time::timeout(std::time::Duration::from_secs(5), both).await;
        let (one, other) = both.expect("neither waits for the other");
        assert_eq!((one.unwrap().len(), other.unwrap().len()), (3, 3));
    }
}
