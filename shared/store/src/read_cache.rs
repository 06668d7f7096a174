//! The cache of what is read from the table. An entry lasts until this process writes its partition. Where other processes write,
//! too, it also has a greatest age: only what nearly every request needs is cached then, and only for seconds, because all
//! requests together would exceed the throughput of one partition key.

use std::collections::BTreeMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::records::counters::Live;
use crate::records::listings::{ListedPage, NamedListing};
use crate::records::search_index::Manifest;
use crate::table::attributes::{Item, text};
use crate::table::error::Result;
use crate::table::key::Key;
use registry_model::{Clock, Listing, Moment};

/// Cached pages. A page has at most 100 listings.
const MAX_PAGES: usize = 64;
/// Approximate bytes of cached listings with their evidence.
const MAX_BYTES: u64 = 14 * 1024 * 1024;
/// Cached partitions of boosts: two of each of 12,000 listings. One has about 700 bytes, and most are empty.
const MAX_BOOSTS: usize = 24 * 1024;
/// Bytes of a typical listing with evidence, without the texts of its tools and skills.
const TYPICAL_BYTES: u64 = 4096;
/// Approximate bytes of cached cores, those of 10,000 listings: the hits of a question are a dozen of any of them.
const MAX_CORE_BYTES: u64 = 20 * 1024 * 1024;
/// Approximate bytes of a core without its description.
const CORE_BYTES: u64 = size_of::<Listing>() as u64 + 600;

/// The ages in milliseconds at which entries end that this process did not write; what may have no age is not cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ages {
    /// The counts, and the manifest of the search index.
    counts: i64,
    /// Pages of the lists.
    pages: i64,
    /// Listings, and what their boosts are computed from.
    listings: i64,
}

impl Ages {
    /// Nothing is cached.
    pub(crate) const NONE: Self = Self { counts: 0, pages: 0, listings: 0 };
    /// Other processes write, too. Pages are cached as long as clients cache them. Listings are not: an owner who
    /// changes one through another process reads it next.
    pub(crate) const AMONG_MANY: Self = Self { counts: 1_000, pages: 5_000, listings: 0 };
    /// Only this process writes. Rendered pages are cached by their version then, so none is read twice.
    pub(crate) const SOLE: Self = Self { counts: i64::MAX, pages: 0, listings: i64::MAX };
}

/// The cached reads of a process. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct ReadCache(Arc<Caches>);

#[derive(Debug)]
struct Caches {
    clock: Clock,
    ages: Ages,
    live: Cache<String, Aged<Live>>,
    manifest: Cache<String, Aged<Arc<Manifest>>>,
    pages: Cache<String, Aged<Arc<ListedPage>>>,
    listings: Cache<String, Aged<Arc<NamedListing>>, Size>,
    cores: Cache<String, Aged<Arc<Listing>>, Size>,
    /// The items of a partition from which boosts are computed.
    boosts: Cache<String, Aged<Arc<Vec<Item>>>>,
}

/// A value and a time before it was read.
#[derive(Clone, Debug)]
struct Aged<T> {
    since: Moment,
    value: T,
}

impl ReadCache {
    pub(crate) fn new(ages: Ages, clock: Clock) -> Self {
        let (bytes, core_bytes, boosts) =
            if ages.listings > 0 { (MAX_BYTES, MAX_CORE_BYTES, MAX_BOOSTS) } else { (0, 0, 0) };
        let number = |bytes: u64, typical: u64| usize::try_from(bytes / typical).unwrap_or(1);
        Self(Arc::new(Caches {
            clock,
            ages,
            live: Cache::new(1),
            manifest: Cache::new(1),
            pages: Cache::new(if ages.pages > 0 { MAX_PAGES } else { 0 }),
            listings: Cache::with_weighter(number(bytes, TYPICAL_BYTES), bytes, Size),
            cores: Cache::with_weighter(number(core_bytes, CORE_BYTES), core_bytes, Size),
            boosts: Cache::new(boosts),
        }))
    }

