//! The public activity feed by time (`specification.md#feed`). An item says what happened, to which listing,
//! and when. It contains no personal data, because the feed is public.

use super::changes;
use crate::table::prelude::*;
use registry_model::FeedItem;

/// Adds an item to the feed. A change of a listing is also queued for its number, see [`changes`](super::changes).
pub(crate) fn tell(transaction: &mut Transaction, entry: &FeedItem) -> Result<()> {
    let about = entry.listing_id.as_ref().map_or(&*entry.name, ListingId::as_str);
    let key = keys::by_time(PARTITION, entry.at, &format!("{about}#{}", entry.what));
    transaction.put(key.with([("feed", to_blob(entry)?), ttl(entry.at, RETENTION)]));
    if entry.is_change() {
        transaction.put(changes::pending(entry)?);
    }
    Ok(())
}

const PARTITION: &str = "FEED";
/// Seconds for which an item is stored.
const RETENTION: i64 = 30 * 86_400;

impl Store {
    /// The latest items before `before`, which is the sort key of the last item of an earlier page.
    pub async fn feed(&self, before: Option<&str>, limit: u32) -> Result<(Vec<FeedItem>, Option<String>)> {
        let range = before.map_or(Range::All, |before| Range::Before(before.to_owned()));
        let query = Query::of(PARTITION).range(range).descending();
        let (items, next) = self.page(query, limit as usize, "sk").await?;
        Ok((blobs(&items, "feed")?, next))
    }
}
