//! The queue of who may be written to: a small item a listing, in its own partitions of the due index, written with the
//! change that makes the listing Live and taken out with the one that ends that. So no run looks at all listings.

use aws_sdk_dynamodb::types::Select;

use super::attributes::{Item, number, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::transaction::{Outcome, Transaction};
use super::{keys, table};
use registry_model::{ListingId, LiveChange, Moment};

/// The most waiting listings that are counted.
const COUNTED: i32 = 1000;

/// Where a listing stands in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutreachClass {
    /// Never written to.
    New,
    /// Written to before; due again when its pause is over.
    Again,
    /// Nothing is left to invite it to, or it is the registry itself.
    Done,
    /// It asked not to be written to.
    OptedOut,
}

impl OutreachClass {
    /// Whom a run writes to, in the order in which they are served.
    pub const SERVED: [Self; 2] = [Self::New, Self::Again];

    pub(super) const fn partition(self) -> &'static str {
        match self {
            Self::New => "OUTREACH#NEW",
            Self::Again => "OUTREACH#AGAIN",
            Self::Done => "OUTREACH#DONE",
            Self::OptedOut => "OUTREACH#OUT",
        }
    }

    fn of(partition: &str) -> Option<Self> {
        let all = [Self::New, Self::Again, Self::Done, Self::OptedOut];
        all.into_iter().find(|class| class.partition() == partition)
    }
}

/// A place in the queue as it was read; what is written about it holds only while it is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutreachPlace {
    /// Whose it is.
    pub id: ListingId,
    pub(super) due: String,
}

/// What is known of a listing that was, or may be, written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutreachState {
    /// Its place in the queue; `None` where it is in none.
    pub place: Option<OutreachPlace>,
    /// Where it stands.
    pub class: OutreachClass,
    /// When it was last written to.
    pub touched_at: Option<Moment>,
    /// How often.
    pub touches: u32,
    /// How often it checked in at its inbox since then.
    pub check_ins: u32,
}

impl Store {
    /// Puts a listing that is Live into the queue, where it stood before if it was in it, or takes out one that fell. A
    /// listing of an earlier table comes in with its next recheck.
    pub(super) fn queue_for_outreach(
        &self,
        transaction: &mut Transaction,
        id: &ListingId,
        change: LiveChange,
        at: Moment,
    ) -> Result<(), StoreError> {
        let [partition, sort] = table::DUE.key;
        let update = match change {
            LiveChange::Unseen => return Ok(()),
            LiveChange::Fallen => Expression::default().remove(partition).remove(sort),
            LiveChange::Risen | LiveChange::Kept => {
                let (class, due) = (s(OutreachClass::New.partition()), s(keys::at(at, id.as_str())));
                Expression::default()
                    .set_from(partition, "class", class.clone())
                    .set_from(sort, "due", due.clone())
                    .set_once("class", class)
                    .set_once("due", due)
            }
        };
        self.update(transaction, &keys::outreach(id), &update)
    }

