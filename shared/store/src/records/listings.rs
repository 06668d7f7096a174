//! Requests that insert a listing, read it by its id or name, or return a page of Active listings. The evidence of the
//! last probe is a separate item. It is many times larger than the listing, and lists do not return it.

use std::sync::Arc;

use super::deposit::Deposit;
use super::listing_item::{
    NamedListing, REVISION, changed, if_as_read, joined, keep_contact, listing_item, pointers,
};
use super::search_index::mark_dirty;
use super::server_documents::{self, DocumentChange};
use super::{feed, hosts, trails};
use crate::table::prelude::*;
use registry_model::{Amounts, Contact, FeedItem, Kind, Lane, NameHold, TrailEvent};

const MAX_SAME_NAME: i32 = 25;

impl Store {
    pub async fn listing(&self, id: &ListingId) -> Result<Option<Listing>> {
        let item = self.read(&keys::listing(id), Consistency::Strong).await?;
        Ok(item.map(serde_dynamo::from_item).transpose()?)
    }

    /// A listing with its evidence and its last leaf, by one read.
    pub async fn listing_with_evidence(&self, id: &ListingId) -> Result<Option<Arc<NamedListing>>> {
        let keys = vec![keys::listing(id), keys::EVIDENCE.of(id), keys::LAST_LEAF.of(id)];
        let read = async { Ok(joined(self.batch_get(keys, Consistency::Strong).await?)?.pop()) };
        self.read_cache.listing(id, read).await
    }

    /// The listings of a name, by two reads.
    pub async fn listings_named(&self, name: &str) -> Result<Vec<Listing>> {
        let query = Query::of(keys::name_partition(name)).strong().limit(MAX_SAME_NAME);
        let items = self.query(query).await?.items;
        let mut ids: Vec<ListingId> = Vec::new();
        for id in items.iter().filter_map(|item| keys::named_id(text(item, "sk"))) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let mut found = if ids.is_empty() { Vec::new() } else { self.listings(&ids).await? };
        // Pointers of earlier versions may be to an earlier name.
        found.retain(|listing| pointers(listing).iter().any(|key| key.pk == keys::name_partition(name)));
        Ok(found)
    }

    pub async fn listings(&self, ids: &[ListingId]) -> Result<Vec<Listing>> {
        let keys = ids.iter().map(keys::listing).collect();
        read_all(self.batch_get(keys, Consistency::Strong).await?)
    }

    /// The cores of listings, to show them, in no order. They are cached if only this process writes to the table. Otherwise
    /// an eventual read costs half.
    pub async fn shown_listings(&self, ids: &[ListingId]) -> Result<Vec<Arc<Listing>>> {
        let read = async |missing: Vec<ListingId>| {
            let keys = missing.iter().map(keys::listing).collect();
            read_all(self.batch_get(keys, Consistency::Eventual).await?)
        };
        self.read_cache.cores(ids, read).await
    }

    /// Listings with their evidence, to show them, in no order. Evidence is large, and an eventual read costs half.
    pub async fn shown_with_evidence(&self, ids: &[ListingId]) -> Result<Vec<NamedListing>> {
        let keys = ids.iter().flat_map(|id| [keys::listing(id), keys::EVIDENCE.of(id)]);
        joined(self.batch_get(keys.collect(), Consistency::Eventual).await?)
    }

    /// Listings with their evidence, in no order.
    pub async fn listings_with_evidence(&self, ids: &[ListingId]) -> Result<Vec<NamedListing>> {
        let keys = ids.iter().flat_map(|id| [keys::listing(id), keys::EVIDENCE.of(id)]);
        joined(self.batch_get(keys.collect(), Consistency::Strong).await?)
    }

