//! Caches reads of the table. On the local server a single process writes to the table, so an item is cached until it is
//! written again. On AWS many processes write. There, only what nearly every request needs is cached, and only for seconds:
//! otherwise all requests together would exceed the throughput of one partition key.

use std::collections::BTreeMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::attributes::{Item, text};
use super::cached::{Live, Manifest};
use super::error::StoreError;
use super::keys::{self, Key};
use super::listing_item::NamedListing;
use registry_model::{Clock, Listing, ListingId, Moment};

/// How long the counts and the manifest are cached if other processes write them, too, in milliseconds.
const MAX_AGE_MS: i64 = 1_000;
/// The same for pages of the lists: as long as clients cache them.
const MAX_PAGE_AGE_MS: i64 = 5_000;
/// Cached pages. A page has at most 100 listings.
const MAX_PAGES: usize = 64;
/// Approximate bytes of cached listings with their evidence.
const MAX_BYTES: u64 = 14 * 1024 * 1024;
/// Cached partitions from which boosts are computed: two of each of 12,000 listings. A partition has about 700 bytes, and most
/// are empty.
const MAX_BOOSTS: usize = 24 * 1024;
/// Bytes of a typical listing with evidence, without the texts of its tools and skills.
const TYPICAL_BYTES: u64 = 4096;
/// Approximate bytes of cached cores, those of 10,000 listings: the hits of a question are a dozen of any of them.
const MAX_CORE_BYTES: u64 = 20 * 1024 * 1024;
/// Approximate bytes of a core without its description.
const CORE_BYTES: u64 = size_of::<Listing>() as u64 + 600;

/// Listings of a page, and the place where the next page begins.
pub(super) type ListedPage = (Vec<Listing>, Option<String>);

/// The cached reads of a process; by default, nothing is cached.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadCache(Option<Arc<Caches>>);

#[derive(Debug)]
struct Caches {
    live: Cache<String, Aged<Live>>,
    manifest: Cache<String, Aged<Arc<Manifest>>>,
    writers: Writers,
}

#[derive(Debug)]
enum Writers {
    /// Only this process writes to the table.
    Sole(ItemCaches),
    /// Values age by this clock.
    Many { pages: Cache<String, Aged<Arc<ListedPage>>>, clock: Clock },
}

#[derive(Debug)]
struct ItemCaches {
    listings: Cache<String, Arc<NamedListing>, Size>,
    cores: Cache<String, Arc<Listing>, Size>,
    /// The items of a partition from which boosts are computed.
    boosts: Cache<String, Arc<Vec<Item>>>,
}

/// A value and a time before it was read.
#[derive(Clone, Debug)]
struct Aged<T> {
    since: Moment,
    value: T,
}

impl ReadCache {
    /// A cache whose items last until they are written.
    pub(super) fn until_written() -> Self {
        Self::of(Writers::Sole(ItemCaches {
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
            boosts: Cache::new(MAX_BOOSTS),
        }))
    }

    /// A cache of what nearly every request needs, for seconds of this clock.
    pub(super) fn for_seconds(clock: Clock) -> Self {
        Self::of(Writers::Many { pages: Cache::new(MAX_PAGES), clock })
    }

    fn of(writers: Writers) -> Self {
        Self(Some(Arc::new(Caches { live: Cache::new(1), manifest: Cache::new(1), writers })))
    }

    /// Whether items are cached until they are written.
    pub(super) fn is_until_written(&self) -> bool {
        self.items().is_some()
    }

    /// Whether the counts and the manifest are cached.
    pub(super) const fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    fn items(&self) -> Option<&ItemCaches> {
        match &self.0.as_ref()?.writers {
            Writers::Sole(items) => Some(items),
            Writers::Many { .. } => None,
        }
    }

    /// A cached listing, or the result of `read`. The absence of a listing is not cached.
    pub(super) async fn listing(
        &self,
        id: &ListingId,
        read: impl Future<Output = Result<Option<NamedListing>, StoreError>>,
    ) -> Result<Option<Arc<NamedListing>>, StoreError> {
        let read = async { Ok(read.await?.map(Arc::new)) };
        let Some(items) = self.items() else { return read.await };
        cached(&items.listings, &keys::listing(id), read).await
    }

