//! The public activity feed by time (contract "Events" 3). An item says what happened to which listing and when, and
//! holds no personal data, because it is public. Items expire after thirty days.

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, n, s, text};
use super::client::Store;
use super::error::StoreError;
use super::keys::{self, Key};
use registry_model::{FeedItem, ListingId};

const FEED: &str = "FEED";
const KEPT: i64 = 30 * 86_400;

pub(super) fn to_item(entry: &FeedItem) -> Result<Item, StoreError> {
    let about = entry.listing_id.as_ref().map_or(&*entry.name, ListingId::as_str);
    let mut item = Key::new(FEED, keys::at(entry.at, &format!("{about}#{}", entry.what))).item();
    item.insert("feed".to_owned(), s(serde_json::to_string(entry)?));
    item.insert("ttl".to_owned(), n(entry.at.as_second() + KEPT));
    Ok(item)
}

impl Store {
    /// The latest items, older ones after `before` (a sort key that an earlier page ended with).
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn feed(
        &self,
        before: Option<&str>,
        limit: u32,
    ) -> Result<(Vec<FeedItem>, Option<String>), StoreError> {
        let limit = i32::try_from(limit).unwrap_or(50);
        let mut query = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression(if before.is_some() { "pk = :pk AND sk < :before" } else { "pk = :pk" })
            .expression_attribute_values(":pk", s(FEED))
            .scan_index_forward(false)
            .limit(limit);
        if let Some(before) = before {
            query = query.expression_attribute_values(":before", AttributeValue::S(before.to_owned()));
        }
        let answer = query.send().await?;
        let more = answer.last_evaluated_key.as_ref().map(|key| text(key, "sk").to_owned());
        let items = answer
            .items
            .unwrap_or_default()
            .iter()
            .map(|item| Ok(serde_json::from_str(text(item, "feed"))?))
            .collect::<Result<_, StoreError>>()?;
        Ok((items, more))
    }
}
