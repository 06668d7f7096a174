//! Requests on listings: insert once, read by id or name, page through the Active ones. The evidence of the last probe
//! is an item of its own, because lists return the core only and evidence is many times as large.

use std::sync::Arc;

use super::attributes::{n, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::deposit::Deposit;
use super::error::StoreError;
use super::expression::Expression;
use super::feed;
use super::listing_item::{NamedListing, changed, contact_change, joined, listing_item, pointers};
use super::transaction::{Outcome, Transaction};
use super::{keys, table};
use registry_model::{
    Amounts, Contact, FeedItem, Kind, Lane, Listing, ListingId, Moment, NameHold, TrailEvent,
};

/// How a first publish ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// It was written.
    Done,
    /// It was published concurrently.
    AlreadyThere,
}

/// Listings of one name that are read.
const MAX_SAME_NAME: i32 = 25;

impl Store {
    /// A listing's core.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn listing(&self, id: &ListingId) -> Result<Option<Listing>, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::listing(id).item()))
            .consistent_read(true)
            .send()
            .await?;
        Ok(answer.item.map(serde_dynamo::from_item).transpose()?)
    }

    /// A listing with its evidence and its last leaf, by one read.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn listing_with_evidence(
        &self,
        id: &ListingId,
    ) -> Result<Option<Arc<NamedListing>>, StoreError> {
        let read = async { Ok(self.listings_with_leaf(std::slice::from_ref(id)).await?.pop()) };
        self.read_cache.listing(id, read).await
    }

    /// The listings of a name, with their evidence and last leaves, by two reads.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn listings_named(&self, name: &str) -> Result<Vec<NamedListing>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :name")
            .expression_attribute_values(":name", s(keys::name_partition(name)))
            .limit(MAX_SAME_NAME)
            .send()
            .await?;
        let pointers = answer.items.unwrap_or_default();
        let mut ids: Vec<ListingId> = Vec::new();
        for id in pointers.iter().filter_map(|item| keys::named_id(text(item, "sk"))) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        if ids.is_empty() { Ok(Vec::new()) } else { self.listings_with_leaf(&ids).await }
    }

    /// The cores of listings, in no order.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn listings(&self, ids: &[ListingId]) -> Result<Vec<Listing>, StoreError> {
        let keys = ids.iter().map(|id| keys::listing(id).item()).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?.into_iter();
        Ok(items.map(serde_dynamo::from_item).collect::<Result<_, _>>()?)
    }

    /// Listings with their evidence, in no order.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn listings_with_evidence(&self, ids: &[ListingId]) -> Result<Vec<NamedListing>, StoreError> {
        let keys = ids.iter().flat_map(|id| [keys::listing(id).item(), keys::evidence(id).item()]);
        joined(self.batch_get(keys.collect(), Consistency::Strong).await?)
    }

    async fn listings_with_leaf(&self, ids: &[ListingId]) -> Result<Vec<NamedListing>, StoreError> {
        let keys = ids
            .iter()
            .flat_map(|id| [keys::listing(id).item(), keys::evidence(id).item(), keys::last_leaf(id).item()]);
        joined(self.batch_get(keys.collect(), Consistency::Strong).await?)
    }

    /// Inserts a listing with its contact, its names, its feed item and its trail, in one transaction and once only; `yielding` is
    /// the listing that claims the name it proved.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn insert(
        &self,
        listing: &Listing,
        contact: &Contact,
        news: &FeedItem,
        yielding: Option<&Listing>,
    ) -> Result<Insertion, StoreError> {
        let mut transaction = Transaction::default();
        self.put(&mut transaction, listing_item(listing)?, Some("attribute_not_exists(pk)"))?;
        self.keep_contact(&mut transaction, listing, contact)?;
        for pointer in pointers(listing) {
            self.put(&mut transaction, pointer.item(), None)?;
        }
        if let Some(yielding) = yielding {
            self.yield_name(&mut transaction, yielding, listing.listed_at)?;
        }
        self.file_by_hosts(&mut transaction, None, listing)?;
        self.put(&mut transaction, feed::to_item(news)?, None)?;
        let joined = Deposit::of(&listing.id, TrailEvent::ListYourself).on(Some(Amounts::NONE));
        self.deposit(&mut transaction, &joined, listing.listed_at)?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => Insertion::Done,
            Outcome::Refused(_) => Insertion::AlreadyThere,
        })
    }

    /// Replaces a listing by what its publisher now says, and takes the name it proved from `yielding`. False where it
    /// is being probed or was judged since it was read; then nothing was written.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn republish(
        &self,
        before: &Listing,
        after: &Listing,
        contact: &Contact,
        yielding: Option<&Listing>,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let change = changed(before, after)?.only_if(
            "lane = :lane AND due_at = :due AND lease_until < :now",
            [],
            [
                (":lane", s(before.lane.as_str())),
                (":due", s(before.due_at.to_string())),
                (":now", n(now.as_millisecond())),
            ],
        );
        self.update(&mut transaction, &keys::listing(&after.id), &change)?;
        self.keep_contact(&mut transaction, after, contact)?;
        self.rename(&mut transaction, before, after)?;
        self.file_by_hosts(&mut transaction, Some(before), after)?;
        if after.lane == Lane::Active {
            self.mark_dirty(&mut transaction, &after.id, now)?;
        }
        match yielding {
            Some(yielding) => self.yield_name(&mut transaction, yielding, now)?,
            None if after.lane == Lane::Active => self.shown_anew(&mut transaction, &after.id)?,
            None => {}
        }
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// Active listings of a kind, the newest first, those after `after` (what an earlier page ended with).
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn active(
        &self,
        kind: Kind,
        after: Option<&str>,
        limit: u32,
    ) -> Result<(Vec<Listing>, Option<String>), StoreError> {
        let mut query = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(table::SHOWN.name)
            .key_condition_expression(if after.is_some() {
                "gsi1pk = :kind AND gsi1sk < :after"
            } else {
                "gsi1pk = :kind"
            })
            .expression_attribute_values(":kind", s(keys::shown_active(kind)))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(50));
        if let Some(after) = after {
            query = query.expression_attribute_values(":after", s(after));
        }
        let answer = query.send().await?;
        let more = answer.last_evaluated_key.as_ref().map(|key| text(key, "gsi1sk").to_owned());
        let listings = answer.items.unwrap_or_default().into_iter();
        Ok((listings.map(serde_dynamo::from_item).collect::<Result<_, _>>()?, more))
    }

    /// Moves the pointers from names to a listing where its names changed.
    pub(super) fn rename(
        &self,
        transaction: &mut Transaction,
        before: &Listing,
        after: &Listing,
    ) -> Result<(), StoreError> {
        let (old, new) = (pointers(before), pointers(after));
        for gone in old.iter().filter(|key| !new.contains(key)) {
            self.delete(transaction, gone, None)?;
        }
        for come in new.iter().filter(|key| !old.contains(key)) {
            self.put(transaction, come.item(), None)?;
        }
        Ok(())
    }

    /// A listing that only claims a name goes by it no longer: another proved it.
    fn yield_name(
        &self,
        transaction: &mut Transaction,
        yielding: &Listing,
        now: Moment,
    ) -> Result<(), StoreError> {
        let yields = serde_dynamo::to_attribute_value(NameHold::Yielded)?;
        let change = Expression::default().set("name_hold", yields).only_if("attribute_exists(pk)", [], []);
        self.update(transaction, &keys::listing(&yielding.id), &change)?;
        self.mark_dirty(transaction, &yielding.id, now)?;
        self.shown_anew(transaction, &yielding.id)
    }

    /// Counts a new version of what is shown, so that no page made before is shown again.
    pub(super) fn shown_anew(&self, transaction: &mut Transaction, id: &ListingId) -> Result<(), StoreError> {
        self.update(transaction, &keys::live(id), &Expression::default().add("version", 1))
    }

    fn keep_contact(
        &self,
        transaction: &mut Transaction,
        listing: &Listing,
        contact: &Contact,
    ) -> Result<(), StoreError> {
        match contact_change(&listing.id, contact) {
            Some((key, change)) => self.update(transaction, &key, &change),
            None => Ok(()),
        }
    }
}
