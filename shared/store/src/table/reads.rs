//! Reads single items, ranges of a partition, and many items by their keys.
//!
//! One request for many items returns at most 16 MB, or less if the table throttles. It reports the other keys as
//! unprocessed, and this module requests them again. Every batch read uses this module, so that no caller takes a partial
//! answer for a complete one.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, Select};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::de::DeserializeOwned;

use super::Store;
use super::attributes::{Item, s, text};
use super::definition::{Index, KEY};
use super::error::{Result, StoreError};
use super::key::{Key, KeyPattern, Record};
use registry_model::Random;

/// A range of the sort keys of a partition.
#[derive(Clone, Debug, Default)]
pub(crate) enum Range {
    #[default]
    All,
    From(String),
    UpTo(String),
    Before(String),
    Between(String, String),
    Prefix(String),
}

/// A query of one partition, of the table or of an index. By default it reads everything in ascending order and is
/// eventually consistent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    partition: String,
    index: Option<Index>,
    range: Range,
    start: Option<Item>,
    limit: Option<i32>,
    is_descending: bool,
    is_strong: bool,
    with_keys_only: bool,
}

impl Query {
    pub(crate) fn of(partition: impl Into<String>) -> Self {
        Self { partition: partition.into(), ..Self::default() }
    }

    pub(crate) fn index(self, index: Index) -> Self {
        Self { index: Some(index), ..self }
    }

    pub(crate) fn range(self, range: Range) -> Self {
        Self { range, ..self }
    }

    /// Continues after this key, which [`Page::next`] gave.
    pub(crate) fn after(self, start: Option<Item>) -> Self {
        Self { start, ..self }
    }

    /// Continues after the item of the partition that has this sort key.
    pub(crate) fn after_key(self, sk: Option<&str>) -> Self {
        let start = sk.map(|sk| Key::new(&*self.partition, sk).item());
        Self { start, ..self }
    }

    pub(crate) fn limit(self, limit: impl TryInto<i32>) -> Self {
        Self { limit: Some(limit.try_into().unwrap_or(i32::MAX)), ..self }
    }

    pub(crate) fn descending(self) -> Self {
        Self { is_descending: true, ..self }
    }

    /// Sees every earlier write; not possible on an index.
    pub(crate) fn strong(self) -> Self {
        Self { is_strong: true, ..self }
    }

    pub(crate) fn keys_only(self) -> Self {
        Self { with_keys_only: true, ..self }
    }

    /// Callers send the place where a page begins, and it can be older than what is still stored. DynamoDB refuses a place
    /// before the range. When reading down, nothing is left there (`None`); when reading up, the range begins later.
    fn in_range(mut self) -> Option<Self> {
        let [_, sk] = self.index.map_or(KEY, |index| index.key);
        if let (Range::From(first), Some(start)) = (&self.range, &self.start)
            && text(start, sk) < first.as_str()
        {
            if self.is_descending {
                return None;
            }
            self.start = None;
        }
        Some(self)
    }

    fn build(self, store: &Store) -> QueryFluentBuilder {
        let [pk, sk] = self.index.map_or(KEY, |index| index.key);
        let (condition, bounds) = match self.range {
            Range::All => (String::new(), Vec::new()),
            Range::From(first) => (format!(" AND {sk} >= :a"), vec![(":a", first)]),
            Range::UpTo(last) => (format!(" AND {sk} <= :a"), vec![(":a", last)]),
            Range::Before(end) => (format!(" AND {sk} < :a"), vec![(":a", end)]),
            Range::Between(first, last) => {
                (format!(" AND {sk} BETWEEN :a AND :b"), vec![(":a", first), (":b", last)])
            }
            Range::Prefix(prefix) => (format!(" AND begins_with({sk}, :a)"), vec![(":a", prefix)]),
        };
        let values = std::iter::once((":pk", self.partition)).chain(bounds);
        let values: HashMap<String, AttributeValue> =
            values.map(|(mark, text)| (mark.to_owned(), s(text))).collect();
        store
            .client
            .query()
            .table_name(&*store.table)
            .set_index_name(self.index.map(|index| index.name.to_owned()))
            .key_condition_expression(format!("{pk} = :pk{condition}"))
            .set_expression_attribute_values(Some(values))
            .set_exclusive_start_key(self.start)
            .set_limit(self.limit)
            .scan_index_forward(!self.is_descending)
            .consistent_read(self.is_strong)
            .set_projection_expression(self.with_keys_only.then(|| KEY.join(", ")))
    }
}

