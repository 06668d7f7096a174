//! The first messages to listings ("touches") and the limit of such messages per day. One transaction changes
//! the count of the day, the queue, the inbox, and the log. So a crash, a repeated job, or two jobs at the
//! same time never send a second message, and never exceed the limit.
//!
//! A touch may be for the connector of a UTC day: the listing that the registry picked to contact on this day. A day has one
//! pick; only a pick without a listing is replaced. All days share a partition. So one query returns today's pick and the
//! recent picks, which may not be picked again.

use serde::Deserialize;

use super::inbox::deliver;
use super::outreach::{OUTREACH, OutreachClass, OutreachPlace, moved};
use crate::prelude::*;
use registry_model::{ConnectorPick, FeedItem, HostName, TalkKind, TalkMessage, Touch, TouchKind};

/// The first touches, by time.
pub(super) const TOUCH: KeyPattern = KeyPattern::new("TOUCHES", "");
/// The count of first touches in a UTC day.
pub(super) const DAY: KeyPattern = KeyPattern::new("OUTREACH", "DAY#");
pub(super) const TOTALS: KeyPattern = KeyPattern::new("OUTREACH", "TOTALS");
/// Until when a host, by its reversed name, asked not to be called.
pub(super) const HOST_PAUSE: KeyPattern = KeyPattern::new("OUTREACH#HOST#", "PAUSE");
/// The connectors of UTC days, by day.
pub(super) const CONNECTOR: Record<ConnectorPick> = Record::new("CONNECTOR", "", "pick");

/// Seconds for which touches and the counts of days are stored: longer than any sensible pause.
const RETENTION: i64 = 400 * 86_400;

#[derive(Clone, Copy, Debug)]
pub struct NewTouch<'a> {
    pub place: &'a OutreachPlace,
    /// The message for its inbox; it has the time of the touch.
    pub message: &'a TalkMessage,
    /// Whether the listing has taken its demo already.
    pub after_demo: bool,
    pub again: Moment,
    /// The maximum number of first touches on the day of the message.
    pub cap: u32,
    /// The day whose connector it is for.
    pub connector_of: Option<&'a str>,
    pub news: Option<&'a FeedItem>,
}

/// How a touch ended. Nothing is written unless it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchOutcome {
    Made,
    CapReached,
    /// The listing is no longer Live, opted out or was touched by another run.
    Gone,
}

/// The sums of all outreach since the table exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct OutreachTotals {
    pub touches: u32,
    /// First touches of a connector of the day.
    pub connectors: u32,
    /// A2A messages that were accepted.
    pub a2a_delivered: u32,
    /// A2A messages that were not.
    pub a2a_failed: u32,
    pub last_run_at: Option<Moment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectorDay {
    pub pick: ConnectorPick,
    pub picked_at: Moment,
    /// When its partner was invited.
    pub touched_at: Option<Moment>,
}

fn day(at: Moment) -> Key {
    DAY.one(at.utc_day())
}

fn to_item(new: &NewTouch<'_>) -> Result<Item> {
    let message = new.message;
    let kind = match message.kind {
        TalkKind::Connector => TouchKind::Connector,
        _ => TouchKind::Invitation,
    };
    let (listing_id, at) = (message.to.clone(), message.at);
    let touch = Touch { listing_id, at, kind, after_demo: new.after_demo, a2a: None };
    let mut item = TOUCH.at(at, message.to.as_str()).with_fields(&touch)?;
    let (name, expires) = ttl(at, RETENTION);
    item.insert(name.to_owned(), expires);
    Ok(item)
}

