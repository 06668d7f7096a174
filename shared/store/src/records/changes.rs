//! The changes of listings, numbered without gaps. A change is queued in the transaction that makes it. Later, one
//! transaction moves queued changes to their numbers, on the condition that the last number is what it was when it was
//! read. So all followers see one order, whatever process made a change, and none is lost if a process stops.

use jiff::SignedDuration;

use crate::table::prelude::*;
use registry_model::{Change, FeedItem};

const PENDING: &str = "CHANGES#PENDING";
const ITEM: &str = "change";
/// Changes that one transaction numbers. They are all in one partition, so many at once would throttle other requests.
const MAX_NUMBERED: i32 = 10;
/// Changes in one partition.
const PART: u64 = 1000;
/// Seconds for which a change is stored.
const RETENTION_S: i64 = 90 * 86_400;
/// DynamoDB deletes an item up to two days after its time.
const DELETED_WITHIN: SignedDuration = SignedDuration::from_hours(48);
/// While a transaction is being written, a query may see a part of it.
const WRITTEN_WITHIN: SignedDuration = SignedDuration::from_secs(60);

/// Changes after a number, as far as they are stored.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Without a gap, the oldest first.
    pub changes: Vec<Change>,
    pub last: u64,
    /// The first number that is stored, of those that were read.
    pub oldest: Option<u64>,
    /// The next change was stored, but is too old.
    pub is_expired: bool,
}

pub(crate) fn pending(item: &FeedItem) -> Result<Item> {
    let about = item.listing_id.as_ref().map(ToString::to_string).unwrap_or_default();
    let key = Key::new(PENDING, keys::at(item.at, &format!("{about}#{}", item.what)));
    Ok(key.with([(ITEM, to_blob(item)?)]))
}

fn key(number: u64) -> Key {
    Key::new(format!("CHANGE#{:09}", number / PART), format!("{number:012}"))
}

impl Store {
    /// Gives queued changes their numbers. Returns whether more may be queued.
    pub async fn number_changes(&self, now: Moment) -> Result<bool> {
        let page = self.query(Query::of(PENDING).limit(MAX_NUMBERED).strong()).await?;
        if page.items.is_empty() {
            return Ok(false);
        }
        let (last, _) = self.last_number().await?;
        let after = last + page.items.len() as u64;
        let counted = Expression::default().set("last", n(after)).set("at", n(now.as_millisecond()));
        let counted = counted.if_missing_or("last", "=", n(last));
        let mut transaction = Transaction::updating(keys::LAST_CHANGE.key(), counted);
        for (number, item) in (last + 1..).zip(page.items) {
            let change = item.get(ITEM).cloned();
            let change = change.ok_or_else(|| StoreError::Fault("a queued change is empty".to_owned()))?;
            transaction.put_new(key(number).with([(ITEM, change), ttl(now, RETENTION_S)]));
            let queued = Key::new(PENDING, text(&item, "sk"));
            transaction.delete_if(queued, Expression::default().if_exists());
        }
        // If it is refused, another process has numbered them.
        Ok(match self.transact(transaction).await? {
            Outcome::Written => page.next.is_some(),
            Outcome::Refused(_) => true,
        })
    }

    pub async fn changes(&self, since: u64, limit: u32, now: Moment) -> Result<Changes> {
        let (last, numbered_at) = self.last_number().await?;
        let mut changes: Vec<Change> = Vec::new();
        let mut oldest = None;
        // No number is greater than `last`. At most two parts are read.
        let next = since.saturating_add(1);
        for part in next / PART..=(last / PART).min(next / PART + 1) {
            let from = key(next.max(part * PART));
            let limit = limit.saturating_sub(u32::try_from(changes.len()).unwrap_or(u32::MAX));
            if limit == 0 {
                break;
            }
            // An eventually consistent read could leave out a change before one that it returns.
            let page =
                self.query(Query::of(from.pk).range(Range::From(from.sk)).limit(limit).strong()).await?;
            for item in &page.items {
                let cursor = text(item, "sk").parse().unwrap_or_default();
                let change = Change { cursor, item: blob(item, ITEM)? };
                oldest = oldest.or(Some((change.cursor, change.item.at)));
                if change.cursor == next + changes.len() as u64 {
                    changes.push(change);
                }
            }
        }
        let stored_for = SignedDuration::from_secs(RETENTION_S) - DELETED_WITHIN;
        let is_old = oldest.is_some_and(|(_, at)| now.duration_since(at) > stored_for)
            || numbered_at.is_none_or(|at| now.duration_since(at) > WRITTEN_WITHIN);
        let is_expired = changes.is_empty() && last > since && is_old;
        Ok(Changes { changes, last, oldest: oldest.map(|(number, _)| number), is_expired })
    }

    pub async fn last_change(&self) -> Result<u64> {
        Ok(self.last_number().await?.0)
    }

    /// The last number, and when it was given. An older number would make the newest cursor unknown.
    async fn last_number(&self) -> Result<(u64, Option<Moment>)> {
        let item = self.read(&keys::LAST_CHANGE.key(), Consistency::Strong).await?;
        let last = item.as_ref().map(|item| u64::try_from(number(item, "last")).unwrap_or_default());
        Ok((last.unwrap_or_default(), item.and_then(|item| moment(&item, "at"))))
    }
}
