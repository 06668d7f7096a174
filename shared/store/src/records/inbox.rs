//! The Talk inboxes and the public talk feed. The messages of an inbox are stored by time in a separate
//! partition, so that lists of listings never read them. A `social` message (a message to everyone) is also
//! stored in the public talk feed. Messages expire after ninety days.

use super::listings::not_withdrawn;
use super::outreach::OUTREACH;
use crate::prelude::*;
use registry_model::{TalkKind, TalkMessage};

/// A message in the inbox of a listing, by time.
pub(super) const MESSAGE: Record<TalkMessage> = Record::new("INBOX#", "", "message").stored_for(RETENTION);
/// A message in the public feed, by time.
pub(super) const SOCIAL: Record<TalkMessage> = Record::new("TALK", "", "message").stored_for(RETENTION);

/// Seconds for which a message is stored.
const RETENTION: i64 = 90 * 86_400;

/// A visit is stored at most once in this time.
const VISIT_INTERVAL_MS: i64 = 3_600_000;

/// What a caller does in the inbox of a listing.
#[derive(Clone, Copy, Debug)]
pub struct InboxWrite<'a> {
    pub listing_id: &'a ListingId,
    pub message: Option<&'a TalkMessage>,
    /// Whether the write proves that the listing's owner visits the inbox.
    pub is_visit: bool,
    /// Whether the active list then shows the listing differently.
    pub changes_active_list: bool,
    pub act: Act<'a>,
}

/// Messages, the newest first, and where the next page begins.
pub type MessagePage = (Vec<TalkMessage>, Option<String>);

impl Transaction {
    pub(super) fn put_message(&mut self, message: &TalkMessage) -> Result<()> {
        let key = MESSAGE.one_of(&message.to, key::at(message.at, &message.id));
        self.put(MESSAGE.expiring_item(&key, message, message.at)?);
        Ok(())
    }
}

impl Store {
    /// Writes what a caller does in an inbox, and counts it against the rate limit. False, and nothing is written, if the listing
    /// is withdrawn or deleted.
    pub async fn talk(&self, write: InboxWrite<'_>, now: Moment) -> Result<bool> {
        self.count_allowed(write.act, now).await?;
        let mut transaction = Transaction::default();
        let listing = LISTING.of(write.listing_id);
        if write.is_visit {
            transaction.update(listing, not_withdrawn().set("visited_at", s(now.to_string())));
        } else {
            transaction.check(listing, not_withdrawn());
        }
        if write.changes_active_list {
            transaction.bump_version(write.listing_id);
        }
        if write.message.map_or(write.is_visit, |message| message.kind == TalkKind::CheckIn) {
            // Counts whether a listing visits its inbox after the registry wrote to it.
            transaction.update(OUTREACH.of(write.listing_id), Expression::default().add("check_ins", 1));
        }
        if let Some(message) = write.message {
            transaction.put_message(message)?;
            if message.kind == TalkKind::Social {
                transaction.put(SOCIAL.expiring_item(
                    &SOCIAL.at(message.at, &message.id),
                    message,
                    message.at,
                )?);
            }
        }
        self.commit(transaction).await
    }

    /// Stores a read of an inbox, unless another was stored since `last`, the last one that is known; `changes_active_list`
    /// where the active list then shows its listing differently.
    pub async fn note_visit(
        &self,
        id: &ListingId,
        last: Option<Moment>,
        now: Moment,
        changes_active_list: bool,
    ) -> Result<()> {
        let visited =
            not_withdrawn().set("visited_at", s(now.to_string())).set("read_at", s(now.to_string()));
        let visited = match last {
            Some(last) => visited.if_equal("read_at", s(last.to_string())),
            None => visited.if_missing("read_at"),
        };
        if changes_active_list {
            let mut transaction = Transaction::updating(LISTING.of(id), visited);
            transaction.bump_version(id);
            self.commit(transaction).await.map(drop)
        } else {
            self.update(&LISTING.of(id), &visited, None).await.map(drop)
        }
    }

    /// Whether a read at `now` would be stored after one at `read_at`.
    pub fn is_visit_stored(read_at: Option<Moment>, now: Moment) -> bool {
        read_at.is_none_or(|at| now.as_millisecond() - at.as_millisecond() >= VISIT_INTERVAL_MS)
    }

    /// The messages of an inbox from `since` on, before `before`, where an earlier page ended.
    pub async fn inbox(
        &self,
        id: &ListingId,
        since: Moment,
        before: Option<&str>,
        limit: u32,
        now: Moment,
    ) -> Result<MessagePage> {
        // A visit marks all messages as read, so it must see all of them.
        let query = MESSAGE.query_of(id).strong();
        self.messages(query, since.max(oldest(now)), before, limit).await
    }

    /// The messages of the public feed, before `before`, where an earlier page ended.
    pub async fn talk_feed(&self, before: Option<&str>, limit: u32, now: Moment) -> Result<MessagePage> {
        self.messages(SOCIAL.query(), oldest(now), before, limit).await
    }

    async fn messages(
        &self,
        query: Query,
        since: Moment,
        before: Option<&str>,
        limit: u32,
    ) -> Result<MessagePage> {
        let query = query.range(Range::From(key::millis(since))).after_key(before).descending();
        self.page(&MESSAGE, query, limit as usize).await
    }
}

/// Older messages have expired: DynamoDB removes expired items with a delay.
fn oldest(now: Moment) -> Moment {
    key::before(now, RETENTION)
}
