//! Writes that succeed or fail together. A conflict with another writer is transient, so it is retried a few times with
//! growing, scattered pauses before the table counts as busy.

use std::time::Duration;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem, Update};

use super::attributes::{Item, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::Key;
use registry_model::Random;

/// Attempts at a conflicting transaction before the table counts as busy.
const MAX_ATTEMPTS: u32 = 7;

/// A transaction under construction.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    writes: Vec<TransactWriteItem>,
    partitions: Vec<String>,
}

impl Transaction {
    pub(super) const fn len(&self) -> usize {
        self.writes.len()
    }
}

/// How a transaction ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All of it was written.
    Written,
    /// Nothing was; the conditions of these writes (by position) did not hold.
    Refused(Vec<usize>),
}

impl Store {
    /// Sends a transaction.
    pub(super) async fn transact(&self, transaction: Transaction) -> Result<Outcome, StoreError> {
        let _writing = self.read_cache.writing(transaction.partitions);
        let mut pause = Duration::from_millis(8);
        for attempt in 1.. {
            let sent = self
                .client
                .transact_write_items()
                .set_transact_items(Some(transaction.writes.clone()))
                .send()
                .await;
            let Err(error) = sent else { return Ok(Outcome::Written) };
            match cancellation(&error) {
                Some(Cancelled::Refused(positions)) => return Ok(Outcome::Refused(positions)),
                Some(Cancelled::Conflict) if attempt < MAX_ATTEMPTS => {
                    tokio::time::sleep(pause / 2 + scattered(pause)).await;
                    pause *= 2;
                }
                Some(Cancelled::Conflict) => return Err(StoreError::Busy(format!("{error:?}"))),
                None => return Err(error.into()),
            }
        }
        Err(StoreError::Busy("conflicts without end".to_owned()))
    }

    /// A write of a whole item under a condition.
    pub(super) fn put(
        &self,
        transaction: &mut Transaction,
        item: Item,
        condition: Option<&str>,
    ) -> Result<(), StoreError> {
        transaction.partitions.push(text(&item, "pk").to_owned());
        let put = Put::builder()
            .table_name(&*self.table)
            .set_item(Some(item))
            .set_condition_expression(condition.map(str::to_owned))
            .build()?;
        transaction.writes.push(TransactWriteItem::builder().put(put).build());
        Ok(())
    }

    /// A change of an item.
    pub(super) fn update(
        &self,
        transaction: &mut Transaction,
        key: &Key,
        change: &Expression,
    ) -> Result<(), StoreError> {
        if change.is_empty() {
            return Ok(());
        }
        transaction.partitions.push(key.pk.clone());
        let update = Update::builder()
            .table_name(&*self.table)
            .set_key(Some(key.item()))
            .update_expression(change.update())
            .set_condition_expression(change.condition())
            .set_expression_attribute_names(change.names())
            .set_expression_attribute_values(change.values())
            .build()?;
        transaction.writes.push(TransactWriteItem::builder().update(update).build());
        Ok(())
    }

    /// A condition on an item that is left as it is.
    pub(super) fn check(
        &self,
        transaction: &mut Transaction,
        key: &Key,
        condition: &Expression,
    ) -> Result<(), StoreError> {
        let check = ConditionCheck::builder()
            .table_name(&*self.table)
            .set_key(Some(key.item()))
            .set_condition_expression(condition.condition())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values())
            .build()?;
        transaction.writes.push(TransactWriteItem::builder().condition_check(check).build());
        Ok(())
    }

    /// A deletion, under a condition if there is one.
    pub(super) fn delete(
        &self,
        transaction: &mut Transaction,
        key: &Key,
        only_if: Option<&Expression>,
    ) -> Result<(), StoreError> {
        transaction.partitions.push(key.pk.clone());
        let delete = Delete::builder()
            .table_name(&*self.table)
            .set_key(Some(key.item()))
            .set_condition_expression(only_if.and_then(Expression::condition))
            .set_expression_attribute_names(only_if.and_then(Expression::names))
            .set_expression_attribute_values(only_if.and_then(Expression::values))
            .build()?;
        transaction.writes.push(TransactWriteItem::builder().delete(delete).build());
        Ok(())
    }
}

enum Cancelled {
    Refused(Vec<usize>),
    Conflict,
}

fn cancellation(error: &SdkError<TransactWriteItemsError>) -> Option<Cancelled> {
    let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) = error.as_service_error()
    else {
        return None;
    };
    let codes: Vec<&str> =
        cancelled.cancellation_reasons().iter().map(|r| r.code().unwrap_or("None")).collect();
    let refused: Vec<usize> = codes
        .iter()
        .enumerate()
        .filter(|(_, code)| **code == "ConditionalCheckFailed")
        .map(|(i, _)| i)
        .collect();
    if !refused.is_empty() {
        Some(Cancelled::Refused(refused))
    } else if codes.iter().any(|code| {
        matches!(*code, "TransactionConflict" | "ThrottlingError" | "ProvisionedThroughputExceeded")
    }) {
        Some(Cancelled::Conflict)
    } else {
        None
    }
}

/// Somewhere up to `pause`, so that writers that collided do not meet again; no outcome depends on it, so it
/// is drawn from the machine even where an app's randomness is seeded.
fn scattered(pause: Duration) -> Duration {
    let micros = u64::try_from(pause.as_micros()).unwrap_or(0);
    Duration::from_micros(Random::System.below(micros))
}