impl KeyPattern {
    /// The items in the only partition.
    pub(crate) fn query(&self) -> Query {
        Query::of(self.prefix)
    }

    /// The items in the partition of an id.
    pub(crate) fn query_of(&self, id: impl fmt::Display) -> Query {
        Query::of(self.partition(id))
    }
}

#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) items: Vec<Item>,
    /// Where the next page begins; `None` at the end.
    pub(crate) next: Option<Item>,
}

impl Page {
    /// The attribute `sort_key` of the place where the next page begins.
    pub(crate) fn next_after(&self, sort_key: &str) -> Option<String> {
        self.next.as_ref().map(|key| text(key, sort_key).to_owned())
    }
}

impl Store {
    /// The item with this key, with a strong read.
    pub(crate) async fn read(&self, key: &Key) -> Result<Option<Item>> {
        self.read_with(key, Consistency::Strong).await
    }

    pub(crate) async fn read_with(&self, key: &Key, consistency: Consistency) -> Result<Option<Item>> {
        let get = self.client.get_item().table_name(&*self.table).set_key(Some(key.item()));
        Ok(get.consistent_read(consistency == Consistency::Strong).send().await?.item)
    }

    /// The value of the item with this key, with a strong read.
    pub(crate) async fn get<T: DeserializeOwned>(&self, record: &Record<T>, key: &Key) -> Result<Option<T>> {
        self.read(key).await?.map(|item| record.read(&item)).transpose()
    }

    pub(crate) async fn query(&self, query: Query) -> Result<Page> {
        let Some(query) = query.in_range() else { return Ok(Page { items: Vec::new(), next: None }) };
        let answer = query.build(self).send().await?;
        Ok(Page { items: answer.items.unwrap_or_default(), next: answer.last_evaluated_key })
    }

    /// The values of one page.
    pub(crate) async fn list<T: DeserializeOwned>(&self, record: &Record<T>, query: Query) -> Result<Vec<T>> {
        record.read_all(&self.query(query).await?.items)
    }

    /// A page of at most `limit` values, and the sort key of its last one; `None` if nothing follows.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        record: &Record<T>,
        query: Query,
        limit: usize,
    ) -> Result<(Vec<T>, Option<String>)> {
        let (items, next) = self.page_of_items(query, limit, "sk").await?;
        Ok((record.read_all(&items)?, next))
    }

    /// A page of at most `limit` items, and the attribute `sort_key` of its last item; `None` if nothing follows.
    pub(crate) async fn page_of_items(
        &self,
        query: Query,
        limit: usize,
        sort_key: &str,
    ) -> Result<(Vec<Item>, Option<String>)> {
        let Page { mut items, next } = self.query(query.limit(limit.saturating_add(1))).await?;
        // A page that is too large for one answer ends earlier.
        let is_cut = items.len() > limit || next.is_some();
        items.truncate(limit);
        let last = items.last().filter(|_| is_cut).map(|item| text(item, sort_key).to_owned());
        Ok((items, last))
    }

    pub(crate) async fn query_all(&self, query: Query) -> Result<Vec<Item>> {
        let (mut items, mut start) = (Vec::new(), None);
        loop {
            let page = self.query(query.clone().after(start)).await?;
            items.extend(page.items);
            start = page.next;
            if start.is_none() {
                return Ok(items);
            }
        }
    }

    /// How many items one query reads, and where the next page begins.
    pub(crate) async fn count(&self, query: Query) -> Result<(u32, Option<Item>)> {
        let answer = query.build(self).select(Select::Count).send().await?;
        Ok((u32::try_from(answer.count).unwrap_or(0), answer.last_evaluated_key))
    }

    /// A page of the whole table, of at most 1 MB, and where the next one begins.
    pub(crate) async fn scan(&self, after: Option<&str>) -> Result<(Vec<Item>, Option<String>)> {
        let after = after.and_then(|after| after.split_once('\n')).map(|(pk, sk)| Key::new(pk, sk));
        let (items, next) = self.scan_up_to(None, after).await?;
        Ok((items, next.map(|key| format!("{}\n{}", key.pk, key.sk))))
    }

    /// A page of the whole table, of at most 1 MB and `limit` items, and the key after which the next one begins.
    pub(crate) async fn scan_up_to(
        &self,
        limit: Option<i32>,
        after: Option<Key>,
    ) -> Result<(Vec<Item>, Option<Key>)> {
        let scan = self.client.scan().table_name(&*self.table).consistent_read(true).set_limit(limit);
        let page = scan.set_exclusive_start_key(after.map(|key| key.item())).send().await?;
        let next = page.last_evaluated_key.map(|key| Key::of(&key));
        Ok((page.items.unwrap_or_default(), next))
    }

    /// All items of a partition that fits one answer (1 MB), with a strong read.
    pub(crate) async fn partition(&self, pk: &str) -> Result<Vec<Item>> {
        Ok(self.query(Query::of(pk).strong()).await?.items)
    }
}

