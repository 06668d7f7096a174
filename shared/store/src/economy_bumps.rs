//! What the operator added to the acceleration index by hand, as one sum that decays like what happened by itself. An item
//! of its own, so that what was counted stays what was counted.

use super::attributes::{Item, decimal, number};
use super::client::Store;
use super::deposit::add_scaled;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::trail_totals::EventTotal;
use registry_model::{Decay, Moment};

/// The sum of what was added.
const ADDS: &str = "adds";

impl Store {
    /// Adds to what the operator added.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn add_bump(&self, adds: f64, now: Moment) -> Result<(), StoreError> {
        let change = add_scaled(Expression::default(), ADDS, Decay::RECENT, adds, now).add("count", 1);
        self.client
            .update_item()
            .table_name(&*self.table)
            .set_key(Some(keys::economy_bumps().item()))
            .update_expression(change.update())
            .set_expression_attribute_names(change.names())
            .set_expression_attribute_values(change.values())
            .send()
            .await?;
        Ok(())
    }

    /// How often the operator added something, and what is left of it.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn bumps(&self, now: Moment) -> Result<EventTotal, StoreError> {
        let key = keys::economy_bumps().item();
        let answer = self.client.get_item().table_name(&*self.table).set_key(Some(key)).send().await?;
        let item = answer.item.unwrap_or_default();
        Ok(bumps_of(&item, now))
    }
}

/// What an item holds of the operator's bumps.
pub(super) fn bumps_of(item: &Item, now: Moment) -> EventTotal {
    let epoch = Decay::RECENT.epoch(now);
    let left = |epoch: i64| Decay::RECENT.left(decimal(item, &format!("{ADDS}_{epoch}")), epoch, now);
    EventTotal {
        count: u64::try_from(number(item, "count")).unwrap_or(0),
        recent: left(epoch) + left(epoch - 1),
    }
}
