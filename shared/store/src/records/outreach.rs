//! The outreach queue, which contains the Live listings that the registry may contact, and the first messages to them
//! ("touches"). Each listing has a small item in a partition that no other kind of item uses. The item is written in the
//! transaction that makes the listing Live, and removed in the transaction that ends Live. So no run has to read all listings.
//!
//! The number of touches per day is limited. One transaction changes the count of the day, the queue, the inbox, and the log.
//! So a crash, a repeated job, or two jobs at the same time never send a second message, and never exceed the limit.
//!
//! A touch may be for the connector of a UTC day: the listing that the registry picked to contact on this day. A day has one
//! pick; only a pick without a listing is replaced. All days share a partition. So one query returns today's pick and the
//! recent picks, which may not be picked again.

use serde::Deserialize;

use crate::prelude::*;
use registry_model::{
    ConnectorPick, FeedItem, HostName, LiveChange, TalkKind, TalkMessage, Touch, TouchKind, string_enum,
};

/// A listing's state in outreach. Separate from the listing, so that the function that sends invitations needs no right
/// to change listings.
pub(super) const OUTREACH: KeyPattern = KeyPattern::new("OUTREACH#", "STATE");

/// The most listings of a class that are counted.
const MAX_COUNTED: i32 = 1000;

string_enum! {
    /// A class of the outreach queue, each a partition of the index by due time.
    pub enum OutreachClass {
        New = "OUTREACH#NEW",
        /// Invited before; due again when its pause is over.
        Again = "OUTREACH#AGAIN",
        /// There is nothing left to invite it to, or it is the registry itself.
        Done = "OUTREACH#DONE",
        OptedOut = "OUTREACH#OUT",
    }
}

impl OutreachClass {
    /// The classes that a run invites, in the order in which they are served.
    pub const SERVED: [Self; 2] = [Self::New, Self::Again];
}

/// A place in the queue as it was read; writes about it require that it has not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutreachPlace {
    pub id: ListingId,
    pub(super) due: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutreachState {
    /// `None` where it is not in the queue.
    pub place: Option<OutreachPlace>,
    pub class: OutreachClass,
    pub touched_at: Option<Moment>,
    pub touches: u32,
    /// How often it checked in at its inbox since the last invitation.
    pub check_ins: u32,
}

impl Transaction {
    /// Adds a Live listing to the queue, at its earlier place if it had one, or removes one that is no longer Live. A listing
    /// of an earlier table is added with its next recheck.
    pub(super) fn queue_for_outreach(&mut self, id: &ListingId, change: LiveChange, at: Moment) {
        let [partition, sort] = table::DUE.key;
        let update = match change {
            LiveChange::NotLive => return,
            LiveChange::Fallen => Expression::default().remove_all(table::DUE.key),
            LiveChange::Risen | LiveChange::StaysLive => {
                let (class, due) = (s(OutreachClass::New.as_str()), s(key::at(at, id.as_str())));
                Expression::default()
                    .set_from(partition, "class", class.clone())
                    .set_from(sort, "due", due.clone())
                    .set_once("class", class)
                    .set_once("due", due)
            }
        };
        self.update(OUTREACH.of(id), update);
    }
}

impl Store {
    /// The listings of a class that are due, the longest waiting first.
    pub async fn outreach_due(
        &self,
        class: OutreachClass,
        now: Moment,
        limit: u32,
    ) -> Result<Vec<OutreachPlace>> {
        let range = Range::Before(key::after_all_at(now));
        let query = Query::of(class.as_str()).index(table::DUE).range(range).limit(limit);
        let place =
            |item: &Item| Some(OutreachPlace { id: OUTREACH.listing_of(item)?, due: place_due(item)? });
        Ok(self.query(query).await?.items.iter().filter_map(place).collect())
    }

    /// How many listings of a class are due at `now`, and how many later, each counted up to a thousand.
    pub async fn outreach_counts(&self, class: OutreachClass, now: Moment) -> Result<(u32, u32)> {
        let end = key::after_all_at(now);
        let of =
            |range| self.count(Query::of(class.as_str()).index(table::DUE).range(range).limit(MAX_COUNTED));
        let (due, later) = futures::try_join!(of(Range::Before(end.clone())), of(Range::From(end)))?;
        Ok((due.0, later.0))
    }

