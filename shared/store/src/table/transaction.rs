//! Collects writes that succeed or fail together. `Store::transact` sends them.

use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem, Update};

use super::attributes::{Item, text};
use super::expression::Expression;
use super::key::Key;

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

    /// Deletes the items of `old` that are not in `new`, and writes those of `new` that are not in `old`.
    pub(crate) fn replace_pointers(&mut self, old: &[Key], new: &[Key]) {
        for removed in old.iter().filter(|key| !new.contains(key)) {
            self.delete(removed.clone());
        }
        for added in new.iter().filter(|key| !old.contains(key)) {
            self.put(added.item());
        }
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
