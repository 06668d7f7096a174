//! Moderation: takes away all that was left at one listing. Decay is reckoned when a trail is read, so nothing else is ever
//! evaporated.

use super::attributes::{Item, s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::trail_edges;
use super::transaction::Transaction;
use registry_model::ListingId;

/// Deletions of one transaction: a composition takes two, and the totals one.
const AT_ONCE: usize = 45;
/// Transactions of one call; with more to take away it is called again.
const ROUNDS: usize = 300;

/// What was taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Marks.
    pub marks: usize,
    /// Compositions.
    pub compositions: usize,
    /// Its values were there.
    pub had_values: bool,
    /// There is more.
    pub is_incomplete: bool,
}

impl Store {
    /// Takes away the values, marks and compositions of a listing. Who deposited of late is still known, so that the same
    /// sources do not bring them back.
    ///
    /// # Errors
    /// The table is busy or refused; calling it again does the rest.
    pub async fn remove_trail(&self, id: &ListingId) -> Result<Removed, StoreError> {
        let mut removed = Removed::default();
        for _ in 0..ROUNDS {
            let answer = self
                .client
                .query()
                .table_name(&*self.table)
                .key_condition_expression("pk = :trail")
                .expression_attribute_values(":trail", s(keys::trail_partition(id)))
                .projection_expression("pk, sk")
                .limit(i32::try_from(AT_ONCE).unwrap_or(45))
                .consistent_read(true)
                .send()
                .await?;
            let items = answer.items.unwrap_or_default();
            if items.is_empty() {
                return Ok(removed);
            }
            self.remove_items(id, &items, &mut removed).await?;
        }
        Ok(Removed { is_incomplete: true, ..removed })
    }

    async fn remove_items(
        &self,
        id: &ListingId,
        items: &[Item],
        removed: &mut Removed,
    ) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        let mut pairs = 0;
        for item in items {
            let key = Key::new(text(item, "pk"), text(item, "sk"));
            self.delete(&mut transaction, &key, None)?;
            if let Some(other) = trail_edges::other_end(&key) {
                self.delete(&mut transaction, &keys::edge(&other, id), None)?;
                pairs += 1;
            } else if key.sk.starts_with(keys::MARK_AT) {
                removed.marks += 1;
            } else if key.sk == keys::TRAIL {
                removed.had_values = true;
            }
        }
        let fewer = Expression::default().add("compositions", -pairs);
        self.update(&mut transaction, &keys::trail_totals(id), &fewer)?;
        self.transact(transaction).await?;
        removed.compositions += usize::try_from(pairs).unwrap_or(0);
        Ok(())
    }
}
