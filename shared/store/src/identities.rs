//! The keys and DIDs that are bound to a listing's domain, all of a listing in one item: they are few, and read together.

use super::attributes::{Item, n, number, s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::transaction::{Outcome, Transaction};
use registry_model::{Identity, ListingId};

/// The identities of a listing as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identities {
    /// The oldest first.
    pub all: Vec<Identity>,
    /// How often they were written.
    revision: i64,
}

impl Store {
    /// The identities of a listing.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn identities(&self, id: &ListingId) -> Result<Identities, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::identities(id).item()))
            .consistent_read(true)
            .send()
            .await?;
        answer.item.as_ref().map_or_else(|| Ok(Identities::default()), read)
    }

    /// Writes the identities of a listing over those that were read, and counts where there were none; false where
    /// others were written meanwhile.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_identities(
        &self,
        id: &ListingId,
        before: &Identities,
        after: &[Identity],
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let change = Expression::default()
            .set("identities", s(serde_json::to_string(after)?))
            .set("revision", n(before.revision + 1));
        let change = if before.revision == 0 {
            change.only_if("attribute_not_exists(pk)", [], [])
        } else {
            let values = [(":before", n(before.revision))];
            change.only_if("#revision = :before", [("#revision", "revision")], values)
        };
        self.update(&mut transaction, &keys::identities(id), &change)?;
        let first = i64::from(before.all.is_empty());
        self.update(&mut transaction, &keys::live(id), &Expression::default().add("identities", first))?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }
}

fn read(item: &Item) -> Result<Identities, StoreError> {
    let all = serde_json::from_str(text(item, "identities"))?;
    Ok(Identities { all, revision: number(item, "revision") })
}