    /// The cores of listings, in no order; one `read` gets those that are not cached. Ids without a listing are left out.
    pub(super) async fn cores<R>(
        &self,
        ids: &[ListingId],
        read: impl FnOnce(Vec<ListingId>) -> R,
    ) -> Result<Vec<Arc<Listing>>, StoreError>
    where
        R: Future<Output = Result<Vec<Listing>, StoreError>>,
    {
        let Some(items) = self.items() else {
            return Ok(read(ids.to_vec()).await?.into_iter().map(Arc::new).collect());
        };
        let wanted = ids.iter().map(|id| (keys::listing(id).pk, id.clone())).collect();
        let read = async |missing: Vec<(String, ListingId)>| {
            let listings = read(missing.into_iter().map(|(_, id)| id).collect()).await?;
            Ok(listings.into_iter().map(|core| (keys::listing(&core.id).pk, Arc::new(core))).collect())
        };
        many(&items.cores, wanted, read).await
    }

    /// The items with these keys, from which boosts are computed. One `read` gets those of the partitions that are not
    /// cached. A partition must always be read with the same keys.
    pub(super) async fn boosts<R>(
        &self,
        keys: Vec<Key>,
        read: impl FnOnce(Vec<Key>) -> R,
    ) -> Result<Vec<Item>, StoreError>
    where
        R: Future<Output = Result<Vec<Item>, StoreError>>,
    {
        let Some(items) = self.items() else { return read(keys).await };
        let mut wanted: BTreeMap<String, Vec<Key>> = BTreeMap::new();
        for key in keys {
            wanted.entry(key.pk.clone()).or_default().push(key);
        }
        let read = async |missing: Vec<(String, Vec<Key>)>| {
            // A partition without items is cached, too.
            let mut found: BTreeMap<String, Vec<Item>> =
                missing.iter().map(|(partition, _)| (partition.clone(), Vec::new())).collect();
            for item in read(missing.into_iter().flat_map(|(_, keys)| keys).collect()).await? {
                found.entry(text(&item, "pk").to_owned()).or_default().push(item);
            }
            Ok(found.into_iter().map(|(partition, items)| (partition, Arc::new(items))).collect())
        };
        let found = many(&items.boosts, wanted, read).await?;
        Ok(found.iter().flat_map(|items| items.iter().cloned()).collect())
    }

    /// The cached counts, or the result of `read`, which gets the counts that have become too old.
    pub(super) async fn live<R>(&self, read: impl FnOnce(Option<Live>) -> R) -> Result<Live, StoreError>
    where
        R: Future<Output = Result<Live, StoreError>>,
    {
        let Some(caches) = &self.0 else { return read(None).await };
        caches.recent(&caches.live, keys::LIVE, MAX_AGE_MS, read).await
    }

    /// The cached manifest of the search index, which has this key, or the result of `read`, which gets the manifest that
    /// has become too old.
    pub(super) async fn manifest<R>(
        &self,
        key: &Key,
        read: impl FnOnce(Option<Arc<Manifest>>) -> R,
    ) -> Result<Arc<Manifest>, StoreError>
    where
        R: Future<Output = Result<Arc<Manifest>, StoreError>>,
    {
        let Some(caches) = &self.0 else { return read(None).await };
        caches.recent(&caches.manifest, &key.pk, MAX_AGE_MS, read).await
    }

    /// A cached page of a list, or the result of `read`. A sole writer renders a page only once, so it caches none.
    pub(super) async fn page(
        &self,
        page: &str,
        read: impl Future<Output = Result<ListedPage, StoreError>>,
    ) -> Result<ListedPage, StoreError> {
        let Some(caches) = &self.0 else { return read.await };
        let Writers::Many { pages, .. } = &caches.writers else { return read.await };
        let read = |_| async { read.await.map(Arc::new) };
        Ok(caches.recent(pages, page, MAX_PAGE_AGE_MS, read).await?.as_ref().clone())
    }

    /// A guard to keep while partitions are written. Dropping it removes their cached items, whether or not the write
    /// succeeded, and everything read in the meantime.
    pub(super) fn writing(&self, partitions: impl IntoIterator<Item = String>) -> Writing {
        let caches = self.0.clone();
        let partitions = if caches.is_some() { partitions.into_iter().collect() } else { Vec::new() };
        Writing { caches, partitions }
    }
}

/// A write under way; see [`ReadCache::writing`].
#[derive(Debug)]
pub(super) struct Writing {
    caches: Option<Arc<Caches>>,
    partitions: Vec<String>,
}

impl Drop for Writing {
    fn drop(&mut self) {
        let Some(caches) = &self.caches else { return };
        for partition in &self.partitions {
            if let Writers::Sole(items) = &caches.writers {
                items.listings.remove(partition);
                items.cores.remove(partition);
                items.boosts.remove(partition);
            }
            caches.live.remove(partition);
            caches.manifest.remove(partition);
        }
    }
}

