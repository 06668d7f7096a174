//! Writes to the table: transactions, and single writes where a transaction would cost twice as much.

use std::time::Duration;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};

use super::attributes::{Item, text};
use super::client::Store;
use super::error::{Result, StoreError, is_condition_failure};
use super::expression::Expression;
use super::key::Key;
use super::transaction::{Cancellation, Outcome, Refused, Transaction, WriteId, cancellation};
use registry_model::Random;

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
                Some(Cancellation::Conflict) => return Err(StoreError::Busy(error.into())),
                None => return Err(error.into()),
            }
        }
        Err(StoreError::Busy("a transaction conflicted at every attempt".into()))
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