    /// The outreach states of these listings; those never in the queue are left out.
    pub async fn outreach_states(&self, ids: &[ListingId]) -> Result<Vec<(ListingId, OutreachState)>> {
        let items = self.batch_get(OUTREACH.all(ids), Consistency::Strong).await?;
        Ok(items.iter().filter_map(outreach_state).collect())
    }

    /// Changes the due time of a place, and optionally its class; false where it was changed since it was read.
    pub async fn move_outreach(
        &self,
        place: &OutreachPlace,
        until: Moment,
        class: Option<OutreachClass>,
    ) -> Result<bool> {
        self.change(OUTREACH.of(&place.id), place_change(place, until, class)).await
    }

    /// Ends invitations of a listing, which need not be in the queue; false where it had opted out already.
    pub async fn opt_out(&self, id: &ListingId, now: Moment) -> Result<bool> {
        let [partition, sort] = table::DUE.key;
        let (class, due) = (s(OutreachClass::OptedOut.as_str()), s(key::at(now, id.as_str())));
        let update = Expression::default()
            .set(partition, class.clone())
            .set_from(sort, "due", due.clone())
            .set_once("due", due)
            .set("class", class.clone())
            .if_missing_or("class", "<>", class);
        self.change(OUTREACH.of(id), update).await
    }

    /// Allows invitations of a listing that opted out, from `due` on, while it is Live; false where it had not opted out.
    pub async fn opt_in(
        &self,
        id: &ListingId,
        class: OutreachClass,
        due: Moment,
        is_live: bool,
    ) -> Result<bool> {
        let (class, due) = (class.as_str(), key::at(due, id.as_str()));
        let update = Expression::default().set("class", s(class)).set("due", s(&due));
        let update = if is_live {
            update.set_all(table::DUE.place(class, due))
        } else {
            update.remove_all(table::DUE.key)
        };
        self.change(OUTREACH.of(id), update.if_equal("class", s(OutreachClass::OptedOut.as_str()))).await
    }
}

/// A move in the queue, provided that the place has not changed and its listing has not opted out.
fn place_change(place: &OutreachPlace, until: Moment, class: Option<OutreachClass>) -> Expression {
    let [partition, sort] = table::DUE.key;
    let due = s(key::at(until, place.id.as_str()));
    let update = Expression::default().set(sort, due.clone()).set("due", due);
    let update = match class.map(|class| s(class.as_str())) {
        Some(class) => update.set(partition, class.clone()).set("class", class),
        None => update,
    };
    let out = s(OutreachClass::OptedOut.as_str());
    update.if_equal(sort, s(&place.due)).if_is(partition, "<>", out)
}

fn place_due(item: &Item) -> Option<String> {
    some_text(item, table::DUE.key[1])
}

fn outreach_state(item: &Item) -> Option<(ListingId, OutreachState)> {
    let id = OUTREACH.listing_of(item)?;
    let state = OutreachState {
        place: place_due(item).map(|due| OutreachPlace { id: id.clone(), due }),
        class: OutreachClass::named(text(item, "class")).unwrap_or(OutreachClass::New),
        touched_at: moment(item, "touched_at"),
        touches: unsigned(item, "touches"),
        check_ins: unsigned(item, "check_ins"),
    };
    Some((id, state))
}

/// The first touches, by time.
pub(super) const TOUCH: KeyPattern = KeyPattern::new("TOUCHES", "");
/// The count of first touches in a UTC day.
pub(super) const OUTREACH_DAY: KeyPattern = KeyPattern::new("OUTREACH", "DAY#");
pub(super) const OUTREACH_TOTALS: KeyPattern = KeyPattern::new("OUTREACH", "TOTALS");
/// Until when a host, by its reversed name, asked not to be called.
pub(super) const HOST_PAUSE: KeyPattern = KeyPattern::new("OUTREACH#HOST#", "PAUSE");
/// The connectors of UTC days, by day.
pub(super) const CONNECTOR: Record<ConnectorPick> = Record::new("CONNECTOR", "", "pick");

/// Seconds for which touches and the counts of days are stored: longer than any sensible pause.
const TOUCH_RETENTION: i64 = 400 * 86_400;

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

fn outreach_day_key(at: Moment) -> Key {
    OUTREACH_DAY.one(at.utc_day())
}

