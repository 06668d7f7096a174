//! What an operator decides about one listing, each decision one transaction with its line in the feed. A probe under
//! way loses its lease, so that its verdict, whatever it is, finds nothing to write.

use super::attributes::s;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::listing_item::changed;
use super::state_changes::live;
use super::transaction::{Outcome, Transaction};
use crate::model::{FeedItem, Listing, ListingId, LiveChange};

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
        let change = change.only_if(
            "lane = :lane AND due_at = :due",
            [],
            [(":lane", s(before.lane.as_str())), (":due", s(before.due_at.to_string()))],
        );
        self.update(&mut transaction, &keys::listing(&after.id), &change)?;
        self.hold_endpoint(&mut transaction, before, after)?;
        let live_change = LiveChange::between(before, after);
        self.update(&mut transaction, &keys::live(&after.id), &live(live_change, after.shown_kind()))?;
        self.point(&mut transaction, before, after)?;
        if live_change == LiveChange::Fallen {
            self.mark_dirty(&mut transaction, &after.id, news.at)?;
        }
        self.put(&mut transaction, news.item()?, None)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// Erases who may be written to about a listing; false where nobody was kept.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn erase_contact(&self, id: &ListingId, news: &FeedItem) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let there = Expression::default().only_if("attribute_exists(pk)", [], []);
        self.delete(&mut transaction, &keys::contact(id), Some(&there))?;
        self.put(&mut transaction, news.item()?, None)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }
}
