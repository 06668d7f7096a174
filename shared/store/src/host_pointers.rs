//! Under which hosts a listing is found, so that a block finds all that is listed at a host. The pointers move with the
//! listing, in the transaction that changes it.

use super::client::Store;
use super::error::StoreError;
use super::keys::{self, HostPointer, Key};
use super::transaction::Transaction;
use registry_model::{Lane, Listing};

/// The pointers to a listing from its hosts; none to one that was withdrawn for itself.
fn pointers(listing: &Listing) -> Vec<Key> {
    let standing = match (listing.lane, &listing.withdrawal) {
        (Lane::Withdrawn, Some(withdrawal)) if withdrawal.blocked_host.is_some() => HostPointer::Blocked,
        (Lane::Withdrawn, _) => return Vec::new(),
        _ => HostPointer::Listed,
    };
    listing.hosts().iter().map(|host| keys::host(host, standing, &listing.id)).collect()
}

impl Store {
    /// Moves the pointers to a listing where its hosts or its standing changed. Whoever writes the item of a listing
    /// calls this, too: the item says that it is filed.
    pub(super) fn file_by_hosts(
        &self,
        transaction: &mut Transaction,
        before: Option<&Listing>,
        after: &Listing,
    ) -> Result<(), StoreError> {
        let (old, new) = (filed(before), pointers(after));
        for gone in old.iter().filter(|key| !new.contains(key)) {
            self.delete(transaction, gone, None)?;
        }
        for come in new.iter().filter(|key| !old.contains(key)) {
            self.put(transaction, come.item(), None)?;
        }
        Ok(())
    }

    /// Takes away all pointers to a listing from its hosts.
    pub(super) fn unfile_by_hosts(
        &self,
        transaction: &mut Transaction,
        listing: &Listing,
    ) -> Result<(), StoreError> {
        filed(Some(listing)).iter().try_for_each(|pointer| self.delete(transaction, pointer, None))
    }
}

/// The pointers that stand in the table: listings of earlier versions have none.
fn filed(listing: Option<&Listing>) -> Vec<Key> {
    listing.filter(|listing| listing.hosted).map(pointers).unwrap_or_default()
}
