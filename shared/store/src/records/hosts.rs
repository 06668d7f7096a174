//! Blocked hosts, and the listings at a host. All blocks share a partition, because there are few of them,
//! and every publish request and every sweep needs all of them. For each host, the table has small items that
//! point to the listings at this host. A transaction that changes a listing also updates these items.

use std::collections::BTreeSet;

use crate::prelude::*;
use registry_model::{BlockedHost, BlockedHosts, FeedItem, HostName, Lane};

/// By the reversed name of the host.
pub(super) const BLOCK: Record<BlockedHost> = Record::new("BLOCKED", "", "block");
/// A pointer from a host to a listing there. Within a zone, hosts sort by their reversed names, so that one query finds
/// the listings at a host and its subdomains.
pub(super) const LISTED: KeyPattern = KeyPattern::new("HOST#", "LISTED#");
pub(super) const WITHDRAWN: KeyPattern = KeyPattern::new("HOST#", "BLOCKED#");

/// Why a host points to a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPointer {
    Listed,
    /// It was withdrawn when its host was blocked.
    Blocked,
}

impl HostPointer {
    /// The beginning of the keys of a host's pointers and of those of its subdomains.
    fn of(self, host: &HostName) -> Key {
        let pattern = match self {
            Self::Listed => LISTED,
            Self::Blocked => WITHDRAWN,
        };
        pattern.one_of(host.zone(), key::bounded(&host.reversed()))
    }
}

impl Store {
    pub async fn blocked_hosts(&self) -> Result<BlockedHosts> {
        let items = self.query_all(Query::of(BLOCK.prefix).strong()).await?;
        Ok(BLOCK.read_all(&items)?.into_iter().collect())
    }

    /// Blocks a host; false where it was blocked already, and the earlier block stays.
    pub async fn block_host(&self, block: &BlockedHost, news: &FeedItem) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.put_new(BLOCK.one(block.host.reversed()).with([BLOCK.value(block)?]));
        feed::add(&mut transaction, news)?;
        self.commit(transaction).await
    }

    /// Ends the block of a host; false where it was not blocked.
    pub async fn unblock_host(&self, host: &HostName, news: &FeedItem) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.delete_if(BLOCK.one(host.reversed()), Expression::default().if_exists());
        feed::add(&mut transaction, news)?;
        self.commit(transaction).await
    }

    /// Some listings at a host and its subdomains, at most `limit`.
    pub async fn listings_at(&self, host: &HostName, why: HostPointer, limit: i32) -> Result<Vec<ListingId>> {
        let pointers = self.query(pointers_at(host, why).limit(limit)).await?.items;
        let id = |sk: &str| sk.rsplit_once('#').and_then(|(_, id)| id.parse().ok());
        // A listing has two pointers if its card and its endpoint are at different names under the host.
        let ids: BTreeSet<ListingId> = pointers.iter().filter_map(|item| id(text(item, "sk"))).collect();
        Ok(ids.into_iter().collect())
    }

    /// How many pointers there are to listings at a host and its subdomains, counted up to one page (1 MB).
    pub async fn count_listings_at(&self, host: &HostName, why: HostPointer) -> Result<u32> {
        Ok(self.count(pointers_at(host, why)).await?.0)
    }
}

fn pointers_at(host: &HostName, pointer: HostPointer) -> Query {
    let Key { pk, sk } = pointer.of(host);
    Query::of(pk).range(Range::Prefix(sk)).strong()
}

/// The pointers to a listing from its hosts; none to one that was withdrawn for another reason than its host.
fn pointers(listing: &Listing) -> Vec<Key> {
    let pointer = match (listing.lane, &listing.withdrawal) {
        (Lane::Withdrawn, Some(withdrawal)) if withdrawal.blocked_host.is_some() => HostPointer::Blocked,
        (Lane::Withdrawn, _) => return Vec::new(),
        _ => HostPointer::Listed,
    };
    let key = |host: &HostName| {
        let Key { pk, sk } = pointer.of(host);
        Key::new(pk, format!("{sk}#{}", listing.id))
    };
    listing.hosts().iter().map(key).collect()
}

/// The pointers that are in the table: listings of earlier versions have none.
fn stored_pointers(listing: Option<&Listing>) -> Vec<Key> {
    listing.filter(|listing| listing.hosted).map(pointers).unwrap_or_default()
}

/// Moves the pointers to a listing where its hosts or its state changed. Everything that writes the item of a listing
/// calls this, too: the item's `hosted` means that its pointers exist.
pub(super) fn move_pointers(transaction: &mut Transaction, before: Option<&Listing>, after: &Listing) {
    transaction.replace_pointers(&stored_pointers(before), &pointers(after));
}

pub(super) fn remove_pointers(transaction: &mut Transaction, listing: &Listing) {
    transaction.replace_pointers(&stored_pointers(Some(listing)), &[]);
}