impl Caches {
    /// A value that is not too old, or the result of `read`.
    async fn recent<T: Clone, R>(
        &self,
        cache: &Cache<String, Aged<T>>,
        key: &str,
        max_age_ms: i64,
        read: impl FnOnce(Option<T>) -> R,
    ) -> Result<T, StoreError>
    where
        R: Future<Output = Result<T, StoreError>>,
    {
        let now = match &self.writers {
            Writers::Sole(_) => Moment::UNIX_EPOCH,
            Writers::Many { clock, .. } => clock.now(),
        };
        let is_old =
            |cached: &Aged<T>| (now.as_millisecond() - cached.since.as_millisecond()).abs() >= max_age_ms;
        let outdated = cache.remove_if(key, is_old).map(|(_, cached)| cached.value);
        let guard = match cache.get_value_or_guard_async(key).await {
            Ok(cached) => return Ok(cached.value),
            Err(guard) => guard,
        };
        let value = read(outdated).await?;
        let _written_meanwhile = guard.insert(Aged { since: now, value: value.clone() });
        Ok(value)
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

/// The cached values of partitions, in no order; one `read` gets those that are not cached. What it does not find is left out.
/// The partitions are in order: otherwise two readers could wait for each other.
async fn many<K, T: Clone, W: Weighter<String, T> + Clone, R>(
    cache: &Cache<String, T, W>,
    wanted: BTreeMap<String, K>,
    read: impl FnOnce(Vec<(String, K)>) -> R,
) -> Result<Vec<T>, StoreError>
where
    R: Future<Output = Result<Vec<(String, T)>, StoreError>>,
{
    let (mut found, mut guards, mut missing) =
        (Vec::with_capacity(wanted.len()), BTreeMap::new(), Vec::new());
    for (partition, key) in wanted {
        match cache.get_value_or_guard_async(&partition).await {
            Ok(value) => found.push(value),
            Err(guard) => {
                guards.insert(partition.clone(), guard);
                missing.push((partition, key));
            }
        }
    }
    if missing.is_empty() {
        return Ok(found);
    }
    for (partition, value) in read(missing).await? {
        if let Some(guard) = guards.remove(&partition) {
            let _written_meanwhile = guard.insert(value.clone());
        }
        found.push(value);
    }
    Ok(found)
}

async fn cached<T: Clone, W: Weighter<String, T> + Clone>(
    cache: &Cache<String, T, W>,
    key: &Key,
    read: impl Future<Output = Result<Option<T>, StoreError>>,
) -> Result<Option<T>, StoreError> {
    // Concurrent readers of one partition wait for the first. A removal in the meantime invalidates its guard, so that a
    // value read before a write is never cached after it.
    let guard = match cache.get_value_or_guard_async(&key.pk).await {
        Ok(value) => return Ok(Some(value)),
        Err(guard) => guard,
    };
    let found = read.await?;
    if let Some(found) = &found {
        let _written_meanwhile = guard.insert(found.clone());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn live(agents: u32) -> Live {
        Live { agents, ..Live::default() }
    }

    async fn read(cache: &ReadCache, agents: u32) -> Live {
        cache.live(async |_| Ok(live(agents))).await.unwrap()
    }

    #[tokio::test]
    async fn item_is_cached_until_its_next_write() {
        let cache = ReadCache::until_written();
        assert_eq!(read(&cache, 1).await, live(1));
        assert_eq!(read(&cache, 2).await, live(1));
        drop(cache.writing([keys::LIVE.to_owned()]));
        assert_eq!(read(&cache, 3).await, live(3));
    }

    #[tokio::test]
    async fn cache_ignores_items_that_were_read_during_a_write() {
        let cache = ReadCache::until_written();
        let overtaken = async |_| {
            drop(cache.writing([keys::LIVE.to_owned()]));
            Ok(live(1))
        };
        assert_eq!(cache.live(overtaken).await.unwrap(), live(1));
        assert_eq!(read(&cache, 2).await, live(2));
    }

    #[tokio::test]
    async fn a_disabled_cache_reads_the_table_every_time() {
        let disabled = ReadCache::default();
        assert_eq!(read(&disabled, 1).await, live(1));
        assert_eq!(read(&disabled, 2).await, live(2));
    }

    fn for_seconds() -> (ReadCache, Clock) {
        let clock = Clock::manual(Moment::from_second(1_800_000_000).unwrap());
        (ReadCache::for_seconds(clock.clone()), clock)
    }

    #[tokio::test]
    async fn counts_of_many_writers_are_cached_for_a_second() {
        let (cache, clock) = for_seconds();
        assert_eq!(read(&cache, 1).await, live(1));
        clock.advance(Duration::from_millis(999));
        assert_eq!(read(&cache, 2).await, live(1));
        clock.advance(Duration::from_millis(1));
        let mut outdated = None;
        let read_again = async |old| {
            outdated = old;
            Ok(live(3))
        };
        assert_eq!(cache.live(read_again).await.unwrap(), live(3));
        assert_eq!(outdated, Some(live(1)));
        drop(cache.writing([keys::LIVE.to_owned()]));
        assert_eq!(read(&cache, 4).await, live(4), "a process sees its own writes");
    }

    #[tokio::test]
    async fn pages_of_many_writers_are_cached_as_long_as_clients_cache_them() {
        let (cache, clock) = for_seconds();
        let page = async |cache: &ReadCache, next: &str| {
            cache
                .page("ACTIVE#mcp", async { Ok((Vec::new(), Some(next.to_owned()))) })
                .await
                .unwrap()
                .1
                .unwrap()
        };
        assert_eq!(page(&cache, "1").await, "1");
        clock.advance(Duration::from_millis(4_999));
        assert_eq!(page(&cache, "2").await, "1");
        clock.advance(Duration::from_millis(1));
        assert_eq!(page(&cache, "3").await, "3");
        let sole = ReadCache::until_written();
        assert_eq!((page(&sole, "1").await, page(&sole, "2").await), ("1".to_owned(), "2".to_owned()));
    }

    #[tokio::test]
    async fn listings_of_many_writers_are_never_cached() {
        let (cache, _) = for_seconds();
        for _ in 0..2 {
            assert_eq!(cores(&cache, &[id(1)], "it").await.0, [id(1)]);
        }
    }

    fn id(number: usize) -> ListingId {
        format!("mcp-{number}").parse().unwrap()
    }

    /// These listings with a description.
    fn stored(ids: &[ListingId], description: &str) -> Vec<Listing> {
        let core = |id: &ListingId| {
            serde_json::from_value(serde_json::json!({
                "id": id, "name": "A", "description": description, "category": "other", "declared": "unknown",
                "lane": "active", "listed_at": "2026-11-20T12:00:00Z", "due_at": "2026-11-20T12:00:00Z",
            }))
            .unwrap()
        };
        ids.iter().map(core).collect()
    }

    /// The ids that were read from the table, and the descriptions of all.
    async fn cores(cache: &ReadCache, ids: &[ListingId], description: &str) -> (Vec<ListingId>, Vec<String>) {
        let mut read_ids = Vec::new();
        let read = async |missing: Vec<ListingId>| {
            read_ids.clone_from(&missing);
            Ok(stored(&missing, description))
        };
        let mut found = cache.cores(ids, read).await.unwrap();
        found.sort_by_key(|listing| listing.id.clone());
        (read_ids, found.iter().filter_map(|listing| listing.description.clone()).collect())
    }

    #[tokio::test]
    async fn only_listings_that_are_not_cached_are_read() {
        let cache = ReadCache::until_written();
        let (one, two, three) = (id(1), id(2), id(3));
        let first = cores(&cache, &[two.clone(), one.clone(), two.clone()], "old").await;
        assert_eq!(first, (vec![one.clone(), two.clone()], vec!["old".to_owned(); 2]), "each once");
        drop(cache.writing([keys::listing(&one).pk]));
        let (read_ids, descriptions) = cores(&cache, &[three.clone(), two, one.clone()], "new").await;
        assert_eq!(
            (read_ids, descriptions),
            (vec![one, three], vec!["new".into(), "old".into(), "new".into()])
        );
    }

    #[tokio::test]
    async fn cache_ignores_listings_that_were_written_during_the_read() {
        let cache = ReadCache::until_written();
        let overtaken = async |missing: Vec<ListingId>| {
            drop(cache.writing([keys::listing(&id(1)).pk]));
            Ok(stored(&missing, "old"))
        };
        cache.cores(&[id(1), id(2)], overtaken).await.unwrap();
        assert_eq!(cores(&cache, &[id(1), id(2)], "new").await.0, [id(1)]);
    }

    #[tokio::test]
    async fn readers_of_the_same_listings_do_not_deadlock() {
        let cache = ReadCache::until_written();
        let slowly = async |missing: Vec<ListingId>| {
            tokio::task::yield_now().await;
            Ok(stored(&missing, "it"))
        };
        let (there, back) = (vec![id(1), id(2), id(3)], vec![id(3), id(2), id(1)]);
        let both = async { tokio::join!(cache.cores(&there, slowly), cache.cores(&back, slowly)) };
        let both = tokio::time::timeout(std::time::Duration::from_secs(5), both).await;
        let (one, other) = both.expect("neither waits for the other");
        assert_eq!((one.unwrap().len(), other.unwrap().len()), (3, 3));
    }
}
