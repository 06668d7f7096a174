//! Sessions across protocols. Each step is a separate item, and the head item counts the steps. A step and
//! the head are written in one transaction with a condition on the head. So no concurrent step is lost, and
//! the number of steps is limited. A session expires after seven days.

use super::attributes::{Item, blobs, moment, n, number, s, sum, text, to_blob, ttl};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::rates::{Allowance, UsedUp};
use super::reads::Query;
use super::transaction::{Outcome, Transaction};
use registry_model::{MAX_SESSION_STEPS, Moment, Session, SessionFacts, SessionId, SessionStep};

pub const SESSION_RETENTION: i64 = 7 * 86_400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionWrite {
    Written,
    /// The session does not exist, or is closed, expired or full; nothing was written.
    Refused,
    /// A rate limit is exceeded; nothing was written.
    Limited(UsedUp),
}

#[derive(Clone, Debug, Default)]
pub struct SessionChange {
    /// One more step, with a text that distinguishes it from others of its millisecond.
    pub step: Option<(SessionStep, String)>,
    /// New facts; those that are absent stay as they were.
    pub facts: SessionFacts,
    pub close: bool,
}

/// How many sessions there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionTotals {
    pub opened: u64,
    /// Closed by their callers.
    pub closed: u64,
}

fn attributes(facts: &SessionFacts) -> Item {
    let facts = [
        ("entry_protocol", facts.entry_protocol.map(|protocol| protocol.as_str().to_owned())),
        ("listing_id", facts.listing_id.as_ref().map(ToString::to_string)),
        ("agent_name", facts.agent_name.clone()),
        ("match_q", facts.match_q.clone()),
        ("demo_order_id", facts.demo_order_id.clone()),
        ("feedback_id", facts.feedback_id.clone()),
    ];
    facts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), s(text?)))).collect()
}

fn facts_of(head: &Item) -> Result<SessionFacts, StoreError> {
    let names = ["entry_protocol", "listing_id", "agent_name", "match_q", "demo_order_id", "feedback_id"];
    let present = names.into_iter().filter(|name| head.contains_key(*name));
    let members = present.map(|name| (name.to_owned(), text(head, name).into()));
    Ok(serde_json::from_value(serde_json::Value::Object(members.collect()))?)
}

fn put_step(
    transaction: &mut Transaction,
    digest: &str,
    step: Option<&(SessionStep, String)>,
) -> Result<(), StoreError> {
    if let Some((step, mark)) = step {
        let key = keys::session_step(digest, step.at, mark);
        transaction.put(key.with([("step", to_blob(step)?), ttl(step.at, SESSION_RETENTION)]));
    }
    Ok(())
}

impl Store {
    pub async fn open_session(
        &self,
        id: &SessionId,
        change: &SessionChange,
        allowance: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<SessionWrite, StoreError> {
        let digest = id.digest();
        let mut transaction = Transaction::default();
        let mut head = keys::session(&digest).with([
            ("created_at", n(now.as_millisecond())),
            ttl(now, SESSION_RETENTION),
            ("steps", n(u8::from(change.step.is_some()))),
        ]);
        head.extend(attributes(&change.facts));
        transaction.put_new(head);
        put_step(&mut transaction, &digest, change.step.as_ref())?;
        transaction.update(keys::session_totals(&digest), Expression::default().add("opened", 1));
        self.write_session(transaction, allowance, now).await
    }

    /// Appends to an open session that is not full.
    pub async fn append_to_session(
        &self,
        id: &SessionId,
        change: &SessionChange,
        allowance: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<SessionWrite, StoreError> {
        let digest = id.digest();
        let mut transaction = Transaction::default();
        let mut head = Expression::default()
            .set_all(attributes(&change.facts))
            .set("appended_at", n(now.as_millisecond()))
            .add("steps", i64::from(change.step.is_some()));
        if change.close {
            head = head.set("closed_at", n(now.as_millisecond()));
        }
        let max_steps = if change.step.is_some() { MAX_SESSION_STEPS } else { MAX_SESSION_STEPS + 1 };
        let head = head.only_if(
            "attribute_exists(pk) AND attribute_not_exists(closed_at) AND #ttl > :now AND #steps < :most",
            [("#ttl", "ttl"), ("#steps", "steps")],
            [(":now", n(now.as_second())), (":most", n(max_steps))],
        );
        transaction.update(keys::session(&digest), head);
        put_step(&mut transaction, &digest, change.step.as_ref())?;
        if change.close {
            transaction.update(keys::session_totals(&digest), Expression::default().add("closed", 1));
        }
        self.write_session(transaction, allowance, now).await
    }

    async fn write_session(
        &self,
        transaction: Transaction,
        allowance: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<SessionWrite, StoreError> {
        if let Some(used_up) = self.used_up(allowance, now).await? {
            return Ok(SessionWrite::Limited(used_up));
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => SessionWrite::Written,
            Outcome::Refused(_) => SessionWrite::Refused,
        })
    }

    /// A session with its steps; `None` where there is none, or it expired.
    pub async fn session(&self, id: &SessionId, now: Moment) -> Result<Option<Session>, StoreError> {
        let items = self.partition(&keys::session(&id.digest()).pk).await?;
        let (heads, steps): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|item| text(item, "sk") == keys::SESSION);
        let Some(head) = heads.first().filter(|head| number(head, "ttl") > now.as_second()) else {
            return Ok(None);
        };
        Ok(Some(Session {
            created_at: moment(head, "created_at").unwrap_or(Moment::UNIX_EPOCH),
            expires_at: Moment::from_second(number(head, "ttl")).unwrap_or(Moment::UNIX_EPOCH),
            facts: facts_of(head)?,
            steps: blobs(&steps, "step")?,
            closed: head.contains_key("closed_at"),
        }))
    }

    /// How many sessions there were, by one query.
    pub async fn session_totals(&self) -> Result<SessionTotals, StoreError> {
        let items = self.query(Query::of(keys::SESSION_TOTALS)).await?.items;
        Ok(SessionTotals { opened: sum(&items, "opened"), closed: sum(&items, "closed") })
    }
}
