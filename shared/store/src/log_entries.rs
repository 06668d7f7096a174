//! Leaves on their way into the log of evidence. Each is written in the transaction that decides what it tells, so that
//! there is neither a decision without its leaf nor a leaf without its decision; the tree takes them up afterwards.

use super::attributes::{n, s};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::leaf::leaf_id;
use super::transaction::Transaction;
use registry_model::{LogEntry, LogEvent};

impl Store {
    /// Adds a leaf to what a transaction writes. Written again, it takes the same place.
    pub(super) fn log_entry(
        &self,
        transaction: &mut Transaction,
        entry: &LogEntry,
    ) -> Result<(), StoreError> {
        let leaf = entry.canonical()?;
        let id = leaf_id(&leaf);
        if entry.event != LogEvent::Attested {
            let latest = Expression::default()
                .set("leaf", s(&id))
                .set("at", n(entry.at.as_millisecond()))
                .set("event", serde_dynamo::to_attribute_value(entry.event)?);
            self.update(transaction, &keys::last_leaf(&entry.listing_id), &latest)?;
        }
        let mut item = keys::pending_leaf(entry.at, &id).item();
        item.insert("leaf".to_owned(), s(leaf));
        self.put(transaction, item, None)
    }
}
