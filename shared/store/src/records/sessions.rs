//! Sessions across protocols. Each step is a separate item, and the head item counts the steps. A step and
//! the head are written in one transaction with a condition on the head. So no concurrent step is lost, and
//! the number of steps is limited. A session expires after seven days.

use super::rates::Allowance;
use crate::table::prelude::*;
use registry_model::{MAX_SESSION_STEPS, Session, SessionFacts, SessionId, SessionStep};

pub const SESSION_RETENTION: i64 = 7 * 86_400;

#[derive(Clone, Debug, Default)]
pub struct SessionChange {
    /// One more step, with a text that distinguishes it from others of its millisecond.
    pub step: Option<(SessionStep, String)>,
    /// New facts; those that are absent stay as they were.
    pub facts: SessionFacts,
    pub close: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionTotals {
    pub opened: u64,
    /// Closed by their callers.
    pub closed: u64,
}

fn put_step(transaction: &mut Transaction, digest: &str, step: Option<&(SessionStep, String)>) -> Result<()> {
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
    ) -> Result<bool> {
        self.count_allowed(allowance, now).await?;
        let digest = id.digest();
        let mut transaction = Transaction::default();
        let mut head = keys::SESSION.of(&digest).with([
            ("created_at", n(now.as_millisecond())),
            ttl(now, SESSION_RETENTION),
            ("steps", n(u8::from(change.step.is_some()))),
        ]);
        head.extend(serde_dynamo::to_item::<_, Item>(&change.facts)?);
        transaction.put_new(head);
        put_step(&mut transaction, &digest, change.step.as_ref())?;
        transaction.update(keys::session_totals(&digest), Expression::default().add("opened", 1));
        Ok(self.transact(transaction).await?.is_written())
    }

    /// Appends to a session. False, and nothing is written, if it does not exist, or is closed, expired or full.
    pub async fn append_to_session(
        &self,
        id: &SessionId,
        change: &SessionChange,
        allowance: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<bool> {
        self.count_allowed(allowance, now).await?;
        let digest = id.digest();
        let mut transaction = Transaction::default();
        let mut head = Expression::default()
            .set_all(serde_dynamo::to_item(&change.facts)?)
            .set("appended_at", n(now.as_millisecond()))
            .add("steps", i64::from(change.step.is_some()));
        if change.close {
            head = head.set("closed_at", n(now.as_millisecond()));
        }
        let max_steps = if change.step.is_some() { MAX_SESSION_STEPS } else { MAX_SESSION_STEPS + 1 };
        let head = head.if_missing("closed_at").if_is("ttl", ">", n(now.as_second())).if_is(
            "steps",
            "<",
            n(max_steps),
        );
        transaction.update(keys::SESSION.of(&digest), head);
        put_step(&mut transaction, &digest, change.step.as_ref())?;
        if change.close {
            transaction.update(keys::session_totals(&digest), Expression::default().add("closed", 1));
        }
        Ok(self.transact(transaction).await?.is_written())
    }

    /// A session with its steps; `None` where there is none, or it expired.
    pub async fn session(&self, id: &SessionId, now: Moment) -> Result<Option<Session>> {
        let items = self.partition(&keys::SESSION.partition(id.digest())).await?;
        let (heads, steps): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|item| keys::SESSION.is_place_of(item));
        let Some(head) = heads.first().filter(|head| number(head, "ttl") > now.as_second()) else {
            return Ok(None);
        };
        Ok(Some(Session {
            created_at: moment(head, "created_at").unwrap_or(Moment::UNIX_EPOCH),
            expires_at: Moment::from_second(number(head, "ttl")).unwrap_or(Moment::UNIX_EPOCH),
            facts: serde_dynamo::from_item(head.clone())?,
            steps: blobs(&steps, "step")?,
            closed: head.contains_key("closed_at"),
        }))
    }

    /// How many sessions there were, by one query.
    pub async fn session_totals(&self) -> Result<SessionTotals> {
        let items = self.query(Query::of(keys::SESSION_TOTALS)).await?.items;
        Ok(SessionTotals { opened: sum(&items, "opened"), closed: sum(&items, "closed") })
    }
}
