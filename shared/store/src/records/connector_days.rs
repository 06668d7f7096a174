//! Stores the connector of each UTC day: the listing that the registry picked to contact on this day. A day has one
//! pick; only a pick without a listing is replaced. All days share a partition. So one query
//! returns today's pick and the recent picks, which may not be picked again.

use crate::table::prelude::*;
use registry_model::ConnectorPick;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectorDay {
    pub pick: ConnectorPick,
    pub picked_at: Moment,
    /// When its partner was invited.
    pub touched_at: Option<Moment>,
}

impl Store {
    /// The picks of the latest days, the newest first.
    pub async fn connector_days(&self, limit: u32) -> Result<Vec<ConnectorDay>> {
        let page = self.query(Query::of(keys::CONNECTORS).descending().limit(limit).strong()).await?;
        let days = page.items.iter().map(|item| {
            Ok(ConnectorDay {
                pick: blob(item, "pick")?,
                picked_at: moment(item, "picked_at").unwrap_or(Moment::UNIX_EPOCH),
                touched_at: moment(item, "touched_at"),
            })
        });
        days.collect()
    }

    /// Stores the pick of a day, unless the day already has a listing.
    pub async fn keep_connector(&self, pick: &ConnectorPick, now: Moment) -> Result<bool> {
        let attributes = [("pick", to_blob(pick)?), ("picked_at", n(now.as_millisecond()))];
        let mut item = Key::new(keys::CONNECTORS, &pick.day).with(attributes);
        item.extend(
            pick.partner.as_ref().map(|partner| ("partner_id".to_owned(), s(partner.id.to_string()))),
        );
        self.put_if(item, "attribute_not_exists(partner_id)").await
    }
}
