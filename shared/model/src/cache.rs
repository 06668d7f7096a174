//! Answers that need not be made, or sent, again: validators (RFC 9110 §13) and a small memory of rendered pages.
//! A page is remembered under the version of the table that it shows, so that it can never be stale by more
//! than what its validator says.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, header};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// Bytes of what one such memory holds.
const MAX_BYTES: u64 = 3 * 1024 * 1024;
/// Bytes of a typical page.
const TYPICAL_BYTES: u64 = 32 * 1024;

/// What an answer was made from, as an entity tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CacheValidator(String);

impl CacheValidator {
    /// The validator of a body that is made anyway. Weak, since the same body is sent compressed to one caller and as it
    /// is to another.
    #[must_use]
    pub fn of_body(body: &[u8]) -> Self {
        Self(format!("W/\"{}\"", digest(body)))
    }

    /// The validator of what is made from something: equal ones mean the same content.
    #[must_use]
    pub fn weak(of: &str) -> Self {
        Self(format!("W/\"{}\"", digest(of.as_bytes())))
    }

    /// Whether the caller already has what this stands for.
    #[must_use]
    pub fn is_held_by(&self, headers: &HeaderMap) -> bool {
        let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let held = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        held.flat_map(|list| list.split(',')).any(|tag| tag.trim() == "*" || bare(tag) == bare(&self.0))
    }

    /// The entity tag as a header says it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(12).map(|b| format!("{b:02x}")).collect()
}

/// One value that is good for a while, and then read anew.
#[derive(Debug)]
pub struct Kept<T>(Arc<Mutex<Option<Dated<T>>>>);

/// A value and when it was put there, in milliseconds.
type Dated<T> = (i64, Arc<T>);

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Kept<T> {
    /// The value, where it was put there less than `ms` milliseconds before `now`.
    #[must_use]
    pub fn get(&self, now: i64, ms: i64) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(at, _)| (0..ms).contains(&(now - at))).map(|(_, value)| Arc::clone(value))
    }

    /// Puts a value there.
    pub fn put(&self, now: i64, value: T) -> Arc<T> {
        let value = Arc::new(value);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, Arc::clone(&value)));
        value
    }

    /// Takes it away.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Something that was rendered, in whatever form it is sent on.
pub trait RenderedBytes: Clone {
    /// How many bytes it holds.
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

/// What was rendered in this process. There is as much as clients think of questions, so it is limited by its bytes, and
/// what is asked for once makes room for what is asked for again.
#[derive(Clone, Debug)]
pub struct RenderCache<T>(Arc<Cache<String, (CacheValidator, T), Size>>);

impl<T: RenderedBytes> Default for RenderCache<T> {
    fn default() -> Self {
        let pages = usize::try_from(MAX_BYTES / TYPICAL_BYTES).unwrap_or(1);
        Self(Arc::new(Cache::with_weighter(pages, MAX_BYTES, Size)))
    }
}

impl<T: RenderedBytes> RenderCache<T> {
    /// What is called `name`, if it was made from what `made_from` stands for.
    #[must_use]
    pub fn get(&self, name: &str, made_from: &CacheValidator) -> Option<T> {
        self.0.get(name).filter(|(from, _)| from == made_from).map(|(_, page)| page)
    }

    /// Remembers it, in the place of its older self.
    pub fn put(&self, name: String, made_from: CacheValidator, page: T) {
        self.0.insert(name, (made_from, page));
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
    /// The page.
    pub body: Bytes,
    /// Its validator.
    pub tag: CacheValidator,
}

impl TaggedPage {
    /// A page whose validator is that of its bytes, so that it holds for as long as they stay the same, whatever they
    /// were made from.
    #[must_use]
    pub fn of_body(body: Bytes) -> Self {
        Self { tag: CacheValidator::of_body(&body), body }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_page_is_not_sent_again() {
        let validator = CacheValidator::weak("v1");
        let mut headers = HeaderMap::new();
        assert!(!validator.is_held_by(&headers));
        headers.insert(header::IF_NONE_MATCH, validator.as_str().parse().unwrap());
        assert!(validator.is_held_by(&headers));
        assert!(!CacheValidator::weak("v2").is_held_by(&headers));
    }

    #[test]
    fn a_page_of_another_version_is_not_served() {
        let pages = RenderCache::default();
        pages.put("active".to_owned(), CacheValidator::weak("1"), Bytes::from("old"));
        assert!(pages.get("active", &CacheValidator::weak("2")).is_none());
        assert!(pages.get("active", &CacheValidator::weak("1")).is_some());
    }

    #[test]
    fn pages_are_limited_by_their_bytes() {
        let (pages, version) = (RenderCache::default(), CacheValidator::weak("1"));
        let page = TaggedPage::of_body(Bytes::from(vec![b'x'; 100_000]));
        for number in 0..1000 {
            pages.put(number.to_string(), version.clone(), page.clone());
        }
        let held = (0..1000).filter(|number| pages.get(&number.to_string(), &version).is_some()).count();
        assert!(held > 10 && held as u64 * 100_000 <= MAX_BYTES, "{held}");
        pages.put("a".to_owned(), version, page);
        assert!(pages.get("a", &CacheValidator::weak("2")).is_none());
    }
}
