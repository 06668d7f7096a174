//! The requests that insert a listing, read it by its id, or return a page of shown ones. The
//! evidence of the last probe is a separate item. It is many times larger than the listing, and lists do not return it.

use std::collections::HashMap;
use std::sync::Arc;

use super::contacts::put_contact;
use super::counters::bump_version;
use super::evidence::{EVIDENCE, read_evidence};
use super::hosts;
use super::leaves::{LAST_LEAF, last_leaf};
use super::listing_items::{PACKAGES, active_partition, changed, if_as_read, listing_item};
use super::names::{pointers, rename, yield_name};
use super::search_index::mark_dirty;
use super::server_documents::{self, DocumentChange};
use crate::prelude::*;
use crate::table::read_cache::{ListedPage, NamedListing};
use registry_model::{Amounts, Contact, FeedItem, Kind, Lane, TrailEvent};

impl Store {
    pub async fn listing(&self, id: &ListingId) -> Result<Option<Listing>> {
        let item = self.read(&LISTING.of(id)).await?;
        Ok(item.map(serde_dynamo::from_item).transpose()?)
    }

    /// A listing with its evidence and its last leaf, by one read.
    pub async fn listing_with_evidence(&self, id: &ListingId) -> Result<Option<Arc<NamedListing>>> {
        let keys = vec![LISTING.of(id), EVIDENCE.of(id), LAST_LEAF.of(id)];
        let read = async { Ok(with_evidence(self.batch_get(keys, Consistency::Strong).await?)?.pop()) };
        self.read_cache.listing(LISTING.partition(id), read).await
    }

    pub async fn listings(&self, ids: &[ListingId]) -> Result<Vec<Listing>> {
        read_all(self.batch_get(LISTING.all(ids), Consistency::Strong).await?)
    }

    /// The cores of listings, to show them, in no order. They are cached if only this process writes to the table. Otherwise
    /// an eventual read costs half.
    pub async fn shown_listings(&self, ids: &[ListingId]) -> Result<Vec<Arc<Listing>>> {
        let read = |missing| self.batch_get(missing, Consistency::Eventual);
        self.read_cache.cores(LISTING.all(ids), read).await
    }

    /// Listings with their evidence, to show them, in no order. Evidence is large, and an eventual read costs half.
    pub async fn shown_with_evidence(&self, ids: &[ListingId]) -> Result<Vec<NamedListing>> {
        let keys = ids.iter().flat_map(|id| [LISTING.of(id), EVIDENCE.of(id)]);
        with_evidence(self.batch_get(keys.collect(), Consistency::Eventual).await?)
    }

    /// Listings with their evidence, in no order.
    pub async fn listings_with_evidence(&self, ids: &[ListingId]) -> Result<Vec<NamedListing>> {
        let keys = ids.iter().flat_map(|id| [LISTING.of(id), EVIDENCE.of(id)]);
        with_evidence(self.batch_get(keys.collect(), Consistency::Strong).await?)
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
            server_documents::put(&mut transaction, &listing.id, document)?;
        }
        put_contact(&mut transaction, &listing.id, contact, listing.listed_at);
        for pointer in pointers(listing) {
            transaction.put(pointer.item());
        }
        if let Some(yielding) = yielding {
            yield_name(&mut transaction, yielding, listing.listed_at)?;
            bump_version(&mut transaction, &yielding.id);
        }
        hosts::move_pointers(&mut transaction, None, listing);
        feed::add(&mut transaction, news)?;
        let deposit = Deposit::of(&listing.id, TrailEvent::ListYourself).on(Some(Amounts::NONE));
        deposits::add(&mut transaction, &[deposit], listing.listed_at);
        self.commit(transaction).await
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
            .if_equal("due_at", s(before.schedule.due_at.to_string()))
            .if_is("lease_until", "<", ms(now));
        transaction.update(LISTING.of(&after.id), change);
        if let Some(document) = document {
            server_documents::put(&mut transaction, &after.id, document)?;
        }
        put_contact(&mut transaction, &after.id, contact, now);
        rename(&mut transaction, before, after);
        hosts::move_pointers(&mut transaction, Some(before), after);
        if after.lane.is_proven() {
            mark_dirty(&mut transaction, &after.id, now);
        }
        if let Some(news) = FeedItem::of_name(before, after, now) {
            feed::add(&mut transaction, &news)?;
        }
        if let Some(yielding) = yielding {
            yield_name(&mut transaction, yielding, now)?;
        }
        if after.lane == Lane::Active || yielding.is_some() {
            bump_version(&mut transaction, &after.id);
        }
        self.commit(transaction).await
    }

    /// Active listings of a kind, the newest first, after the place where an earlier page ended.
    pub async fn active(&self, kind: Kind, after: Option<&str>, limit: u32) -> Result<ListedPage> {
        self.page_of_shown(active_partition(kind), after, limit).await
    }

    /// Servers that run on the machine of their user, the newest first, after the place where an earlier page ended.
    pub async fn packages(&self, after: Option<&str>, limit: usize) -> Result<ListedPage> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.page_of_shown(PACKAGES.to_owned(), after, limit).await
    }

    async fn page_of_shown(&self, partition: String, after: Option<&str>, limit: u32) -> Result<ListedPage> {
        let page = format!("{partition}\n{limit}\n{}", after.unwrap_or_default());
        self.read_cache.page(&page, self.read_page_of_shown(partition, after, limit)).await
    }

    pub(super) async fn read_page_of_shown(
        &self,
        partition: String,
        after: Option<&str>,
        limit: u32,
    ) -> Result<ListedPage> {
        let range = after.map_or(Range::All, |after| Range::Before(after.to_owned()));
        let query = Query::of(partition).index(table::SHOWN).range(range);
        let (items, next) =
            self.page_of_items(query.descending(), limit as usize, table::SHOWN.key[1]).await?;
        Ok((read_all(items)?, next))
    }
}

/// Joins the items of listings with those of their evidence and last leaves.
pub(super) fn with_evidence(items: Vec<Item>) -> Result<Vec<NamedListing>> {
    let (cores, others) = LISTING.split(items);
    let others: HashMap<(&str, &str), &Item> =
        others.iter().map(|item| ((text(item, "pk"), text(item, "sk")), item)).collect();
    let read = |core: Item| {
        let evidence = others.get(&(text(&core, "pk"), EVIDENCE.sort));
        let evidence = evidence.map(|item| read_evidence(item)).transpose()?.flatten();
        let leaf = others.get(&(text(&core, "pk"), LAST_LEAF.sort));
        let last_leaf = leaf.map(|leaf| last_leaf(leaf)).transpose()?;
        let listing: Listing = serde_dynamo::from_item(core)?;
        Ok((Listing { last_leaf, ..listing }, evidence))
    };
    cores.into_iter().map(read).collect()
}
