//! What this process has read of the table and nobody has written since. Only the table's one writer may remember, as
//! on one machine; on AWS many write, and every read asks the table.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::error::StoreError;
use super::keys::{self, Key};
use super::listing_item::NamedListing;
use super::live::Live;
use crate::model::ListingId;

/// About so many bytes of listings are remembered.
const MOST: u64 = 24 * 1024 * 1024;
/// What a listing with ordinary evidence takes, without the texts of its tools and skills.
const ORDINARY: u64 = 4096;

/// The memory of a table's one writer; of anybody else's, nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadCache(Option<Arc<Memory>>);

#[derive(Debug)]
struct Memory {
    listings: Cache<String, Arc<NamedListing>, Size>,
    live: Cache<String, Live>,
}

impl ReadCache {
    /// A memory that lasts until what it holds is written.
    pub(super) fn until_written() -> Self {
        Self(Some(Arc::new(Memory {
            listings: Cache::with_weighter(usize::try_from(MOST / ORDINARY).unwrap_or(1), MOST, Size),
            live: Cache::new(1),
        })))
    }

    /// A listing as remembered, or as `read` finds it. That there is none is never remembered.
    pub(super) async fn listing(
        &self,
        id: &ListingId,
        read: impl Future<Output = Result<Option<NamedListing>, StoreError>>,
    ) -> Result<Option<Arc<NamedListing>>, StoreError> {
        let read = async { Ok(read.await?.map(Arc::new)) };
        let Some(memory) = &self.0 else { return read.await };
        remembered(&memory.listings, &keys::listing(id), read).await
    }

    /// What is Live as remembered, or as `read` finds it.
    pub(super) async fn live(
        &self,
        read: impl Future<Output = Result<Live, StoreError>>,
    ) -> Result<Live, StoreError> {
        let Some(memory) = &self.0 else { return read.await };
        let read = async { read.await.map(Some) };
        Ok(remembered(&memory.live, &Key::new(keys::LIVE, ""), read).await?.unwrap_or_default())
    }

    /// To be held while partitions are written: what is remembered of them is forgotten when the writing is over,
    /// however it ended, and nothing that was read meanwhile is kept.
    pub(super) fn writing(&self, partitions: impl IntoIterator<Item = String>) -> Writing {
        let memory = self.0.clone();
        let partitions = if memory.is_some() { partitions.into_iter().collect() } else { Vec::new() };
        Writing { memory, partitions }
    }
}

/// A write under way.
#[derive(Debug)]
pub(super) struct Writing {
    memory: Option<Arc<Memory>>,
    partitions: Vec<String>,
}

impl Drop for Writing {
    fn drop(&mut self) {
        let Some(memory) = &self.memory else { return };
        for partition in &self.partitions {
            memory.listings.remove(partition);
            memory.live.remove(partition);
        }
    }
}

/// Weighs listings by the bytes they take.
#[derive(Clone, Debug)]
struct Size;

impl Weighter<String, Arc<NamedListing>> for Size {
    fn weight(&self, _: &String, named: &Arc<NamedListing>) -> u64 {
        let facts = named.1.as_ref().map(|evidence| &evidence.verdict.facts);
        let tools = facts.into_iter().flat_map(|facts| &facts.tools);
        let skills = facts.into_iter().flat_map(|facts| &facts.skills);
        let texts = tools.map(|tool| &tool.description).chain(skills.map(|skill| &skill.description));
        ORDINARY + texts.map(|text| 100 + text.len() as u64).sum::<u64>()
    }
}

async fn remembered<T: Clone, W: Weighter<String, T> + Clone>(
    cache: &Cache<String, T, W>,
    key: &Key,
    read: impl Future<Output = Result<Option<T>, StoreError>>,
) -> Result<Option<T>, StoreError> {
    // Readers of one partition wait for the first of them. A removal meanwhile takes the place from under its guard,
    // so that what was read before a write cannot outlive it.
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
    async fn what_was_read_is_remembered_until_it_is_written() {
        let memory = ReadCache::until_written();
        assert_eq!(memory.live(read(1)).await.unwrap(), live(1));
        assert_eq!(memory.live(read(2)).await.unwrap(), live(1));
        drop(memory.writing([keys::LIVE.to_owned()]));
        assert_eq!(memory.live(read(3)).await.unwrap(), live(3));
    }

    #[tokio::test]
    async fn what_was_read_during_a_write_is_not_kept() {
        let memory = ReadCache::until_written();
        let overtaken = async {
            drop(memory.writing([keys::LIVE.to_owned()]));
            Ok(live(1))
        };
        assert_eq!(memory.live(overtaken).await.unwrap(), live(1));
        assert_eq!(memory.live(read(2)).await.unwrap(), live(2));
    }

    #[tokio::test]
    async fn who_is_not_the_only_writer_asks_every_time() {
        let nothing = ReadCache::default();
        assert_eq!(nothing.live(read(1)).await.unwrap(), live(1));
        assert_eq!(nothing.live(read(2)).await.unwrap(), live(2));
    }
}
