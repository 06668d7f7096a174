//! The Talk inbox of a listing: its messages by time, in a partition of their own, so that a list of listings never reads
//! them; and the feed of talk, which everybody's `social` messages stand in beside. Messages expire after ninety days.

use super::attributes::{Item, n, s, text};
use super::client::Store;
use super::error::{StoreError, is_condition_failure};
use super::expression::Expression;
use super::keys::{self, Key};
use super::rates::{Allowance, UsedUp};
use super::transaction::{Outcome, Transaction};
use registry_model::{ListingId, Moment, TalkKind, TalkMessage};

/// Seconds for which a message is kept.
const KEPT: i64 = 90 * 86_400;

/// What everybody is told.
const FEED: &str = "TALK";

/// A visit within an hour of the last is not noted.
const VISIT_NOTED_MS: i64 = 3_600_000;

/// What a caller does in the inbox of a listing.
#[derive(Clone, Copy, Debug)]
pub struct Talking<'a> {
    /// Whose inbox.
    pub listing_id: &'a ListingId,
    /// The message, where one is left.
    pub message: Option<&'a TalkMessage>,
    /// Whether it shows that the listing is there.
    pub is_visit: bool,
    /// Whether the active list then shows it otherwise than before.
    pub is_shown_anew: bool,
    /// Whose allowance it counts against.
    pub act: Option<Allowance<'a>>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Talked {
    /// It was written.
    Written,
    /// An allowance is used up; nothing was written.
    UsedUp(UsedUp),
    /// The listing is withdrawn or gone; nothing was written.
    Closed,
}

/// Messages, the newest first, and where the next page begins.
pub type MessagePage = (Vec<TalkMessage>, Option<String>);

fn to_item(message: &TalkMessage, partition: String) -> Result<Item, StoreError> {
    let mut item = Key::new(partition, keys::at(message.at, &message.id)).item();
    item.insert("message".to_owned(), s(serde_json::to_string(message)?));
    item.insert("ttl".to_owned(), n(message.at.as_second() + KEPT));
    Ok(item)
}

fn inbox(id: &ListingId) -> String {
    format!("INBOX#{id}")
}

/// An inbox is open as long as its listing is there and not withdrawn.
fn open() -> Expression {
    Expression::default().only_if(
        "attribute_exists(pk) AND lane <> :withdrawn",
        [],
        [(":withdrawn", s("withdrawn"))],
    )
}

impl Store {
    /// Leaves a message in an inbox, as a part of a transaction.
    pub(super) fn deliver(
        &self,
        transaction: &mut Transaction,
        message: &TalkMessage,
    ) -> Result<(), StoreError> {
        if message.kind == TalkKind::CheckIn {
            // Whether a listing came to its inbox after the registry wrote to it.
            let came = Expression::default().add("check_ins", 1);
            self.update(transaction, &keys::outreach(&message.to), &came)?;
        }
        self.put(transaction, to_item(message, inbox(&message.to))?, None)
    }

    /// Writes what a caller does in an inbox, and counts it against his allowance.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn talk(&self, talking: Talking<'_>, now: Moment) -> Result<Talked, StoreError> {
        let mut transaction = Transaction::default();
        let listing = keys::listing(talking.listing_id);
        if talking.is_visit {
            self.update(&mut transaction, &listing, &open().set("visited_at", s(now.to_string())))?;
        } else {
            self.check(&mut transaction, &listing, &open())?;
        }
        if talking.is_shown_anew {
            self.shown_anew(&mut transaction, talking.listing_id)?;
        }
        if let Some(message) = talking.message {
            self.deliver(&mut transaction, message)?;
            if message.kind == TalkKind::Social {
                self.put(&mut transaction, to_item(message, FEED.to_owned())?, None)?;
            }
        }
        let act = talking.act.as_ref();
        let counted = act.map(|act| self.allow(&mut transaction, act, now)).transpose()?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => Talked::Written,
            Outcome::Refused(positions) => {
                counted.and_then(|counted| counted.used_up(&positions)).map_or(Talked::Closed, Talked::UsedUp)
            }
        })
    }

    /// Notes a visit of an inbox, at most one an hour; `is_shown_anew` where the active list then shows its listing
    /// otherwise than before.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn note_visit(
        &self,
        id: &ListingId,
        now: Moment,
        is_shown_anew: bool,
    ) -> Result<(), StoreError> {
        let hour_ago = Moment::from_millisecond(now.as_millisecond() - VISIT_NOTED_MS).unwrap_or(now);
        let noted = Expression::default().set("visited_at", s(now.to_string())).only_if(
            "attribute_exists(pk) AND lane <> :withdrawn \
             AND (attribute_not_exists(visited_at) OR visited_at <= :hour_ago)",
            [],
            [(":withdrawn", s("withdrawn")), (":hour_ago", s(hour_ago.to_string()))],
        );
        let key = keys::listing(id);
        if is_shown_anew {
            let mut transaction = Transaction::default();
            self.update(&mut transaction, &key, &noted)?;
            self.shown_anew(&mut transaction, id)?;
            return self.transact(transaction).await.map(drop);
        }
        let _writing = self.read_cache.writing([key.pk.clone()]);
        let written = self
            .client
            .update_item()
            .table_name(&*self.table)
            .set_key(Some(key.item()))
            .update_expression(noted.update())
            .set_condition_expression(noted.condition())
            .set_expression_attribute_names(noted.names())
            .set_expression_attribute_values(noted.values())
            .send()
            .await;
        match written {
            Err(error) if !is_condition_failure(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Whether a visit at `now` would be noted after one at `visited_at`.
    #[must_use]
    pub fn is_visit_noted(visited_at: Option<Moment>, now: Moment) -> bool {
        visited_at.is_none_or(|at| now.as_millisecond() - at.as_millisecond() >= VISIT_NOTED_MS)
    }

    /// The messages of an inbox that were left at `since` or later, those before `before` (where an earlier page ended).
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn inbox(
        &self,
        id: &ListingId,
        since: Moment,
        before: Option<&str>,
        limit: u32,
        now: Moment,
    ) -> Result<MessagePage, StoreError> {
        self.messages(inbox(id), since.max(oldest(now)), before, limit).await
    }

    /// What everybody was told, those before `before` (where an earlier page ended).
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn talk_feed(
        &self,
        before: Option<&str>,
        limit: u32,
        now: Moment,
    ) -> Result<MessagePage, StoreError> {
        self.messages(FEED.to_owned(), oldest(now), before, limit).await
    }

    async fn messages(
        &self,
        partition: String,
        since: Moment,
        before: Option<&str>,
        limit: u32,
    ) -> Result<MessagePage, StoreError> {
        let start = before.map(|before| Key::new(partition.as_str(), before).item());
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :partition AND sk >= :since")
            .expression_attribute_values(":partition", s(&partition))
            .expression_attribute_values(":since", s(keys::millis(since)))
            .set_exclusive_start_key(start)
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(50))
            .send()
            .await?;
        let more = answer.last_evaluated_key.as_ref().map(|key| text(key, "sk").to_owned());
        let items = answer.items.unwrap_or_default();
        let read = |item: &Item| Ok(serde_json::from_str(text(item, "message"))?);
        Ok((items.iter().map(read).collect::<Result<_, StoreError>>()?, more))
    }
}

/// Expired items are taken away in DynamoDB's own time.
fn oldest(now: Moment) -> Moment {
    Moment::from_second(now.as_second() - KEPT).unwrap_or(Moment::UNIX_EPOCH)
}
