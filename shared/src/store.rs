//! The one room that knows DynamoDB. Everything else speaks of listings, budgets and feeds.
//! What must hold together is one transaction; what may be delivered twice is conditional; nothing is scanned.

mod budget;
mod counters;
mod due;
mod expression;
mod feed;
mod index;
mod keys;
mod listings;
mod probes;
mod rates;
mod read_cache;
mod signing_keys;
mod state_changes;
pub mod table;
mod tasks;
mod ticks;
mod transaction;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::AttributeValue;

use read_cache::ReadCache;

pub use budget::{Bucket, BudgetState, Caps};
pub use counters::{Live, Week};
pub use due::{Claim, DueClass};
pub use index::{Changed, KeptBucket, Manifest, Shown};
pub use listings::{Insertion, NamedListing};
pub use probes::Tally;
pub use rates::Allowance;
pub use signing_keys::KeptKey;
pub use state_changes::WriteOutcome;
pub use tasks::{KeptTask, LARGEST_CONTENT, Origin, TASK_KEPT, TaskFilter, TaskPage};
pub use ticks::TickReport;

use crate::error::Problem;

/// An item as the SDK carries it.
type Item = HashMap<String, AttributeValue>;

/// The table.
#[derive(Clone)]
pub struct Store {
    client: aws_sdk_dynamodb::Client,
    table: Arc<str>,
    read_cache: ReadCache,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("table", &self.table).finish_non_exhaustive()
    }
}

/// Why the table did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It throttles, conflicts, or does not answer in time: ask again.
    #[error("the table is busy: {0}")]
    Busy(String),
    /// It refused, or holds something that cannot be read: a fault of ours.
    #[error("the table refused: {0}")]
    Fault(String),
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy(internal) => Self::unavailable(internal),
            StoreError::Fault(internal) => Self::fault(internal),
        }
    }
}

impl From<serde_dynamo::Error> for StoreError {
    fn from(error: serde_dynamo::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<aws_sdk_dynamodb::error::BuildError> for StoreError {
    fn from(error: aws_sdk_dynamodb::error::BuildError) -> Self {
        Self::Fault(error.to_string())
    }
}

/// Codes by which DynamoDB says "later" rather than "no" (developer guide, "Error handling").
const LATER: [&str; 8] = [
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "LimitExceededException",
    "TransactionInProgressException",
    "TransactionConflictException",
    "InternalServerError",
    "ServiceUnavailable",
];

impl<E> From<SdkError<E>> for StoreError
where
    E: ProvideErrorMetadata + fmt::Debug,
{
    fn from(error: SdkError<E>) -> Self {
        let later = match &error {
            SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => true,
            SdkError::ServiceError(service) => {
                service.raw().status().is_server_error()
                    || service.err().code().is_some_and(|code| LATER.contains(&code))
            }
            _ => false,
        };
        let text = format!("{error:?}");
        if later { Self::Busy(text) } else { Self::Fault(text) }
    }
}

impl Store {
    /// The table `name`, reached through `client`.
    #[must_use]
    pub fn new(client: aws_sdk_dynamodb::Client, name: &str) -> Self {
        Self { client, table: name.into(), read_cache: ReadCache::default() }
    }

    /// The table `name`, reached through `client`, to which this process alone writes, and only through clones of
    /// this: what it read it may remember until it writes it.
    #[must_use]
    pub fn sole_writer(client: aws_sdk_dynamodb::Client, name: &str) -> Self {
        Self { read_cache: ReadCache::until_written(), ..Self::new(client, name) }
    }
}

impl Store {
    /// Writes an item that must not be there yet; false where it is.
    async fn put_once(&self, item: Item) -> Result<bool, StoreError> {
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

/// A string attribute.
fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

/// A number attribute.
fn n(number: impl fmt::Display) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// The number in an attribute, 0 where there is none.
fn number(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(AttributeValue::N(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// The text in an attribute, empty where there is none.
fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    match item.get(name) {
        Some(AttributeValue::S(text)) => text,
        _ => "",
    }
}
