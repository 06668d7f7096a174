//! The keys that are bound to the domain of a listing: one item for all, because they are few and read together.

use serde_json::Value;

use super::counters::live;
use crate::prelude::*;
use registry_model::Identity;

pub(super) const IDENTITIES: Record<Vec<Value>> = Record::new(LISTING.prefix, "IDENTITIES", "identities");

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identities {
    pub all: Vec<Identity>,
    /// How often they were written.
    revision: i64,
}

impl Store {
    pub async fn identities(&self, id: &ListingId) -> Result<Identities> {
        let Some(item) = self.read(&IDENTITIES.of(id)).await? else { return Ok(Identities::default()) };
        // Earlier versions also bound keys by methods that no longer exist; those do not count.
        let stored = IDENTITIES.read(&item)?.into_iter();
        let all = stored.filter_map(|identity| serde_json::from_value(identity).ok()).collect();
        Ok(Identities { all, revision: number(&item, "revision") })
    }

    /// Replaces the identities of a listing, shows the domain of the last one with the listing, and counts the listing if
    /// it had no identity. False if other identities were written after these were read.
    pub async fn keep_identities(
        &self,
        listing: &Listing,
        before: &Identities,
        after: &[Identity],
    ) -> Result<bool> {
        let change = Expression::default().set(IDENTITIES.attribute, to_blob(after)?);
        let change = change.set("revision", n(before.revision + 1));
        let change = match before.revision {
            0 => change.if_absent(),
            revision => change.if_equal("revision", n(revision)),
        };
        let id = &listing.id;
        let mut transaction = Transaction::updating(IDENTITIES.of(id), change);
        let mut counts = Expression::default().add("identities", before.revision == 0);
        if let Some(newest) = after.last() {
            let shown = Expression::default().set("proven_domain", s(newest.proven_domain.as_str()));
            transaction.update(LISTING.of(id), shown.if_exists());
            // The rows of the active list show it.
            counts = counts.add("version", 1);
        }
        transaction.update(live(id), counts);
        self.commit(transaction).await
    }
}
