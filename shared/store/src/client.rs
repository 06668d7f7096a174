//! The handle on the table that every other file of the store extends with its own reads and writes. It holds the
//! client, the table's name and what this process may remember of what it read.

use std::fmt;
use std::sync::Arc;

use aws_sdk_dynamodb::operation::put_item::PutItemError;

use super::attributes::Item;
use super::error::StoreError;
use super::read_cache::ReadCache;

/// The table, as a cheap handle: clones share the client and the read cache.
#[derive(Clone)]
pub struct Store {
    pub(super) client: aws_sdk_dynamodb::Client,
    pub(super) table: Arc<str>,
    pub(super) read_cache: ReadCache,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("table", &self.table).finish_non_exhaustive()
    }
}

impl Store {
    /// A table that other processes may write, too: nothing read from it is remembered.
    #[must_use]
    pub fn new(client: aws_sdk_dynamodb::Client, name: &str) -> Self {
        Self { client, table: name.into(), read_cache: ReadCache::default() }
    }

    /// A table to which only this process writes, and only through clones of this handle: reads are cached until the
    /// item is written.
    #[must_use]
    pub fn sole_writer(client: aws_sdk_dynamodb::Client, name: &str) -> Self {
        Self { read_cache: ReadCache::until_written(), ..Self::new(client, name) }
    }

    /// Whether only this process writes the table, so that asking what changed there costs nothing.
    #[must_use]
    pub const fn is_sole_writer(&self) -> bool {
        self.read_cache.is_kept()
    }

    /// Writes an item that must not exist yet; false where it does.
    pub(super) async fn put_once(&self, item: Item) -> Result<bool, StoreError> {
        let put = self
            .client
            .put_item()
            .table_name(&*self.table)
            .set_item(Some(item))
            .condition_expression("attribute_not_exists(pk)")
            .send()
            .await;
        match put {
            Ok(_) => Ok(true),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(PutItemError::is_conditional_check_failed_exception) =>
            {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}