    /// Inserts a listing with its contact, names, feed item and trail, in one transaction. False if it exists, because it was
    /// published concurrently. `yielding` is the listing that loses the name that this one proved.
    pub async fn insert(
        &self,
        listing: &Listing,
        document: Option<&DocumentChange>,
        contact: &Contact,
        news: &FeedItem,
        yielding: Option<&Listing>,
    ) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.put_new(listing_item(listing)?);
        if let Some(document) = document {
            server_documents::keep(&mut transaction, &listing.id, document)?;
        }
        keep_contact(&mut transaction, &listing.id, contact, listing.listed_at);
        for pointer in pointers(listing) {
            transaction.put(pointer.item());
        }
        if let Some(yielding) = yielding {
            yield_name(&mut transaction, yielding, listing.listed_at)?;
            bump_version(&mut transaction, &yielding.id);
        }
        hosts::move_pointers(&mut transaction, None, listing);
        feed::tell(&mut transaction, news)?;
        let joined = Deposit::of(&listing.id, TrailEvent::ListYourself).on(Some(Amounts::NONE));
        trails::deposit(&mut transaction, &[joined], listing.listed_at);
        Ok(self.transact(transaction).await?.is_written())
    }

    /// Replaces a listing by its publisher's new description, and takes the name it proved from `yielding`. False where
    /// it is being probed or was changed since it was read; then nothing was written.
    pub async fn republish(
        &self,
        before: &Listing,
        after: &Listing,
        document: Option<&DocumentChange>,
        contact: &Contact,
        yielding: Option<&Listing>,
        now: Moment,
    ) -> Result<bool> {
        let mut transaction = Transaction::default();
        let change = if_as_read(changed(before, after)?, before)
            .if_equal("lane", s(before.lane.as_str()))
            .if_equal("due_at", s(before.due_at.to_string()))
            .if_is("lease_until", "<", n(now.as_millisecond()));
        transaction.update(keys::listing(&after.id), change);
        if let Some(document) = document {
            server_documents::keep(&mut transaction, &after.id, document)?;
        }
        keep_contact(&mut transaction, &after.id, contact, now);
        rename(&mut transaction, before, after);
        hosts::move_pointers(&mut transaction, Some(before), after);
        if after.lane.is_proven() {
            mark_dirty(&mut transaction, &after.id, now);
        }
        if let Some(news) = FeedItem::of_name(before, after, now) {
            feed::tell(&mut transaction, &news)?;
        }
        if let Some(yielding) = yielding {
            yield_name(&mut transaction, yielding, now)?;
        }
        if after.lane == Lane::Active || yielding.is_some() {
            bump_version(&mut transaction, &after.id);
        }
        Ok(self.transact(transaction).await?.is_written())
    }

    /// Active listings of a kind, the newest first, after the place where an earlier page ended.
    pub async fn active(
        &self,
        kind: Kind,
        after: Option<&str>,
        limit: u32,
    ) -> Result<(Vec<Listing>, Option<String>)> {
        self.page_of_shown(keys::shown_active(kind), after, limit).await
    }

    /// Servers that run on the machine of their user, the newest first, after the place where an earlier page ended.
    pub async fn packages(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Listing>, Option<String>)> {
        self.page_of_shown(keys::SHOWN_PACKAGES.to_owned(), after, u32::try_from(limit).unwrap_or(u32::MAX))
            .await
    }

    async fn page_of_shown(
        &self,
        partition: String,
        after: Option<&str>,
        limit: u32,
    ) -> Result<(Vec<Listing>, Option<String>)> {
        let page = format!("{partition}\n{limit}\n{}", after.unwrap_or_default());
        self.read_cache.page(&page, self.read_page_of_shown(partition, after, limit)).await
    }

    pub(crate) async fn read_page_of_shown(
        &self,
        partition: String,
        after: Option<&str>,
        limit: u32,
    ) -> Result<(Vec<Listing>, Option<String>)> {
        let range = after.map_or(Range::All, |after| Range::Before(after.to_owned()));
        let query = Query::of(partition).index(table::SHOWN).range(range);
        let (items, next) = self.page(query.descending(), limit as usize, table::SHOWN.key[1]).await?;
        Ok((read_all(items)?, next))
    }
}

/// Moves the pointers from names to a listing where its names changed.
pub(crate) fn rename(transaction: &mut Transaction, before: &Listing, after: &Listing) {
    transaction.replace_pointers(&pointers(before), &pointers(after));
}

/// Marks a name as yielded by a listing, because another listing proved it. The caller counts a new version of the active
/// list.
pub(crate) fn yield_name(transaction: &mut Transaction, yielding: &Listing, now: Moment) -> Result<()> {
    let yielded = serde_dynamo::to_attribute_value(NameHold::Yielded)?;
    let change = Expression::default().set("name_hold", yielded).add(REVISION, 1).if_exists();
    transaction.update(keys::listing(&yielding.id), change);
    mark_dirty(transaction, &yielding.id, now);
    Ok(())
}

/// Counts a new version of the active list, so that no page cached before is shown again.
pub(crate) fn bump_version(transaction: &mut Transaction, id: &ListingId) {
    transaction.update(keys::live(id), Expression::default().add("version", 1));
}
