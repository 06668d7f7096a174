//! Removes all trails and marks of one listing, for moderation. Trails need no other clean-up, because their
//! decay is computed when they are read.

use crate::table::prelude::*;

/// Items per transaction, which allows 100 writes: an edge takes two, and the totals one.
const MAX_PER_TRANSACTION: i32 = 45;
/// The maximum number of transactions of one call. If they are not enough, the call must be repeated.
const MAX_TRANSACTIONS: usize = 300;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    pub marks: usize,
    pub compositions: usize,
    pub had_values: bool,
    /// There is more to remove.
    pub is_incomplete: bool,
}

impl Store {
    /// Removes the values, marks and edges of a listing. Recent sources stay stored, so that they cannot deposit the same
    /// again at once. After an error, repeat the call.
    pub async fn remove_trail(&self, id: &ListingId) -> Result<Removed> {
        let mut removed = Removed::default();
        for _ in 0..MAX_TRANSACTIONS {
            let query = Query::of(keys::TRAIL.partition(id)).limit(MAX_PER_TRANSACTION).strong();
            let items = self.query(query).await?.items;
            if items.is_empty() {
                return Ok(removed);
            }
            self.remove_items(id, &items, &mut removed).await?;
        }
        Ok(Removed { is_incomplete: true, ..removed })
    }

    async fn remove_items(&self, id: &ListingId, items: &[Item], removed: &mut Removed) -> Result<()> {
        let mut transaction = Transaction::default();
        let mut used_pairs = 0;
        for item in items {
            let key = Key::of(item);
            if let Some(other) = key.sk.strip_prefix(keys::EDGE).and_then(|other| other.parse().ok()) {
                transaction.delete(keys::edge(&other, id));
                removed.compositions += 1;
                // A pair that was only proposed is not in the totals.
                used_pairs += i64::from(number(item, "count") > 0);
            } else if key.sk.starts_with(keys::MARK) {
                removed.marks += 1;
            } else if key.sk == keys::TRAIL.sort {
                removed.had_values = true;
            }
            transaction.delete(key);
        }
        transaction.update(keys::trail_totals(id), Expression::default().add("compositions", -used_pairs));
        self.transact(transaction).await?;
        Ok(())
    }
}
