//! Writes to the table: transactions, which collect writes that succeed or fail together, and single writes where a
//! transaction would cost twice as much.

use std::time::Duration;

use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};

use super::Store;
use super::attributes::{Item, text};
use super::error::{Result, StoreError, is_condition_failure};
use super::expression::Expression;
use super::key::Key;
use super::reads::Query;
use registry_model::Random;

/// Identifies a write of a transaction, to ask whether its condition failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriteId(usize);

#[derive(Clone, Debug)]
enum Write {
    Put { item: Item, condition: Option<&'static str> },
    Update { key: Key, change: Expression },
    Check { key: Key, condition: Expression },
    Delete { key: Key, condition: Expression },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Transaction {
    writes: Vec<Write>,
}

impl Transaction {
    pub(crate) fn updating(key: Key, change: Expression) -> Self {
        Self { writes: vec![Write::Update { key, change }] }
    }

    /// Writes an item, over any that exists.
    pub(crate) fn put(&mut self, item: Item) -> WriteId {
        self.push(Write::Put { item, condition: None })
    }

    /// Writes an item that must not exist yet.
    pub(crate) fn put_new(&mut self, item: Item) -> WriteId {
        self.push(Write::Put { item, condition: Some("attribute_not_exists(pk)") })
    }

    /// Changes an item. A change that is empty is not sent, whatever its condition.
    pub(crate) fn update(&mut self, key: Key, change: Expression) -> WriteId {
        self.push(Write::Update { key, change })
    }

    /// Requires a condition of an item and leaves the item as it is.
    pub(crate) fn check(&mut self, key: Key, condition: Expression) -> WriteId {
        self.push(Write::Check { key, condition })
    }

    pub(crate) fn delete(&mut self, key: Key) -> WriteId {
        self.delete_if(key, Expression::default())
    }

    pub(crate) fn delete_if(&mut self, key: Key, condition: Expression) -> WriteId {
        self.push(Write::Delete { key, condition })
    }

    fn push(&mut self, write: Write) -> WriteId {
        self.writes.push(write);
        WriteId(self.writes.len() - 1)
    }

    pub(crate) fn partitions(&self) -> Vec<String> {
        let partition = |write: &Write| match write {
            Write::Put { item, .. } => Some(text(item, "pk").to_owned()),
            Write::Update { key, .. } | Write::Delete { key, .. } => Some(key.pk.clone()),
            Write::Check { .. } => None,
        };
        self.writes.iter().filter_map(partition).collect()
    }

    /// The writes for the SDK, with the id of each.
    pub(crate) fn build(self, table: &str) -> Result<(Vec<WriteId>, Vec<TransactWriteItem>), BuildError> {
        let writes = self.writes.into_iter().enumerate();
        let sent =
            writes.filter(|(_, write)| !matches!(write, Write::Update { change, .. } if change.is_empty()));
        let built = sent.map(|(at, write)| Ok((WriteId(at), write.build(table)?)));
        Ok(built.collect::<Result<Vec<_>, BuildError>>()?.into_iter().unzip())
    }
}

impl Write {
    fn build(self, table: &str) -> Result<TransactWriteItem, BuildError> {
        let write = TransactWriteItem::builder();
        let write = match self {
            Self::Put { item, condition } => write.put(
                Put::builder()
                    .table_name(table)
                    .set_item(Some(item))
                    .set_condition_expression(condition.map(str::to_owned))
                    .build()?,
            ),
            Self::Update { key, change } => write.update(
                Update::builder()
                    .table_name(table)
                    .set_key(Some(key.item()))
                    .update_expression(change.update())
                    .set_condition_expression(change.condition())
                    .set_expression_attribute_names(change.names())
                    .set_expression_attribute_values(change.values())
                    .build()?,
            ),
            Self::Check { key, condition } => write.condition_check(
                ConditionCheck::builder()
                    .table_name(table)
                    .set_key(Some(key.item()))
                    .set_condition_expression(condition.condition())
                    .set_expression_attribute_names(condition.names())
                    .set_expression_attribute_values(condition.values())
                    .build()?,
            ),
            Self::Delete { key, condition } => write.delete(
                Delete::builder()
                    .table_name(table)
                    .set_key(Some(key.item()))
                    .set_condition_expression(condition.condition())
                    .set_expression_attribute_names(condition.names())
                    .set_expression_attribute_values(condition.values())
                    .build()?,
            ),
        };
        Ok(write.build())
    }
}

#[derive(Debug)]
pub(crate) enum Outcome {
    Written,
    /// Nothing was written, because conditions failed.
    Refused(Refused),
}

impl Outcome {
    pub(crate) const fn is_written(&self) -> bool {
        matches!(self, Self::Written)
    }
}

/// The writes whose conditions failed.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) Vec<WriteId>);

impl Refused {
    pub(crate) fn includes(&self, write: WriteId) -> bool {
        self.0.contains(&write)
    }

    pub(crate) fn is_only(&self, write: WriteId) -> bool {
        self.0 == [write]
    }
}

pub(crate) enum Cancellation {
    /// The conditions of the writes at these positions of the request failed.
    Refused(Vec<usize>),
    /// Another writer was in the way, or the table is throttled.
    Conflict,
}

pub(crate) fn cancellation(error: &SdkError<TransactWriteItemsError>) -> Option<Cancellation> {
    let Some(TransactWriteItemsError::TransactionCanceledException(canceled)) = error.as_service_error()
    else {
        return None;
    };
    let codes: Vec<&str> =
        canceled.cancellation_reasons().iter().map(|reason| reason.code().unwrap_or("None")).collect();
    let refused = codes.iter().enumerate().filter(|(_, code)| **code == "ConditionalCheckFailed");
    let refused: Vec<usize> = refused.map(|(position, _)| position).collect();
    let conflicts = ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"];
    if !refused.is_empty() {
        Some(Cancellation::Refused(refused))
    } else if codes.iter().any(|code| conflicts.contains(code)) {
        Some(Cancellation::Conflict)
    } else {
        None
    }
}

/// Writes of one transaction. DynamoDB allows 100 writes and 4 MB.
const MAX_WRITES: usize = 100;
/// Attempts at a conflicting transaction before the table counts as busy.
const MAX_ATTEMPTS: u32 = 7;

impl Store {
    /// Sends a transaction. A conflict with another writer is transient: it is retried after growing, randomized pauses.
    pub(crate) async fn transact(&self, transaction: Transaction) -> Result<Outcome> {
        let _writing = self.read_cache.writing(transaction.partitions());
        let (ids, writes) = transaction.build(&self.table)?;
        let mut pause = Duration::from_millis(8);
        for attempt in 1.. {
            let request = self.client.transact_write_items().set_transact_items(Some(writes.clone()));
            let Err(error) = request.send().await else { return Ok(Outcome::Written) };
            match cancellation(&error) {
                Some(Cancellation::Refused(positions)) => {
                    let refused = positions.into_iter().filter_map(|position| ids.get(position).copied());
                    return Ok(Outcome::Refused(Refused(refused.collect())));
                }
                Some(Cancellation::Conflict) if attempt < MAX_ATTEMPTS => {
                    tokio::time::sleep(pause / 2 + up_to(pause)).await;
                    pause *= 2;
                }
                Some(Cancellation::Conflict) => return Err(StoreError::busy(error)),
                None => return Err(error.into()),
            }
        }
        Err(StoreError::busy("a transaction conflicted at every attempt"))
    }

    /// Sends a transaction; false if a condition failed.
    pub(crate) async fn commit(&self, transaction: Transaction) -> Result<bool> {
        Ok(self.transact(transaction).await?.is_written())
    }

    /// Changes an item in a transaction of its own; false if the condition failed.
    pub(crate) async fn change(&self, key: Key, change: Expression) -> Result<bool> {
        self.commit(Transaction::updating(key, change)).await
    }

    /// Writes an item, over any that exists.
    pub(crate) async fn put(&self, item: Item) -> Result<()> {
        self.put_if(item, None).await.map(drop)
    }

    /// Writes an item that must not exist yet; false where it does.
    pub(crate) async fn put_new(&self, item: Item) -> Result<bool> {
        self.put_if(item, Some("attribute_not_exists(pk)")).await
    }

    /// Writes an item; false if the condition failed.
    pub(crate) async fn put_if(&self, item: Item, condition: Option<&str>) -> Result<bool> {
        let _writing = self.read_cache.writing(vec![text(&item, "pk").to_owned()]);
        let put = self.client.put_item().table_name(&*self.table).set_item(Some(item));
        match put.set_condition_expression(condition.map(str::to_owned)).send().await {
            Ok(_) => Ok(true),
            Err(error) if is_condition_failure(&error) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Changes an item. Returns the attributes that `returned` selects, or `None` if the condition failed.
    pub(crate) async fn update(
        &self,
        key: &Key,
        change: &Expression,
        returned: Option<ReturnValue>,
    ) -> Result<Option<Item>> {
        Ok(self.update_or_found(key, change, returned).await?.ok())
    }

    /// Changes an item. Returns the attributes that `returned` selects, or the item itself if the condition failed.
    pub(crate) async fn update_or_found(
        &self,
        key: &Key,
        change: &Expression,
        returned: Option<ReturnValue>,
    ) -> Result<Result<Item, Item>> {
        let _writing = self.read_cache.writing(vec![key.pk.clone()]);
        let update = self
            .client
            .update_item()
            .table_name(&*self.table)
            .set_key(Some(key.item()))
            .update_expression(change.update())
            .set_condition_expression(change.condition())
            .set_expression_attribute_names(change.names())
            .set_expression_attribute_values(change.values())
            .set_return_values(returned)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        match update.send().await {
            Ok(answer) => Ok(Ok(answer.attributes.unwrap_or_default())),
            Err(error) => match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(failure)) => {
                    Ok(Err(failure.item.clone().unwrap_or_default()))
                }
                _ => Err(error.into()),
            },
        }
    }

    /// Puts or deletes many items, in as few transactions as possible.
    pub(crate) async fn write_all<T: Clone>(
        &self,
        all: Vec<T>,
        write: impl Fn(&mut Transaction, T) -> WriteId,
    ) -> Result<()> {
        for chunk in all.chunks(MAX_WRITES) {
            let mut transaction = Transaction::default();
            for one in chunk {
                write(&mut transaction, one.clone());
            }
            self.transact(transaction).await?;
        }
        Ok(())
    }

    /// Deletes all items that a query finds. After an error some may be left: repeat the call.
    pub(crate) async fn delete_all(&self, query: Query) -> Result<()> {
        let query = query.strong().keys_only();
        loop {
            let page = self.query(query.clone()).await?;
            self.write_all(page.items.iter().map(Key::of).collect(), Transaction::delete).await?;
            if page.next.is_none() {
                return Ok(());
            }
        }
    }

    /// Deletes an item; whether it existed.
    pub(crate) async fn delete(&self, key: &Key) -> Result<bool> {
        self.delete_if(key, &Expression::default()).await
    }

    /// Deletes an item if it meets a condition; whether it existed and did.
    pub(crate) async fn delete_if(&self, key: &Key, condition: &Expression) -> Result<bool> {
        let _writing = self.read_cache.writing(vec![key.pk.clone()]);
        let deletion = self.client.delete_item().table_name(&*self.table).set_key(Some(key.item()));
        let deletion = deletion
            .set_condition_expression(condition.condition())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values());
        match deletion.return_values(ReturnValue::AllOld).send().await {
            Ok(answer) => Ok(answer.attributes.is_some_and(|item| !item.is_empty())),
            Err(error) if is_condition_failure(&error) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// A random pause, so that writers that collided do not collide again. No outcome depends on it, so it comes from the
/// system even where an app's randomness is seeded.
fn up_to(pause: Duration) -> Duration {
    let micros = u64::try_from(pause.as_micros()).unwrap_or(0);
    Duration::from_micros(Random::System.below(micros))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::attributes::s;

    #[test]
    fn empty_update_is_not_sent_and_its_id_is_not_returned() {
        let mut transaction = Transaction::default();
        let key = || Key::new("P", "S");
        let first = transaction.put(key().item());
        let empty = transaction.update(key(), Expression::default());
        let last = transaction.update(key(), Expression::default().set("name", s("x")));
        let (ids, writes) = transaction.build("t").unwrap();
        assert_eq!((ids.as_slice(), writes.len()), ([first, last].as_slice(), 2));
        assert!(!Refused(ids).includes(empty));
    }
}
