//! What followers of the registry read: the public activity feed by time (`specification.md#feed`), the numbered changes of
//! listings, and the delistings. An item of the feed says what happened, to which listing, and when. It contains no personal
//! data, because the feed is public.
//!
//! A change of a listing is queued in the transaction that makes it. Later, one transaction moves queued changes to their
//! numbers, which have no gaps, on the condition that the last number is what it was when it was read. So all followers see
//! one order, whatever process made a change, and none is lost if a process stops.

use jiff::SignedDuration;

use crate::prelude::*;
use registry_model::{Change, FeedItem, Kind, LiveChange};

pub(super) const FEED: Record<FeedItem> = Record::new("FEED", "", "feed").stored_for(30 * 86_400);
pub(super) const PENDING_CHANGE: Record<FeedItem> = Record::new("CHANGES#PENDING", "", "change");
pub(super) const CHANGE: Record<FeedItem> = Record::new("CHANGE#", "", "change").stored_for(CHANGE_RETENTION);
pub(super) const LAST_CHANGE: KeyPattern = KeyPattern::new("CHANGES", "LAST");

/// Seconds for which a change is stored.
const CHANGE_RETENTION: i64 = 90 * 86_400;
/// Changes that one transaction numbers. They are all in one partition, so many at once would throttle other requests.
const MAX_NUMBERED: i32 = 10;
/// Changes in one partition.
const PART: u64 = 1000;
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

impl Transaction {
    /// Adds items to the feed. A change of a listing is also queued for its number.
    pub(super) fn add_to_feed<'a>(&mut self, news: impl IntoIterator<Item = &'a FeedItem>) -> Result<()> {
        for entry in news {
            let id = entry.listing_id.as_ref().map(ListingId::as_str);
            let mark = |about: &str| format!("{about}#{}", entry.what);
            let key = FEED.at(entry.at, &mark(id.unwrap_or(&entry.name)));
            self.put(FEED.expiring_item(&key, entry, entry.at)?);
            if entry.is_change() {
                let key = PENDING_CHANGE.at(entry.at, &mark(id.unwrap_or_default()));
                self.put(PENDING_CHANGE.item(&key, entry)?);
            }
        }
        Ok(())
    }
}

fn change_key(number: u64) -> Key {
    CHANGE.one_of(format_args!("{:09}", number / PART), format_args!("{number:012}"))
}

impl Store {
    /// Adds an item to the feed that belongs to no change of a listing.
    pub async fn add_feed_item(&self, news: &FeedItem) -> Result<()> {
        let mut transaction = Transaction::default();
        transaction.add_to_feed([news])?;
        self.commit(transaction).await.map(drop)
    }

    /// The latest items before `before`, which is the sort key of the last item of an earlier page.
    pub async fn feed(&self, before: Option<&str>, limit: u32) -> Result<(Vec<FeedItem>, Option<String>)> {
        let range = before.map_or(Range::All, |before| Range::Before(before.to_owned()));
        self.page(&FEED, FEED.query().range(range).descending(), limit as usize).await
    }

    /// Gives queued changes their numbers. Returns whether more may be queued.
    pub async fn number_changes(&self, now: Moment) -> Result<bool> {
        let queued = PENDING_CHANGE.query().limit(MAX_NUMBERED).strong();
        let page = self.query(queued).await?;
        if page.items.is_empty() {
            return Ok(false);
        }
        let (last, _) = self.last_number().await?;
        let after = last + page.items.len() as u64;
        let counted = Expression::default().set("last", n(after)).set("at", ms(now));
        let counted = counted.if_missing_or("last", "=", n(last));
        let mut transaction = Transaction::updating(LAST_CHANGE.key(), counted);
        for (number, item) in (last + 1..).zip(page.items) {
            let change = item.get(PENDING_CHANGE.attribute).cloned();
            let change = change.ok_or_else(|| StoreError::fault("a queued change is empty"))?;
            transaction.put_new(change_key(number).with([(CHANGE.attribute, change), CHANGE.ttl(now)]));
            transaction.delete_if(Key::of(&item), Expression::default().if_exists());
        }
        // If it is refused, another process has numbered them.
        Ok(!self.commit(transaction).await? || page.next.is_some())
    }

    pub async fn changes(&self, since: u64, limit: u32, now: Moment) -> Result<Changes> {
        let (last, numbered_at) = self.last_number().await?;
        let mut changes: Vec<Change> = Vec::new();
        let mut oldest = None;
        // No number is greater than `last`. At most two parts are read.
        let next = since.saturating_add(1);
        for part in next / PART..=(last / PART).min(next / PART + 1) {
            let from = change_key(next.max(part * PART));
            let limit = limit.saturating_sub(u32::try_from(changes.len()).unwrap_or(u32::MAX));
            if limit == 0 {
                break;
            }
            // An eventually consistent read could leave out a change before one that it returns.
            let query = Query::of(from.pk).range(Range::From(from.sk)).limit(limit).strong();
            for item in &self.query(query).await?.items {
                let cursor = text(item, "sk").parse().unwrap_or_default();
                let change = Change { cursor, item: CHANGE.read(item)? };
                oldest = oldest.or(Some((change.cursor, change.item.at)));
                if change.cursor == next + changes.len() as u64 {
                    changes.push(change);
                }
            }
        }
        let stored_for = SignedDuration::from_secs(CHANGE_RETENTION) - DELETED_WITHIN;
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
        let item = self.read(&LAST_CHANGE.key()).await?.unwrap_or_default();
        Ok((unsigned(&item, "last"), moment(&item, "at")))
    }
}

/// The listing as it was before, and when it was delisted; by time.
pub(super) const DELISTING: Record<(Listing, Moment)> =
    Record::new("FALLEN#mcp", "", "fallen").stored_for(DELISTING_RETENTION);

/// Seconds for which a delisting is stored.
const DELISTING_RETENTION: i64 = 7 * 86_400;

/// A listing that is no longer Live, or no longer gated.
#[derive(Clone, Debug)]
pub struct Delisting {
    /// The listing as it was before.
    pub listing: Listing,
    pub at: Moment,
}

impl Transaction {
    /// Records the delisting if an MCP server is no longer in the lists where it was.
    pub(super) fn put_delisting(&mut self, before: &Listing, after: &Listing, at: Moment) -> Result<()> {
        let is_gone = LiveChange::between(before, after) == LiveChange::Fallen
            || before.lane.is_proven() && !after.lane.is_proven();
        if is_gone && before.likely_kind() == Kind::Mcp {
            let value = (DELISTING.attribute, to_blob(&(before, at))?);
            self.put(DELISTING.at(at, before.id.as_str()).with([value, DELISTING.ttl(at)]));
        }
        Ok(())
    }
}

impl Store {
    /// MCP servers that were delisted at `since` or later, the earliest first, after the place where an earlier page
    /// ended. The result may contain servers that are listed again.
    pub async fn falls(
        &self,
        since: Moment,
        after: Option<&str>,
        limit: usize,
        now: Moment,
    ) -> Result<(Vec<Delisting>, Option<String>)> {
        let oldest = key::before(now, DELISTING_RETENTION);
        let range = Range::From(key::millis(since.max(oldest)));
        let query = DELISTING.query().range(range).after_key(after).strong();
        let (delistings, next) = self.page(&DELISTING, query, limit).await?;
        Ok((delistings.into_iter().map(|(listing, at)| Delisting { listing, at }).collect(), next))
    }
}