    /// Whether only this process writes to the table.
    pub(crate) fn is_of_sole_writer(&self) -> bool {
        self.0.ages == Ages::SOLE
    }

    /// The cached listing of a partition, or the result of `read`. The absence of a listing is not cached.
    pub(crate) async fn listing(
        &self,
        partition: String,
        read: impl Future<Output = Result<Option<NamedListing>>>,
    ) -> Result<Option<Arc<NamedListing>>> {
        let read = async |missing: Vec<(String, ())>| {
            let partitions = missing.into_iter().map(|(partition, ())| partition);
            Ok(partitions.zip(read.await?.map(Arc::new)).collect())
        };
        Ok(self.0.many(&self.0.listings, BTreeMap::from([(partition, ())]), read).await?.pop())
    }

    /// The cores of the listings with these keys, in no order; one `read` gets the items of those that are not cached. Keys
    /// without an item are left out.
    pub(crate) async fn cores<R>(
        &self,
        keys: Vec<Key>,
        read: impl FnOnce(Vec<Key>) -> R,
    ) -> Result<Vec<Arc<Listing>>>
    where
        R: Future<Output = Result<Vec<Item>>>,
    {
        let wanted = keys.into_iter().map(|key| (key.pk.clone(), key)).collect();
        let core = |item: Item| Ok((text(&item, "pk").to_owned(), Arc::new(serde_dynamo::from_item(item)?)));
        let read = async |missing: Vec<(String, Key)>| {
            let items = read(missing.into_iter().map(|(_, key)| key).collect()).await?;
            items.into_iter().map(core).collect()
        };
        self.0.many(&self.0.cores, wanted, read).await
    }

    /// The items with these keys, from which boosts are computed. One `read` gets those of the partitions that are not
    /// cached. A partition must always be read with the same keys.
    pub(crate) async fn boosts<R>(
        &self,
        keys: Vec<Key>,
        read: impl FnOnce(Vec<Key>) -> R,
    ) -> Result<Vec<Item>>
    where
        R: Future<Output = Result<Vec<Item>>>,
    {
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
        let found = self.0.many(&self.0.boosts, wanted, read).await?;
        Ok(found.iter().flat_map(|items| items.iter().cloned()).collect())
    }

    /// The cached counts of a partition, or the result of `read`, which gets the counts that have become too old.
    pub(crate) async fn live<R>(&self, partition: &str, read: impl FnOnce(Option<Live>) -> R) -> Result<Live>
    where
        R: Future<Output = Result<Live>>,
    {
        self.0.one(&self.0.live, self.0.ages.counts, partition, read).await
    }

    /// The cached manifest of the search index, which is in this partition, or the result of `read`, which gets the manifest
    /// that has become too old.
    pub(crate) async fn manifest<R>(
        &self,
        partition: &str,
        read: impl FnOnce(Option<Arc<Manifest>>) -> R,
    ) -> Result<Arc<Manifest>>
    where
        R: Future<Output = Result<Arc<Manifest>>>,
    {
        self.0.one(&self.0.manifest, self.0.ages.counts, partition, read).await
    }

    /// A cached page of a list, or the result of `read`. A write of a listing does not end it, only its age.
    pub(crate) async fn page(
        &self,
        page: &str,
        read: impl Future<Output = Result<ListedPage>>,
    ) -> Result<ListedPage> {
        let read = |_| async { read.await.map(Arc::new) };
        Ok(Arc::unwrap_or_clone(self.0.one(&self.0.pages, self.0.ages.pages, page, read).await?))
    }

    /// A guard to keep while partitions are written. Dropping it removes their cached items, whether or not the write
    /// succeeded, and everything read in the meantime.
    pub(crate) fn writing(&self, partitions: Vec<String>) -> Writing {
        Writing { caches: Arc::clone(&self.0), partitions }
    }
}

/// A write under way; see [`ReadCache::writing`].
#[derive(Debug)]
pub(crate) struct Writing {
    caches: Arc<Caches>,
    partitions: Vec<String>,
}

