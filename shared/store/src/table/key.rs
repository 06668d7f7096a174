//! Keys, and the patterns of the keys of one kind of items. Each record declares its pattern next to its type, and a test in
//! `records.rs` checks that no two have the same one. A time in a key has thirteen digits of milliseconds, so that the keys
//! sort by time.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::attributes::{Item, blob, s, text, to_blob, ttl};
use super::error::{Result, StoreError};
use registry_model::{ListingId, Moment, sha256_hex};

/// Items over which each shared counter is spread, against write conflicts.
pub(crate) const SHARDS: u64 = 8;

/// A caller's text up to this many bytes is part of a key as it is. DynamoDB allows 2,048 bytes in a partition key and
/// 1,024 in a sort key.
const MAX_TEXT_BYTES: usize = 600;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) pk: String,
    pub(crate) sk: String,
}

impl Key {
    pub(crate) fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self { pk: pk.into(), sk: sk.into() }
    }

    pub(crate) fn of(item: &Item) -> Self {
        Self::new(text(item, "pk"), text(item, "sk"))
    }

    pub(crate) fn item(&self) -> Item {
        Item::from([("pk".to_owned(), s(&self.pk)), ("sk".to_owned(), s(&self.sk))])
    }

    pub(crate) fn with<'a>(&self, attributes: impl IntoIterator<Item = (&'a str, AttributeValue)>) -> Item {
        let mut item = self.item();
        item.extend(attributes.into_iter().map(|(name, value)| (name.to_owned(), value)));
        item
    }

    /// The item whose attributes are the fields of `value`, in addition to the key.
    pub(crate) fn with_fields(&self, value: &impl Serialize) -> Result<Item> {
        let mut item: Item = serde_dynamo::to_item(value)?;
        item.extend(self.item());
        Ok(item)
    }
}

/// The pattern of the keys of one kind of items. In their partition key an id follows the prefix, unless all of them share a partition.
/// In their sort key something follows `sort` if a partition has several of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyPattern {
    pub(crate) prefix: &'static str,
    pub(crate) sort: &'static str,
}

impl KeyPattern {
    pub(crate) const fn new(prefix: &'static str, sort: &'static str) -> Self {
        Self { prefix, sort }
    }

    /// The key of the only item.
    pub(crate) fn key(&self) -> Key {
        Key::new(self.prefix, self.sort)
    }

    /// The key of the item for an id, which may be a text of a caller.
    pub(crate) fn of(&self, id: impl fmt::Display) -> Key {
        Key::new(self.partition(id), self.sort)
    }

    pub(crate) fn all<I: fmt::Display>(&self, ids: impl IntoIterator<Item = I>) -> Vec<Key> {
        ids.into_iter().map(|id| self.of(id)).collect()
    }

    /// The key of one of several items for an id.
    pub(crate) fn one_of(&self, id: impl fmt::Display, rest: impl fmt::Display) -> Key {
        Key::new(self.partition(id), format!("{}{rest}", self.sort))
    }

    /// The key of one of several items in the only partition.
    pub(crate) fn one(&self, rest: impl fmt::Display) -> Key {
        self.one_of("", rest)
    }

    /// The key of an item in the only partition, by time; see [`at`].
    pub(crate) fn at(&self, time: Moment, mark: &str) -> Key {
        self.one(at(time, mark))
    }

    pub(crate) fn partition(&self, id: impl fmt::Display) -> String {
        format!("{}{}", self.prefix, bounded(&id.to_string()))
    }

    pub(crate) fn matches(&self, item: &Item) -> bool {
        text(item, "sk") == self.sort
    }

    /// The items with this pattern, and the other ones.
    pub(crate) fn split(&self, items: Vec<Item>) -> (Vec<Item>, Vec<Item>) {
        items.into_iter().partition(|item| self.matches(item))
    }

    /// The listing whose id follows the prefix in the partition of an item.
    pub(crate) fn listing_of(&self, item: &Item) -> Option<ListingId> {
        text(item, "pk").strip_prefix(self.prefix)?.parse().ok()
    }

