//! The end of a listing that was never Live and has failed for too long: everything kept about it goes in one
//! transaction with its last verdict. No TTL, which would take away the items one by one and could count nothing.

use super::attributes::s;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::feed;
use super::keys;
use super::listing_item::pointers;
use super::state_changes::WriteOutcome;
use super::transaction::{Outcome, Transaction};
use registry_model::StateChange;

impl Store {
    /// Deletes a listing with its evidence, its contact and all that points to it; its last probe is counted, and so is
    /// the listing. The records of its probes leave after ninety-one days, as all do.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written and the lease runs out by itself.
    pub async fn expire(&self, change: &StateChange) -> Result<WriteOutcome, StoreError> {
        let (before, id) = (&change.before, &change.before.id);
        let mut transaction = Transaction::default();
        let mark = s(before.lease.as_deref().unwrap_or_default());
        let leased = Expression::default().only_if("lease = :mark", [], [(":mark", mark)]);
        self.delete(&mut transaction, &keys::listing(id), Some(&leased))?;
        self.delete(&mut transaction, &keys::evidence(id), None)?;
        self.delete(&mut transaction, &keys::identities(id), None)?;
        for contact in keys::contacts(id) {
            self.delete(&mut transaction, &contact, None)?;
        }
        self.delete(&mut transaction, &keys::trail(id), None)?;
        self.delete(&mut transaction, &keys::demand(id), None)?;
        for pointer in pointers(before) {
            self.delete(&mut transaction, &pointer, None)?;
        }
        self.unfile_by_hosts(&mut transaction, before)?;
        self.count_probe(&mut transaction, change)?;
        self.update(&mut transaction, &keys::live(id), &Expression::default().add("expired", 1))?;
        if let Some(news) = &change.news {
            self.put(&mut transaction, feed::to_item(news)?, None)?;
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => WriteOutcome::Written,
            Outcome::Refused(_) => WriteOutcome::LeaseLost,
        })
    }
}
