//! The keys and DIDs that are bound to the domain of a listing. One item contains all keys and DIDs of a
//! listing, because they are few and are read together.

use super::attributes::{blob, n, number, to_blob};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::transaction::Transaction;
use registry_model::{Identity, ListingId};

/// The identities of a listing as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identities {
    pub all: Vec<Identity>,
    /// How often they were written.
    revision: i64,
}

impl Store {
    pub async fn identities(&self, id: &ListingId) -> Result<Identities, StoreError> {
        let item = self.read(&keys::identities(id), Consistency::Strong).await?;
        let read =
            |item| Ok(Identities { all: blob(&item, "identities")?, revision: number(&item, "revision") });
        item.map_or_else(|| Ok(Identities::default()), read)
    }

    /// Replaces the identities of a listing, and counts the listing if it had no identity. False if other identities
    /// were written after these were read.
    pub async fn keep_identities(
        &self,
        id: &ListingId,
        before: &Identities,
        after: &[Identity],
    ) -> Result<bool, StoreError> {
        let change =
            Expression::default().set("identities", to_blob(after)?).set("revision", n(before.revision + 1));
        let change = if before.revision == 0 {
            change.if_absent()
        } else {
            let values = [(":before", n(before.revision))];
            change.only_if("#revision = :before", [("#revision", "revision")], values)
        };
        let mut transaction = Transaction::updating(keys::identities(id), change);
        let first = i64::from(before.all.is_empty());
        transaction.update(keys::live(id), Expression::default().add("identities", first));
        Ok(self.transact(transaction).await?.is_written())
    }
}