impl Drop for Writing {
    fn drop(&mut self) {
        for partition in &self.partitions {
            self.caches.listings.remove(partition);
            self.caches.cores.remove(partition);
            self.caches.boosts.remove(partition);
            self.caches.live.remove(partition);
            self.caches.manifest.remove(partition);
        }
    }
}

impl Caches {
    /// A value that is younger than `max_age`, or the result of `read`.
    async fn one<T: Clone, R>(
        &self,
        cache: &Cache<String, Aged<T>>,
        max_age: i64,
        key: &str,
        read: impl FnOnce(Option<T>) -> R,
    ) -> Result<T>
    where
        R: Future<Output = Result<T>>,
    {
        if max_age == 0 {
            return read(None).await;
        }
        let since = self.clock.now();
        let outdated = cache.remove_if(key, |cached| cached.is_older(max_age, since));
        let guard = match cache.get_value_or_guard_async(key).await {
            Ok(cached) => return Ok(cached.value),
            Err(guard) => guard,
        };
        let value = read(outdated.map(|(_, cached)| cached.value)).await?;
        let _written_meanwhile = guard.insert(Aged { since, value: value.clone() });
        Ok(value)
    }

    /// The values of partitions, in no order; one `read` gets those that are not cached. What it does not find is left
    /// out. The partitions are in order: otherwise two readers could wait for each other.
    async fn many<K, T: Clone, W: Weighter<String, Aged<T>> + Clone, R>(
        &self,
        cache: &Cache<String, Aged<T>, W>,
        wanted: BTreeMap<String, K>,
        read: impl FnOnce(Vec<(String, K)>) -> R,
    ) -> Result<Vec<T>>
    where
        R: Future<Output = Result<Vec<(String, T)>>>,
    {
        if self.ages.listings == 0 {
            let found = read(wanted.into_iter().collect()).await?;
            return Ok(found.into_iter().map(|(_, value)| value).collect());
        }
        let since = self.clock.now();
        let (mut found, mut guards, mut missing) =
            (Vec::with_capacity(wanted.len()), BTreeMap::new(), Vec::new());
        for (partition, key) in wanted {
            cache.remove_if(&partition, |cached| cached.is_older(self.ages.listings, since));
            // Concurrent readers of a partition wait for the first. A removal in the meantime invalidates its guard, so
            // that a value read before a write is never cached after it.
            match cache.get_value_or_guard_async(&partition).await {
                Ok(cached) => found.push(cached.value),
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
                let _written_meanwhile = guard.insert(Aged { since, value: value.clone() });
            }
            found.push(value);
        }
        Ok(found)
    }
}

impl<T> Aged<T> {
    /// Whether it has this age, by a clock that may go backwards.
    fn is_older(&self, max_age: i64, now: Moment) -> bool {
        (now.as_millisecond() - self.since.as_millisecond()).abs() >= max_age
    }
}

#[derive(Clone, Debug)]
struct Size;

impl Weighter<String, Aged<Arc<Listing>>> for Size {
    fn weight(&self, _: &String, listing: &Aged<Arc<Listing>>) -> u64 {
        CORE_BYTES + listing.value.texts.description.as_ref().map_or(0, |text| text.len() as u64)
    }
}

impl Weighter<String, Aged<Arc<NamedListing>>> for Size {
    fn weight(&self, _: &String, named: &Aged<Arc<NamedListing>>) -> u64 {
        let facts = named.value.1.as_ref().map(|evidence| &evidence.verdict.facts);
        let tools = facts.into_iter().flat_map(|facts| &facts.tools);
        let skills = facts.into_iter().flat_map(|facts| &facts.skills);
        let texts = tools.map(|tool| &tool.description).chain(skills.map(|skill| &skill.description));
        TYPICAL_BYTES + texts.map(|text| 100 + text.len() as u64).sum::<u64>()
    }
}

#[cfg(test)]
mod tests;
