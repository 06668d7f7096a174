//! What an operator decides about one listing, each decision one transaction with its line in the feed. A probe under
//! way loses its lease, so that its verdict, whatever it is, finds nothing to write.

use aws_sdk_dynamodb::types::ReturnValue;

use super::attributes::s;
use super::client::Store;
use super::error::StoreError;
use super::feed;
use super::keys;
use super::leaf::withdrawal_leaf;
use super::listing_item::changed;
use super::state_changes::live;
use super::transaction::{Outcome, Transaction};
use registry_model::{FeedItem, Lane, Listing, ListingId, LiveChange};

impl Store {
    /// Withdraws a listing or restores it, as `after` says. False where it was judged or published since it was read;
    /// then nothing was written.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn decide(
        &self,
        before: &Listing,
        after: &Listing,
        news: &FeedItem,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let change = changed(before, after)?;
        // Where it was claimed since it was read, the lease is not among what changed.
        let change = if before.lease.is_none() { change.remove("lease") } else { change };
        let read = [(":lane", s(before.lane.as_str())), (":due", s(before.due_at.to_string()))];
        let change = match &before.withdrawal {
            None => change.only_if("lane = :lane AND due_at = :due", [], read),
            // Whose decision it is changes neither lane nor date.
            Some(withdrawal) => {
                let [lane, due] = read;
                change.only_if(
                    "lane = :lane AND due_at = :due AND withdrawal = :withdrawal",
                    [],
                    [lane, due, (":withdrawal", serde_dynamo::to_attribute_value(withdrawal)?)],
                )
            }
        };
        self.update(&mut transaction, &keys::listing(&after.id), &change)?;
        self.hold_endpoint(&mut transaction, before, after)?;
        let live_change = LiveChange::between(before, after);
        self.update(&mut transaction, &keys::live(&after.id), &live(live_change, after.shown_kind()))?;
        self.rename(&mut transaction, before, after)?;
        self.file_by_hosts(&mut transaction, Some(before), after)?;
        if live_change == LiveChange::Fallen {
            self.mark_dirty(&mut transaction, &after.id, news.at)?;
            self.tell_fall(&mut transaction, before, after, news.at)?;
        }
        self.queue_for_outreach(&mut transaction, &after.id, live_change, news.at)?;
        if let Some(leaf) = withdrawal_leaf(after) {
            self.log_entry(&mut transaction, &leaf)?;
        }
        if after.lane == Lane::Withdrawn {
            self.take_off_boards(&mut transaction, &after.id)?;
        }
        self.put(&mut transaction, feed::to_item(news)?, None)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// Erases who may be written to about a listing; false where nobody was kept.
    ///
    /// # Errors
    /// The table is busy or refused; erasing again does the rest.
    pub async fn erase_contact(&self, id: &ListingId) -> Result<bool, StoreError> {
        let mut erased = false;
        for place in keys::contacts(id) {
            // What was there is told by the deletion itself: nobody has the right to read it.
            let deletion = self.client.delete_item().table_name(&*self.table).set_key(Some(place.item()));
            let answer = deletion.return_values(ReturnValue::AllOld).send().await?;
            erased |= answer.attributes.is_some_and(|contact| !contact.is_empty());
        }
        Ok(erased)
    }

    /// Leaves a line in the feed about what is no change of a listing.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn tell(&self, news: &FeedItem) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        self.put(&mut transaction, feed::to_item(news)?, None)?;
        self.transact(transaction).await.map(drop)
    }
}