fn touch_item(new: &NewTouch<'_>) -> Result<Item> {
    let message = new.message;
    let kind = match message.kind {
        TalkKind::Connector => TouchKind::Connector,
        _ => TouchKind::Invitation,
    };
    let (listing_id, at) = (message.to.clone(), message.at);
    let touch = Touch { listing_id, at, kind, after_demo: new.after_demo, a2a: None };
    let mut item = TOUCH.at(at, message.to.as_str()).with([ttl(at, TOUCH_RETENTION)]);
    item.extend(serde_dynamo::to_item::<_, Item>(&touch)?);
    Ok(item)
}

impl Store {
    pub async fn touch(&self, new: &NewTouch<'_>) -> Result<TouchOutcome> {
        let (message, id) = (new.message, &new.message.to);
        let now = ms(message.at);
        let mut transaction = Transaction::default();
        let sent = Expression::default().add("sent", 1).expires(message.at, TOUCH_RETENTION).only_if(
            "(attribute_not_exists(#sent) AND :cap > :none) OR #sent < :cap",
            [("#sent", "sent")],
            [(":cap", n(new.cap)), (":none", n(0))],
        );
        let budget = transaction.update(outreach_day_key(message.at), sent);
        let state = place_change(new.place, new.again, Some(OutreachClass::Again))
            .set("touched_at", now.clone())
            .set("check_ins", n(0))
            .add("touches", 1);
        transaction.update(OUTREACH.of(id), state);
        transaction.put_message(message)?;
        transaction.put(touch_item(new)?);
        let totals = Expression::default().add("touches", 1).add("connectors", new.connector_of.is_some());
        transaction.update(OUTREACH_TOTALS.key(), totals);
        if let Some(day) = new.connector_of {
            let touched = Expression::default().set("touched_at", now).if_exists().if_missing("touched_at");
            transaction.update(CONNECTOR.one(day), touched);
        }
        transaction.add_to_feed(new.news)?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => TouchOutcome::Made,
            Outcome::Refused(refused) if refused.is_only(budget) => TouchOutcome::CapReached,
            Outcome::Refused(_) => TouchOutcome::Gone,
        })
    }

    pub async fn touches_of_day(&self, at: Moment) -> Result<u32> {
        Ok(unsigned(&self.outreach_item(&outreach_day_key(at)).await?, "sent"))
    }

    pub async fn outreach_totals(&self) -> Result<OutreachTotals> {
        Ok(serde_dynamo::from_item(self.outreach_item(&OUTREACH_TOTALS.key()).await?)?)
    }

    /// The latest touches, the newest first.
    pub async fn recent_touches(&self, limit: u32) -> Result<Vec<Touch>> {
        read_all(self.query(TOUCH.query().descending().limit(limit)).await?.items)
    }

    pub async fn note_outreach_run(&self, now: Moment) -> Result<()> {
        let change = Expression::default().set("last_run_at", s(now.to_string()));
        self.change(OUTREACH_TOTALS.key(), change).await.map(drop)
    }

    /// Stores the result of the A2A message that was sent with a touch, once; `None` where it was accepted, otherwise the
    /// reason why not. The message in the inbox counts as delivered in any case.
    pub async fn note_a2a(&self, message: &TalkMessage, failure: Option<&str>) -> Result<()> {
        let result = Expression::default().set("a2a", s(failure.unwrap_or("delivered")));
        let result = result.if_exists().if_missing("a2a");
        let mut transaction = Transaction::updating(TOUCH.at(message.at, message.to.as_str()), result);
        let counter = if failure.is_none() { "a2a_delivered" } else { "a2a_failed" };
        transaction.update(OUTREACH_TOTALS.key(), Expression::default().add(counter, 1));
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
        let query = CONNECTOR.query().descending().limit(limit).strong();
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
        let attributes = [CONNECTOR.value(pick)?, ("picked_at", ms(now))].into_iter();
        let partner = pick.partner.as_ref().map(|partner| ("partner_id", s(partner.id.as_str())));
        let item = CONNECTOR.one(&pick.day).with(attributes.chain(partner));
        self.put_if(item, Some("attribute_not_exists(partner_id)")).await
    }

    /// An item of outreach; empty where there is none.
    async fn outreach_item(&self, key: &Key) -> Result<Item> {
        Ok(self.read(key).await?.unwrap_or_default())
    }
}