    /// Who of a class is due, the longest waiting first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn outreach_due(
        &self,
        class: OutreachClass,
        now: Moment,
        limit: u32,
    ) -> Result<Vec<OutreachPlace>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(table::DUE.name)
            .key_condition_expression("gsi2pk = :class AND gsi2sk < :now")
            .expression_attribute_values(":class", s(class.partition()))
            .expression_attribute_values(":now", s(keys::at(now, "~")))
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .send()
            .await?;
        let place = |item: &Item| {
            let id = text(item, "pk").strip_prefix(keys::OUTREACH_OF)?.parse().ok()?;
            Some(OutreachPlace { id, due: text(item, table::DUE.key[1]).to_owned() })
        };
        Ok(answer.items.unwrap_or_default().iter().filter_map(place).collect())
    }

    /// How many listings are in a class, counted up to a thousand.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn outreach_count(&self, class: OutreachClass) -> Result<u32, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(table::DUE.name)
            .key_condition_expression("gsi2pk = :class")
            .expression_attribute_values(":class", s(class.partition()))
            .select(Select::Count)
            .limit(COUNTED)
            .send()
            .await?;
        Ok(u32::try_from(answer.count).unwrap_or(0))
    }

    /// What is known of these listings; those never in the queue are left out.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn outreach_states(
        &self,
        ids: &[ListingId],
    ) -> Result<Vec<(ListingId, OutreachState)>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let keys = ids.iter().map(|id| keys::outreach(id).item()).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?;
        Ok(items.iter().filter_map(state).collect())
    }

    /// Gives a place another due time, and perhaps another class; false where it was changed since it was read.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn move_outreach(
        &self,
        place: &OutreachPlace,
        until: Moment,
        class: Option<OutreachClass>,
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let update = moved(place, until, class);
        self.update(&mut transaction, &keys::outreach(&place.id), &update)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// A listing is never written to again; false where that was so already. It need not have been in the queue.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn opt_out(&self, id: &ListingId, now: Moment) -> Result<bool, StoreError> {
        let [partition, sort] = table::DUE.key;
        let (class, due) = (s(OutreachClass::OptedOut.partition()), s(keys::at(now, id.as_str())));
        let update = Expression::default()
            .set(partition, class.clone())
            .set_from(sort, "due", due.clone())
            .set_once("due", due)
            .set("class", class.clone())
            .only_if(
                "attribute_not_exists(pk) OR attribute_not_exists(#class) OR #class <> :out",
                [("#class", "class")],
                [(":out", class)],
            );
        let mut transaction = Transaction::default();
        self.update(&mut transaction, &keys::outreach(id), &update)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// A listing that opted out may be written to again from `due` on, while it is Live; false where it had not.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn opt_in(
        &self,
        id: &ListingId,
        class: OutreachClass,
        due: Moment,
        is_live: bool,
    ) -> Result<bool, StoreError> {
        let [partition, sort] = table::DUE.key;
        let (to, due) = (s(class.partition()), s(keys::at(due, id.as_str())));
        let update = Expression::default().set("class", to.clone()).set("due", due.clone());
        let update = if is_live {
            update.set(partition, to).set(sort, due)
        } else {
            update.remove(partition).remove(sort)
        };
        let out = s(OutreachClass::OptedOut.partition());
        let update = update.only_if("#class = :out", [("#class", "class")], [(":out", out)]);
        let mut transaction = Transaction::default();
        self.update(&mut transaction, &keys::outreach(id), &update)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }
}

/// A move in the queue, as long as the place is the one that was read and its listing may be written to.
pub(super) fn moved(place: &OutreachPlace, until: Moment, class: Option<OutreachClass>) -> Expression {
    let [partition, sort] = table::DUE.key;
    let due = s(keys::at(until, place.id.as_str()));
    let update = Expression::default().set(sort, due.clone()).set("due", due);
    let update = match class {
        Some(class) => update.set(partition, s(class.partition())).set("class", s(class.partition())),
        None => update,
    };
    update.only_if(
        "#sort = :was AND #partition <> :out",
        [("#sort", sort), ("#partition", partition)],
        [(":was", s(&place.due)), (":out", s(OutreachClass::OptedOut.partition()))],
    )
}

fn state(item: &Item) -> Option<(ListingId, OutreachState)> {
    let id: ListingId = text(item, "pk").strip_prefix(keys::OUTREACH_OF)?.parse().ok()?;
    let due = Some(text(item, table::DUE.key[1]).to_owned()).filter(|due| !due.is_empty());
    let touched_at = Some(number(item, "touched_at")).filter(|millis| *millis > 0);
    let count = |name| u32::try_from(number(item, name)).unwrap_or(0);
    let state = OutreachState {
        place: due.map(|due| OutreachPlace { id: id.clone(), due }),
        class: OutreachClass::of(text(item, "class")).unwrap_or(OutreachClass::New),
        touched_at: touched_at.and_then(Moment::from_millisecond),
        touches: count("touches"),
        check_ins: count("check_ins"),
    };
    Some((id, state))
}
