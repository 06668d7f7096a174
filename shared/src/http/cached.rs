//! Answers that need not be made, or sent, again: validators (RFC 9110 §13) and a small memory of rendered pages.
//! A page is remembered under the version of the table that it shows, so that it can never be stale by more
//! than what its validator says.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};

/// At most so many pages are remembered by one process.
const PAGES: usize = 16;

/// What an answer was made from, as an entity tag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Validator(String);

impl Validator {
    /// A weak validator: equal ones mean the same content, though perhaps not the same bytes.
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

    /// An answer with this validator; 304 without a body where the caller has it already.
    #[must_use]
    pub fn answer(
        &self,
        headers: &HeaderMap,
        max_age_s: u32,
        kind: &'static str,
        body: impl FnOnce() -> Bytes,
    ) -> Response {
        let mut response = if self.is_held_by(headers) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            ([(header::CONTENT_TYPE, kind)], body()).into_response()
        };
        let caching = format!("public, max-age={max_age_s}");
        for (name, value) in [(header::ETAG, &self.0), (header::CACHE_CONTROL, &caching)] {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

/// The validator of a body that is made anyway.
#[must_use]
pub fn etag_of(body: &[u8]) -> Validator {
    Validator(format!("\"{}\"", digest(body)))
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(12).map(|b| format!("{b:02x}")).collect()
}

/// Rendered pages of this process.
pub type PageCache = Remembered<Bytes>;

/// Things rendered in this process, in whatever form a door sends them on.
#[derive(Clone)]
pub struct Remembered<T>(Arc<Mutex<HashMap<String, (Validator, T)>>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> fmt::Debug for Remembered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remembered")
    }
}

impl<T: Clone> Remembered<T> {
    /// The page called `name`, if it was made from what `validator` stands for.
    #[must_use]
    pub fn get(&self, name: &str, validator: &Validator) -> Option<T> {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.get(name).filter(|(made_from, _)| made_from == validator).map(|(_, page)| page.clone())
    }

    /// Remembers a page, in the place of its older self; a full memory is emptied first.
    pub fn put(&self, name: &str, validator: Validator, page: T) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= PAGES && !pages.contains_key(name) {
            pages.clear();
        }
        pages.insert(name.to_owned(), (validator, page));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_page_is_not_sent_again() {
        let validator = Validator::weak("v1");
        let mut headers = HeaderMap::new();
        let answer = |headers: &HeaderMap| validator.answer(headers, 5, "text/plain", || Bytes::from("x"));
        assert_eq!(answer(&headers).status(), StatusCode::OK);
        let tag = answer(&headers).headers()[header::ETAG].clone();
        headers.insert(header::IF_NONE_MATCH, tag);
        assert_eq!(answer(&headers).status(), StatusCode::NOT_MODIFIED);
        assert!(!Validator::weak("v2").is_held_by(&headers));
    }

    #[test]
    fn a_page_of_another_version_is_not_served() {
        let pages = PageCache::default();
        pages.put("active", Validator::weak("1"), Bytes::from("old"));
        assert!(pages.get("active", &Validator::weak("2")).is_none());
        assert!(pages.get("active", &Validator::weak("1")).is_some());
    }
}