    /// The same of a kind of items that all belong to a listing.
    pub(crate) fn owner_of(&self, item: &Item) -> Result<ListingId> {
        let unreadable =
            || StoreError::fault(format!("the key of an item cannot be read: {:?}", Key::of(item)));
        self.listing_of(item).ok_or_else(unreadable)
    }
}

/// A kind of item with a value: the pattern of its keys, the attribute that contains the value as JSON, and for how long it is stored.
#[derive(Debug)]
pub(crate) struct Record<T> {
    pattern: KeyPattern,
    pub(crate) attribute: &'static str,
    /// In seconds; 0 if it does not expire.
    lifetime: i64,
    value: PhantomData<fn() -> T>,
}

impl<T> Record<T> {
    pub(crate) const fn new(prefix: &'static str, sort: &'static str, attribute: &'static str) -> Self {
        Self { pattern: KeyPattern::new(prefix, sort), attribute, lifetime: 0, value: PhantomData }
    }

    pub(crate) const fn stored_for(self, seconds: i64) -> Self {
        Self { lifetime: seconds, ..self }
    }

    /// When an item of a record with a lifetime expires; it begins at `since`.
    pub(crate) fn ttl(&self, since: Moment) -> (&'static str, AttributeValue) {
        debug_assert!(self.lifetime > 0, "{} does not expire", self.attribute);
        ttl(since, self.lifetime)
    }
}

impl<T> Deref for Record<T> {
    type Target = KeyPattern;

    fn deref(&self) -> &KeyPattern {
        &self.pattern
    }
}

impl<T: Serialize> Record<T> {
    pub(crate) fn value(&self, value: &T) -> Result<(&'static str, AttributeValue)> {
        Ok((self.attribute, to_blob(value)?))
    }

    pub(crate) fn item(&self, key: &Key, value: &T) -> Result<Item> {
        Ok(key.with([self.value(value)?]))
    }

    /// The item of a value that expires; its lifetime begins at `since`.
    pub(crate) fn expiring_item(&self, key: &Key, value: &T, since: Moment) -> Result<Item> {
        Ok(key.with([self.value(value)?, self.ttl(since)]))
    }
}

impl<T: DeserializeOwned> Record<T> {
    pub(crate) fn read(&self, item: &Item) -> Result<T> {
        blob(item, self.attribute)
    }

    /// A value with the listing to which it belongs.
    pub(crate) fn read_with_owner(&self, item: &Item) -> Result<(ListingId, T)> {
        Ok((self.owner_of(item)?, self.read(item)?))
    }

    pub(crate) fn read_all(&self, items: &[Item]) -> Result<Vec<T>> {
        items.iter().map(|item| self.read(item)).collect()
    }
}

/// A caller's text as a part of a key: itself, or its digest where it is too long.
pub(crate) fn bounded(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT_BYTES { text.into() } else { sha256_hex(text).into() }
}

/// So many seconds before a time. Items that have expired are deleted with a delay, so queries begin there.
pub(crate) fn before(now: Moment, seconds: i64) -> Moment {
    Moment::from_second(now.as_second() - seconds).unwrap_or(Moment::UNIX_EPOCH)
}

/// A sort key by time, then by `mark`, which distinguishes two of the same millisecond.
pub(crate) fn at(time: Moment, mark: &str) -> String {
    format!("{}#{mark}", millis(time))
}

/// Sorts after every [`at`] of this time.
pub(crate) fn after_all_at(time: Moment) -> String {
    at(time, "~")
}

pub(crate) fn millis(time: Moment) -> String {
    format!("{:013}", time.as_millisecond())
}

pub(crate) fn time_of(sort_key: &str) -> Option<Moment> {
    Moment::from_millisecond(sort_key.split('#').next()?.parse().ok()?)
}

/// The counter that counts the changes of a listing.
pub(crate) fn shard(id: &ListingId) -> String {
    let sum: u64 = Sha256::digest(id.as_str()).iter().take(2).map(|b| u64::from(*b)).sum();
    format!("{:02}", sum % SHARDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_time() {
        let early: Moment = "2026-11-20T09:59:59.999Z".parse().unwrap();
        let late: Moment = "2026-11-20T10:00:00Z".parse().unwrap();
        assert!(at(early, "z") < at(late, "a"));
    }
}
