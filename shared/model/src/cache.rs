//! Types for caches: HTTP validators (`ETag`, RFC 9110 §13), values that stay valid for some time, and rendered pages.
//! A page is cached together with the validator of its data. So no page is older than its validator says.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::value::RawValue;

/// Bytes in one cache of rendered pages.
const MAX_BYTES: u64 = 3 * 1024 * 1024;
/// A larger page is not cached: it would take the place of too many others.
const MAX_PAGE_BYTES: usize = 768 * 1024;
/// A typical page, in bytes.
const TYPICAL_BYTES: u64 = 32 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CacheValidator(String);

impl CacheValidator {
    /// The validator of a body. Weak, since the same body is sent compressed to some callers.
    pub fn of_body(body: &[u8]) -> Self {
        Self(format!("W/\"{}\"", digest(body)))
    }

    /// The validator of data that a body is rendered from.
    pub fn weak(of: &str) -> Self {
        Self(format!("W/\"{}\"", digest(of.as_bytes())))
    }

    /// Whether a list of entity tags, such as a value of `If-None-Match`, contains this version.
    pub fn is_in(&self, tags: &str) -> bool {
        let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        tags.split(',').any(|tag| tag.trim() == "*" || bare(tag) == bare(&self.0))
    }

    /// The value of the `ETag` header.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn digest(bytes: &[u8]) -> String {
    crate::sha256_hex(bytes)[..24].to_owned()
}

/// One value that is read again after some time.
#[derive(Debug)]
pub struct CachedValue<T>(Mutex<Option<Dated<T>>>);

/// The time in milliseconds, and the value.
type Dated<T> = (i64, Arc<T>);

impl<T> Default for CachedValue<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> CachedValue<T> {
    /// The value if it is younger than `ms` milliseconds.
    pub fn get(&self, now: i64, ms: i64) -> Option<Arc<T>> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached.as_ref().filter(|(at, _)| (0..ms).contains(&(now - at))).map(|(_, value)| Arc::clone(value))
    }

    pub fn put(&self, now: i64, value: T) -> Arc<T> {
        let value = Arc::new(value);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, Arc::clone(&value)));
        value
    }

    pub fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

pub trait RenderedBytes: Clone {
    fn bytes(&self) -> usize;
}

impl RenderedBytes for Bytes {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl RenderedBytes for Arc<RawValue> {
    fn bytes(&self) -> usize {
        self.get().len()
    }
}

impl RenderedBytes for TaggedPage {
    fn bytes(&self) -> usize {
        self.body.len()
    }
}

/// Content that this process rendered. Clients control the number of different queries, so the total of bytes is
/// bounded; entries that are used once are evicted first.
#[derive(Clone, Debug)]
pub struct RenderCache<T>(Arc<Cache<String, (CacheValidator, T), Size>>);

impl<T: RenderedBytes> Default for RenderCache<T> {
    fn default() -> Self {
        let pages = usize::try_from(MAX_BYTES / TYPICAL_BYTES).unwrap_or(1);
        Self(Arc::new(Cache::with_weighter(pages, MAX_BYTES, Size)))
    }
}

impl<T: RenderedBytes> RenderCache<T> {
    /// The content of that name if it was rendered from this version.
    pub fn get(&self, name: &str, made_from: &CacheValidator) -> Option<T> {
        self.0.get(name).filter(|(from, _)| from == made_from).map(|(_, page)| page)
    }

    pub fn put(&self, name: String, made_from: CacheValidator, page: T) {
        if page.bytes() <= MAX_PAGE_BYTES {
            self.0.insert(name, (made_from, page));
        }
    }
}

#[derive(Clone, Debug)]
struct Size;

impl<T: RenderedBytes> Weighter<String, (CacheValidator, T)> for Size {
    fn weight(&self, name: &String, (_, page): &(CacheValidator, T)) -> u64 {
        200 + name.len() as u64 + page.bytes() as u64
    }
}

/// A rendered page and the validator of its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct TaggedPage {
    pub body: Bytes,
    pub tag: CacheValidator,
}

impl TaggedPage {
    /// A page with the validator of its bytes.
    pub fn of_body(body: Bytes) -> Self {
        Self { tag: CacheValidator::of_body(&body), body }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_size_of_cached_pages_is_bounded() {
        let (pages, version) = (RenderCache::default(), CacheValidator::weak("1"));
        let page = TaggedPage::of_body(Bytes::from(vec![b'x'; 100_000]));
        for number in 0..1000 {
            pages.put(number.to_string(), version.clone(), page.clone());
        }
        let cached = (0..1000).filter(|number| pages.get(&number.to_string(), &version).is_some()).count();
        assert!(cached > 10 && cached as u64 * 100_000 <= MAX_BYTES, "{cached}");
        pages.put("a".to_owned(), version, page);
        assert!(pages.get("a", &CacheValidator::weak("2")).is_none());
    }
}
