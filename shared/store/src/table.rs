//! The table: [`Store`], which is the handle to it, its definition, reads and writes, without anything about its records. The
//! files of `records` add their requests to `Store`.

pub(crate) mod attributes;
pub(crate) mod definition;
pub(crate) mod error;
pub(crate) mod expression;
#[cfg(test)]
pub(crate) mod fake_table;
pub(crate) mod key;
pub(crate) mod reads;
pub(crate) mod writes;

pub use attributes::TTL_ATTRIBUTE;
pub use definition::{DUE, INDEXES, Index, KEY, SHOWN, ensure};

use std::fmt;
use std::sync::Arc;

use crate::read_cache::{Ages, ReadCache};
use registry_model::Clock;

/// The table, as a cheap handle: clones share the client and the read cache. Its methods fail with
/// [`StoreError`](crate::StoreError); a transaction that failed wrote nothing, unless its answer was lost.
#[derive(Clone)]
pub struct Store {
    pub(crate) client: aws_sdk_dynamodb::Client,
    pub(crate) table: Arc<str>,
    pub(crate) read_cache: ReadCache,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("table", &self.table).finish_non_exhaustive()
    }
}

impl Store {
    /// A table to which other processes may write, too. No read is cached.
    pub fn new(client: aws_sdk_dynamodb::Client, name: &str) -> Self {
        Self::with_cache(client, name, ReadCache::new(Ages::NONE, Clock::System))
    }

    /// A table to which other processes write, too. What nearly every request reads is cached for seconds of `clock`,
    /// because one partition key cannot serve all requests: the counts, the manifest of the search index, and pages of the
    /// lists.
    pub fn of_many_writers(client: aws_sdk_dynamodb::Client, name: &str, clock: Clock) -> Self {
        Self::with_cache(client, name, ReadCache::new(Ages::AMONG_MANY, clock))
    }

    /// A table to which only clones of this handle write. A read item is cached until it is written.
    pub fn sole_writer(client: aws_sdk_dynamodb::Client, name: &str) -> Self {
        Self::with_cache(client, name, ReadCache::new(Ages::SOLE, Clock::System))
    }

    fn with_cache(client: aws_sdk_dynamodb::Client, name: &str, read_cache: ReadCache) -> Self {
        Self { client, table: name.into(), read_cache }
    }

    /// Whether only this process writes to the table. If so, a check for changes costs nothing.
    pub fn is_sole_writer(&self) -> bool {
        self.read_cache.is_of_sole_writer()
    }
}