impl Store {
    pub async fn touch(&self, new: &NewTouch<'_>) -> Result<TouchOutcome> {
        let (message, id) = (new.message, &new.message.to);
        let now = ms(message.at);
        let mut transaction = Transaction::default();
        let sent = Expression::default().add("sent", 1).expires(message.at, RETENTION).only_if(
            "(attribute_not_exists(#sent) AND :cap > :none) OR #sent < :cap",
            [("#sent", "sent")],
            [(":cap", n(new.cap)), (":none", n(0))],
        );
        let budget = transaction.update(day(message.at), sent);
        let state = moved(new.place, new.again, Some(OutreachClass::Again))
            .set("touched_at", now.clone())
            .set("check_ins", n(0))
            .add("touches", 1);
        transaction.update(OUTREACH.of(id), state);
        deliver(&mut transaction, message)?;
        transaction.put(to_item(new)?);
        let totals = Expression::default().add("touches", 1).add("connectors", new.connector_of.is_some());
        transaction.update(TOTALS.key(), totals);
        if let Some(day) = new.connector_of {
            let touched = Expression::default().set("touched_at", now).if_exists().if_missing("touched_at");
            transaction.update(CONNECTOR.one(day), touched);
        }
        if let Some(news) = new.news {
            feed::add(&mut transaction, news)?;
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => TouchOutcome::Made,
            Outcome::Refused(refused) if refused.is_only(budget) => TouchOutcome::CapReached,
            Outcome::Refused(_) => TouchOutcome::Gone,
        })
    }

    pub async fn touches_of_day(&self, at: Moment) -> Result<u32> {
        Ok(unsigned(&self.outreach_item(&day(at)).await?, "sent"))
    }

    pub async fn outreach_totals(&self) -> Result<OutreachTotals> {
        Ok(serde_dynamo::from_item(self.outreach_item(&TOTALS.key()).await?)?)
    }

    /// The latest touches, the newest first.
    pub async fn recent_touches(&self, limit: u32) -> Result<Vec<Touch>> {
        read_all(self.query(Query::of(TOUCH.prefix).descending().limit(limit)).await?.items)
    }

    pub async fn note_outreach_run(&self, now: Moment) -> Result<()> {
        let change = Expression::default().set("last_run_at", s(now.to_string()));
        self.change(TOTALS.key(), change).await.map(drop)
    }

    /// Stores the result of the A2A message that was sent with a touch, once; `None` where it was accepted, otherwise the
    /// reason why not. The message in the inbox counts as delivered in any case.
    pub async fn note_a2a(&self, message: &TalkMessage, failure: Option<&str>) -> Result<()> {
        let result = Expression::default().set("a2a", s(failure.unwrap_or("delivered")));
        let result = result.if_exists().if_missing("a2a");
        let mut transaction = Transaction::updating(TOUCH.at(message.at, message.to.as_str()), result);
        let counter = if failure.is_none() { "a2a_delivered" } else { "a2a_failed" };
        transaction.update(TOTALS.key(), Expression::default().add(counter, 1));
        self.commit(transaction).await.map(drop)
    }

    /// Whether a host has asked for a pause that is not over.
    pub async fn is_host_paused(&self, host: &HostName, now: Moment) -> Result<bool> {
        let item = self.outreach_item(&HOST_PAUSE.of(host.reversed())).await?;
        Ok(number(&item, "until") > now.as_millisecond())
    }

    pub async fn pause_host(&self, host: &HostName, until: Moment) -> Result<()> {
        let pause = Expression::default().set("until", ms(until)).expires(until, 86_400);
        self.change(HOST_PAUSE.of(host.reversed()), pause).await.map(drop)
    }

    /// The picks of the latest days, the newest first.
    pub async fn connector_days(&self, limit: u32) -> Result<Vec<ConnectorDay>> {
        let query = Query::of(CONNECTOR.prefix).descending().limit(limit).strong();
        let items = self.query(query).await?.items;
        let days = items.iter().map(|item| {
            Ok(ConnectorDay {
                pick: CONNECTOR.read(item)?,
                picked_at: moment(item, "picked_at").unwrap_or(Moment::UNIX_EPOCH),
                touched_at: moment(item, "touched_at"),
            })
        });
        days.collect()
    }

    /// Stores the pick of a day, unless the day already has a listing.
    pub async fn keep_connector(&self, pick: &ConnectorPick, now: Moment) -> Result<bool> {
        let mut item = CONNECTOR.one(&pick.day).with([CONNECTOR.value(pick)?, ("picked_at", ms(now))]);
        let partner = pick.partner.as_ref();
        item.extend(partner.map(|partner| ("partner_id".to_owned(), s(partner.id.to_string()))));
        self.put_if(item, Some("attribute_not_exists(partner_id)")).await
    }

    /// An item of outreach; empty where there is none.
    async fn outreach_item(&self, key: &Key) -> Result<Item> {
        Ok(self.read(key).await?.unwrap_or_default())
    }
}
