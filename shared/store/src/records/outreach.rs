//! The outreach queue: the Live listings that the registry may contact. Each has a small item in a partition
//! that no other kind of item uses. The item is written in the transaction that makes the listing Live, and
//! removed in the transaction that ends Live. So no run has to read all listings.

use crate::prelude::*;
use registry_model::{LiveChange, string_enum};

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

/// Adds a Live listing to the queue, at its earlier place if it had one, or removes one that is no longer Live. A listing
/// of an earlier table is added with its next recheck.
pub(super) fn queue_for_outreach(
    transaction: &mut Transaction,
    id: &ListingId,
    change: LiveChange,
    at: Moment,
) {
    let [partition, sort] = table::DUE.key;
    let update = match change {
        LiveChange::NotLive => return,
        LiveChange::Fallen => Expression::default().remove(partition).remove(sort),
        LiveChange::Risen | LiveChange::StaysLive => {
            let (class, due) = (s(OutreachClass::New.as_str()), s(key::at(at, id.as_str())));
            Expression::default()
                .set_from(partition, "class", class.clone())
                .set_from(sort, "due", due.clone())
                .set_once("class", class)
                .set_once("due", due)
        }
    };
    transaction.update(OUTREACH.of(id), update);
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
        let place = |item: &Item| Some(OutreachPlace { id: OUTREACH.listing_of(item)?, due: due_of(item)? });
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
        Ok(items.iter().filter_map(state).collect())
    }

    /// Changes the due time of a place, and optionally its class; false where it was changed since it was read.
    pub async fn move_outreach(
        &self,
        place: &OutreachPlace,
        until: Moment,
        class: Option<OutreachClass>,
    ) -> Result<bool> {
        self.change_outreach(&place.id, moved(place, until, class)).await
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
        self.change_outreach(id, update).await
    }

    /// Allows invitations of a listing that opted out, from `due` on, while it is Live; false where it had not opted out.
    pub async fn opt_in(
        &self,
        id: &ListingId,
        class: OutreachClass,
        due: Moment,
        is_live: bool,
    ) -> Result<bool> {
        let [partition, sort] = table::DUE.key;
        let (class, due) = (s(class.as_str()), s(key::at(due, id.as_str())));
        let update = Expression::default().set("class", class.clone()).set("due", due.clone());
        let update = if is_live {
            update.set(partition, class).set(sort, due)
        } else {
            update.remove(partition).remove(sort)
        };
        self.change_outreach(id, update.if_equal("class", s(OutreachClass::OptedOut.as_str()))).await
    }

    async fn change_outreach(&self, id: &ListingId, change: Expression) -> Result<bool> {
        self.change(OUTREACH.of(id), change).await
    }
}

/// A move in the queue, provided that the place has not changed and its listing has not opted out.
pub(super) fn moved(place: &OutreachPlace, until: Moment, class: Option<OutreachClass>) -> Expression {
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

fn due_of(item: &Item) -> Option<String> {
    some_text(item, table::DUE.key[1])
}

fn state(item: &Item) -> Option<(ListingId, OutreachState)> {
    let id = OUTREACH.listing_of(item)?;
    let state = OutreachState {
        place: due_of(item).map(|due| OutreachPlace { id: id.clone(), due }),
        class: OutreachClass::named(text(item, "class")).unwrap_or(OutreachClass::New),
        touched_at: moment(item, "touched_at"),
        touches: unsigned(item, "touches"),
        check_ins: unsigned(item, "check_ins"),
    };
    Some((id, state))
}