/// The most keys in one request (DynamoDB API reference, `BatchGetItem`).
pub(crate) const MAX_KEYS: usize = 100;
/// Requests in flight at the same time.
const CONCURRENCY: usize = 4;
/// Requests for one batch before the table counts as busy.
pub(crate) const MAX_ATTEMPTS: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const MAX_PAUSE: Duration = Duration::from_millis(320);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consistency {
    /// Sees every earlier write. For values that are written back, or that a decision depends on.
    Strong,
    /// May miss the newest writes, but costs half as much. For values that are only displayed.
    Eventual,
}

impl Store {
    /// The items under these keys, in no order; keys without an item are left out. No key may be given twice.
    pub(crate) async fn batch_get(&self, keys: Vec<Key>, consistency: Consistency) -> Result<Vec<Item>> {
        let batches: Vec<Vec<Item>> =
            keys.chunks(MAX_KEYS).map(|batch| batch.iter().map(Key::item).collect()).collect();
        let reads = stream::iter(batches)
            .map(|batch| self.one_batch(batch, consistency))
            .buffer_unordered(CONCURRENCY);
        Ok(reads.try_collect::<Vec<_>>().await?.into_iter().flatten().collect())
    }

    async fn one_batch(&self, keys: Vec<Item>, consistency: Consistency) -> Result<Vec<Item>> {
        let mut items = Vec::with_capacity(keys.len());
        let strong = consistency == Consistency::Strong;
        let mut requested =
            KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(strong).build()?;
        for attempt in 0..MAX_ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(pause_before(attempt)).await;
            }
            let answer = self.client.batch_get_item().request_items(&*self.table, requested).send().await?;
            items.extend(answer.responses.unwrap_or_default().remove(&*self.table).unwrap_or_default());
            match answer.unprocessed_keys.unwrap_or_default().remove(&*self.table) {
                None => return Ok(items),
                Some(rest) => requested = rest,
            }
        }
        Err(StoreError::busy("a batch read left keys unprocessed at every attempt"))
    }
}

/// Doubles with each retry and is randomized, so that readers throttled together do not retry together. No outcome
/// depends on it, so it comes from the system even where an app's randomness is seeded.
pub(crate) fn pause_before(retry: u32) -> Duration {
    let longest = FIRST_PAUSE.saturating_mul(1 << (retry - 1).min(16)).min(MAX_PAUSE);
    let micros = u64::try_from(longest.as_micros()).unwrap_or(0);
    longest / 2 + Duration::from_micros(Random::System.below(micros / 2 + 1))
}

#[cfg(test)]
mod tests;
