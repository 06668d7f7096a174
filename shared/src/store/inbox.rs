//! The Talk inbox of a listing: its messages by time, in a partition of their own, so that a list of listings never reads
//! them. Messages expire after ninety days.

use super::attributes::{Item, n, s};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::transaction::Transaction;
use crate::model::{ListingId, TalkKind, TalkMessage};

const KEPT: i64 = 90 * 86_400;

impl TalkMessage {
    fn item(&self) -> Result<Item, StoreError> {
        let mut item = Key::new(inbox(&self.to), keys::at(self.at, &self.id)).item();
        item.insert("message".to_owned(), s(serde_json::to_string(self)?));
        item.insert("ttl".to_owned(), n(self.at.as_second() + KEPT));
        Ok(item)
    }
}

fn inbox(id: &ListingId) -> String {
    format!("INBOX#{id}")
}

impl Store {
    /// Leaves a message in an inbox, as a part of a transaction.
    pub(super) fn deliver(
        &self,
        transaction: &mut Transaction,
        message: &TalkMessage,
    ) -> Result<(), StoreError> {
        if message.kind == TalkKind::CheckIn {
            // Whether a listing came to its inbox after the registry wrote to it.
            let came = Expression::default().add("check_ins", 1);
            self.update(transaction, &keys::outreach(&message.to), &came)?;
        }
        self.put(transaction, message.item()?, None)
    }
}
