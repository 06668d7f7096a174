//! Writes the decision to withdraw, restore or move a listing. The decision and its feed item are written in one
//! transaction. If a probe of the listing is in progress, the decision ends the probe's lease, so that the
//! result of the probe is not written.

use super::leaves::{moved_leaf, restored_leaf, withdrawal_leaf};
use super::listing_item::{changed, if_as_read};
use super::listings::rename;
use super::outreach::queue_for_outreach;
use super::search_index::mark_dirty;
use super::state_changes::{hold_endpoint, live};
use super::{delistings, feed, hosts, trails};
use crate::table::TTL_ATTRIBUTE;
use crate::table::prelude::*;
use registry_model::{Contact, FeedItem, Lane, LiveChange};

impl Store {
    /// Withdraws or restores a listing, or ends Live because its owner moves it, as in `after`. Returns false and writes nothing if the listing was probed,
    /// published or changed by its owner since it was read.
    pub async fn decide(&self, before: &Listing, after: &Listing, news: &FeedItem) -> Result<bool> {
        let mut transaction = Transaction::default();
        let change = changed(before, after)?;
        // If it was claimed since it was read, `before` does not contain the lease.
        let change = if before.lease.is_none() { change.remove("lease") } else { change };
        let change = if_as_read(change, before)
            .if_equal("lane", s(before.lane.as_str()))
            .if_equal("due_at", s(before.due_at.to_string()));
        let change = match &before.withdrawal {
            None => change,
            // A second withdrawal, by somebody else, changes neither lane nor due time.
            Some(withdrawal) => change.if_equal("withdrawal", serde_dynamo::to_attribute_value(withdrawal)?),
        };
        transaction.update(keys::listing(&after.id), change);
        if before.kept_tools.is_some() && after.kept_tools.is_none() {
            transaction.update(keys::EVIDENCE.of(&after.id), Expression::default().remove(keys::CHANGED));
        }
        hold_endpoint(&mut transaction, before, after);
        let live_change = LiveChange::between(before, after);
        transaction.update(keys::live(&after.id), live(live_change, after.shown_kind()));
        rename(&mut transaction, before, after);
        hosts::move_pointers(&mut transaction, Some(before), after);
        let is_delisted = before.lane.is_proven() && !after.lane.is_proven();
        if is_delisted || before.lane == Lane::Package {
            mark_dirty(&mut transaction, &after.id, news.at);
            delistings::record(&mut transaction, before, after, news.at)?;
        }
        queue_for_outreach(&mut transaction, &after.id, live_change, news.at);
        if after.lane == Lane::Withdrawn {
            trails::take_off_boards(&mut transaction, &after.id);
        }
        feed::tell(&mut transaction, news)?;
        let is_restored = before.lane == Lane::Withdrawn && after.lane != Lane::Withdrawn;
        let leaf = withdrawal_leaf(after)
            .or_else(|| is_restored.then(|| restored_leaf(after, news.at)))
            .or_else(|| is_delisted.then(|| moved_leaf(after, news.at)));
        let leaves = leaf.into_iter().collect();
        let written = self.transact_with_leaves(transaction, leaves).await?.is_written();
        if written {
            self.release_card(before, after).await;
        }
        Ok(written)
    }

    pub async fn contacts(&self, id: &ListingId, now: Moment) -> Result<Vec<Contact>> {
        let items = self.query(Query::of(keys::contacts_of(id)).strong()).await?.items;
        let valid = items.iter().filter(|item| number(item, TTL_ATTRIBUTE) > now.as_second());
        let read = valid.map(|item| Contact {
            email: some_text(item, "email"),
            source: some_text(item, "source"),
            from: keys::contact_from(text(item, "sk")),
        });
        Ok(read.collect())
    }

    /// Erases the contacts of a listing; false where there was none. After an error some may be erased: repeat the call.
    pub async fn erase_contact(&self, id: &ListingId) -> Result<bool> {
        let mut erased = false;
        for slot in keys::contacts(id) {
            // The deletion returns what existed.
            erased |= self.delete(&slot).await?;
        }
        Ok(erased)
    }

    /// Adds an item to the feed that belongs to no change of a listing.
    pub async fn tell(&self, news: &FeedItem) -> Result<()> {
        let mut transaction = Transaction::default();
        feed::tell(&mut transaction, news)?;
        self.transact(transaction).await.map(drop)
    }
}
