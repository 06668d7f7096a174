//! First touches and what they may cost: each is one transaction of the day's budget, the place in the queue, the inbox
//! and the log, so that no crash, repetition or race touches twice or beyond the budget.

use super::attributes::{Item, n, number, s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::feed;
use super::keys;
use super::outreach::{OutreachClass, OutreachPlace, moved};
use super::transaction::{Outcome, Transaction};
use registry_model::{FeedItem, HostName, Moment, TalkKind, TalkMessage, Touch, TouchKind};

/// How long touches and the counts of days are kept, in seconds: longer than any sensible pause.
const KEPT: i64 = 400 * 86_400;

/// A first touch that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewTouch<'a> {
    /// The place of its listing in the queue.
    pub place: &'a OutreachPlace,
    /// What is left in its inbox; its time is that of the touch.
    pub message: &'a TalkMessage,
    /// Its listing has taken its demo already.
    pub after_demo: bool,
    /// When the listing may be written to again.
    pub again: Moment,
    /// The first touches that the day of the message may have in all.
    pub cap: u32,
    /// The day whose connector it is for.
    pub connector_of: Option<&'a str>,
    /// The line in the feed, where there is one.
    pub news: Option<&'a FeedItem>,
}

/// How a touch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchOutcome {
    /// It was made.
    Made,
    /// The day has had all it may have; nothing was written.
    CapReached,
    /// The listing fell, opted out or was touched by another run; nothing was written.
    Gone,
}

/// What outreach has done since the table exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutreachTotals {
    /// First touches.
    pub touches: u32,
    /// Of these, to a connector of the day.
    pub connectors: u32,
    /// A2A messages that were taken.
    pub a2a_delivered: u32,
    /// A2A messages that were not.
    pub a2a_failed: u32,
    /// When a run last came to its end.
    pub last_run_at: Option<Moment>,
}

fn touch_of(new: &NewTouch<'_>) -> Touch {
    let message = new.message;
    let kind = match message.kind {
        TalkKind::Connector => TouchKind::Connector,
        _ => TouchKind::Invitation,
    };
    Touch { listing_id: message.to.clone(), at: message.at, kind, after_demo: new.after_demo, a2a: None }
}

fn to_item(touch: &Touch) -> Result<Item, StoreError> {
    let mut item = keys::touch(touch.at, &touch.listing_id).item();
    item.extend(serde_dynamo::to_item::<_, Item>(touch)?);
    item.insert("ttl".to_owned(), n(touch.at.as_second() + KEPT));
    Ok(item)
}

impl Store {
    /// Makes a first touch.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn touch(&self, new: &NewTouch<'_>) -> Result<TouchOutcome, StoreError> {
        let (message, id) = (new.message, &new.message.to);
        let mut transaction = Transaction::default();
        let day = Expression::default().add("sent", 1).set("ttl", n(message.at.as_second() + KEPT)).only_if(
            "(attribute_not_exists(#sent) AND :cap > :none) OR #sent < :cap",
            [("#sent", "sent")],
            [(":cap", n(new.cap)), (":none", n(0))],
        );
        self.update(&mut transaction, &keys::outreach_day(message.at), &day)?;
        let state = moved(new.place, new.again, Some(OutreachClass::Again))
            .set("touched_at", n(message.at.as_millisecond()))
            .set("check_ins", n(0))
            .add("touches", 1);
        self.update(&mut transaction, &keys::outreach(id), &state)?;
        self.deliver(&mut transaction, message)?;
        self.put(&mut transaction, to_item(&touch_of(new))?, None)?;
        let totals =
            Expression::default().add("touches", 1).add("connectors", i64::from(new.connector_of.is_some()));
        self.update(&mut transaction, &keys::outreach_totals(), &totals)?;
        if let Some(day) = new.connector_of {
            let once = Expression::default().set("touched_at", n(message.at.as_millisecond())).only_if(
                "attribute_exists(pk) AND attribute_not_exists(touched_at)",
                [],
                [],
            );
            self.update(&mut transaction, &keys::connector_day(day), &once)?;
        }
        if let Some(news) = new.news {
            self.put(&mut transaction, feed::to_item(news)?, None)?;
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => TouchOutcome::Made,
            Outcome::Refused(positions) if positions == [0] => TouchOutcome::CapReached,
            Outcome::Refused(_) => TouchOutcome::Gone,
        })
    }

    /// First touches of the UTC day of `at`.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn touches_of_day(&self, at: Moment) -> Result<u32, StoreError> {
        let item = self.outreach_item(keys::outreach_day(at).item()).await?;
        Ok(u32::try_from(number(&item, "sent")).unwrap_or(0))
    }

    /// What outreach has done in all.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn outreach_totals(&self) -> Result<OutreachTotals, StoreError> {
        let item = self.outreach_item(keys::outreach_totals().item()).await?;
        let count = |name| u32::try_from(number(&item, name)).unwrap_or(0);
        Ok(OutreachTotals {
            touches: count("touches"),
            connectors: count("connectors"),
            a2a_delivered: count("a2a_delivered"),
            a2a_failed: count("a2a_failed"),
            last_run_at: text(&item, "last_run_at").parse().ok(),
        })
    }

    /// The latest touches, the newest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn recent_touches(&self, limit: u32) -> Result<Vec<Touch>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :touches")
            .expression_attribute_values(":touches", s(keys::TOUCHES))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(50))
            .send()
            .await?;
        let items = answer.items.unwrap_or_default().into_iter();
        Ok(items.map(serde_dynamo::from_item).collect::<Result<_, _>>()?)
    }

    /// Notes that a run came to its end.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn note_outreach_run(&self, now: Moment) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        let note = Expression::default().set("last_run_at", s(now.to_string()));
        self.update(&mut transaction, &keys::outreach_totals(), &note)?;
        self.transact(transaction).await.map(drop)
    }

    /// Notes what became of the A2A message that went with a touch, once; `None` where it was taken, else why it was not.
    ///
    /// # Errors
    /// The table is busy or refused; the message in the inbox stays the delivery.
    pub async fn note_a2a(&self, message: &TalkMessage, failure: Option<&str>) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        let outcome = Expression::default().set("a2a", s(failure.unwrap_or("delivered"))).only_if(
            "attribute_exists(pk) AND attribute_not_exists(a2a)",
            [],
            [],
        );
        self.update(&mut transaction, &keys::touch(message.at, &message.to), &outcome)?;
        let counter = if failure.is_none() { "a2a_delivered" } else { "a2a_failed" };
        self.update(&mut transaction, &keys::outreach_totals(), &Expression::default().add(counter, 1))?;
        self.transact(transaction).await.map(drop)
    }

    /// Whether a host asked to be left alone for a while that is not over.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn is_host_paused(&self, host: &HostName, now: Moment) -> Result<bool, StoreError> {
        let item = self.outreach_item(keys::host_pause(host).item()).await?;
        Ok(number(&item, "until") > now.as_millisecond())
    }

    /// Notes until when a host asked to be left alone.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn pause_host(&self, host: &HostName, until: Moment) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        let pause = Expression::default()
            .set("until", n(until.as_millisecond()))
            .set("ttl", n(until.as_second() + 86_400));
        self.update(&mut transaction, &keys::host_pause(host), &pause)?;
        self.transact(transaction).await.map(drop)
    }

    async fn outreach_item(&self, key: Item) -> Result<Item, StoreError> {
        let read = self.client.get_item().table_name(&*self.table).set_key(Some(key)).consistent_read(true);
        Ok(read.send().await?.item.unwrap_or_default())
    }
}
