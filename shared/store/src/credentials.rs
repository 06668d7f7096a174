//! The encrypted credentials that owners give to the registry for probes. Only functions that probe have the right to read
//! them.

use super::attributes::{blob, n, to_blob};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::keys;
use super::listing_item::{as_read, changed};
use super::transaction::Transaction;
use registry_model::{Listing, ListingId, Moment, SealedCredential};

impl Store {
    pub async fn credential(&self, id: &ListingId) -> Result<Option<SealedCredential>, StoreError> {
        let item = self.read(&keys::credential(id), Consistency::Strong).await?;
        item.map(|item| blob(&item, "credential")).transpose()
    }

    /// Stores or deletes the credential of a listing, together with the change of the listing. False where the listing is
    /// being probed or was changed since it was read; then nothing was written.
    pub async fn replace_credential(
        &self,
        before: &Listing,
        after: &Listing,
        credential: Option<&SealedCredential>,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let (as_read, revision) = as_read(before);
        let change = changed(before, after)?.only_if(
            &format!("{as_read} AND lease_until < :now"),
            [],
            [revision, (":now", n(now.as_millisecond()))],
        );
        transaction.update(keys::listing(&after.id), change);
        match credential {
            Some(credential) => {
                transaction.put(keys::credential(&after.id).with([("credential", to_blob(credential)?)]));
            }
            None => {
                transaction.delete(keys::credential(&after.id));
            }
        }
        Ok(self.transact(transaction).await?.is_written())
    }
}

/// Deletes the credential of a listing that loses it with this change.
pub(super) fn drop_lost(transaction: &mut Transaction, before: &Listing, after: &Listing) {
    if before.has_credential && !after.has_credential {
        transaction.delete(keys::credential(&before.id));
    }
}
