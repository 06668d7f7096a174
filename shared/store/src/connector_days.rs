//! The connector of each UTC day: put once, whoever asks first, so that a day has one pick. All days share a partition,
//! so that one query gives today's and those that may not be picked again.

use super::attributes::{Item, n, number, s, text};
use super::client::Store;
use super::error::StoreError;
use super::keys;
use registry_model::{ConnectorPick, Moment};

/// The pick of a day and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectorDay {
    /// The pick.
    pub pick: ConnectorPick,
    /// When it was made.
    pub picked_at: Moment,
    /// When its partner was written to.
    pub touched_at: Option<Moment>,
}

impl Store {
    /// The picks of the latest days, the newest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn connector_days(&self, limit: u32) -> Result<Vec<ConnectorDay>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :connectors")
            .expression_attribute_values(":connectors", s(keys::CONNECTORS))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .consistent_read(true)
            .send()
            .await?;
        answer.items.unwrap_or_default().iter().map(read).collect()
    }

    /// Keeps the pick of a day; false where the day has one already.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_connector(&self, pick: &ConnectorPick, now: Moment) -> Result<bool, StoreError> {
        let mut item = keys::connector_day(&pick.day).item();
        item.insert("pick".to_owned(), s(serde_json::to_string(pick)?));
        item.insert("picked_at".to_owned(), n(now.as_millisecond()));
        self.put_once(item).await
    }
}

fn read(item: &Item) -> Result<ConnectorDay, StoreError> {
    let time =
        |name| Some(number(item, name)).filter(|millis| *millis > 0).and_then(Moment::from_millisecond);
    Ok(ConnectorDay {
        pick: serde_json::from_str(text(item, "pick"))?,
        picked_at: time("picked_at").unwrap_or(Moment::UNIX_EPOCH),
        touched_at: time("touched_at"),
    })
}
