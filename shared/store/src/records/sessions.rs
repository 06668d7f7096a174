//! Sessions across protocols. Each step is a separate item, and the head item counts the steps. A step and
//! the head are written in one transaction with a condition on the head. So no concurrent step is lost, and
//! the number of steps is limited. A session expires after seven days.

use crate::prelude::*;
use registry_model::{MAX_SESSION_STEPS, Session, SessionFacts, SessionId, SessionStep};

/// Under the digest of the session id, so that reading the table does not give the right to append.
pub(super) const SESSION: KeyPattern = KeyPattern::new("SESSION#", "SESSION");
/// A step of a session, by time.
pub(super) const STEP: Record<SessionStep> =
    Record::new(SESSION.prefix, "STEP#", "step").stored_for(SESSION_RETENTION);
/// How many sessions were opened and closed, spread over a few items.
pub(super) const SESSION_TOTALS: KeyPattern = KeyPattern::new("SESSIONS", "");

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

/// One of the counters. The digest decides which one.
fn session_counter(digest: &str) -> Key {
    let digits = u64::from_str_radix(digest.get(..4).unwrap_or_default(), 16).unwrap_or_default();
    SESSION_TOTALS.one(format_args!("{:02}", digits % key::SHARDS))
}

impl Transaction {
    fn put_session_step(&mut self, digest: &str, step: Option<&(SessionStep, String)>) -> Result<()> {
        if let Some((step, mark)) = step {
            let key = STEP.one_of(digest, key::at(step.at, mark));
            self.put(STEP.expiring_item(&key, step, step.at)?);
        }
        Ok(())
    }
}

impl Store {
    pub async fn open_session(
        &self,
        id: &SessionId,
        change: &SessionChange,
        act: Act<'_>,
        now: Moment,
    ) -> Result<bool> {
        self.count_allowed(act, now).await?;
        let digest = id.digest();
        let mut transaction = Transaction::default();
        let mut head = SESSION.of(&digest).with([
            ("created_at", ms(now)),
            ttl(now, SESSION_RETENTION),
            ("steps", n(u8::from(change.step.is_some()))),
        ]);
        head.extend(serde_dynamo::to_item::<_, Item>(&change.facts)?);
        transaction.put_new(head);
        transaction.put_session_step(&digest, change.step.as_ref())?;
        transaction.update(session_counter(&digest), Expression::default().add("opened", 1));
        self.commit(transaction).await
    }

    /// Appends to a session. False, and nothing is written, if it does not exist, or is closed, expired or full.
    pub async fn append_to_session(
        &self,
        id: &SessionId,
        change: &SessionChange,
        act: Act<'_>,
        now: Moment,
    ) -> Result<bool> {
        self.count_allowed(act, now).await?;
        let digest = id.digest();
        let mut transaction = Transaction::default();
        let head = Expression::default()
            .set_all(serde_dynamo::to_item::<_, Item>(&change.facts)?)
            .set("appended_at", ms(now))
            .add("steps", change.step.is_some());
        let head = if change.close { head.set("closed_at", ms(now)) } else { head };
        let max_steps = if change.step.is_some() { MAX_SESSION_STEPS } else { MAX_SESSION_STEPS + 1 };
        let head = head.if_missing("closed_at").if_is("ttl", ">", n(now.as_second()));
        let head = head.if_is("steps", "<", n(max_steps));
        transaction.update(SESSION.of(&digest), head);
        transaction.put_session_step(&digest, change.step.as_ref())?;
        if change.close {
            transaction.update(session_counter(&digest), Expression::default().add("closed", 1));
        }
        self.commit(transaction).await
    }

    /// A session with its steps; `None` where there is none, or it expired.
    pub async fn session(&self, id: &SessionId, now: Moment) -> Result<Option<Session>> {
        let items = self.partition(&SESSION.partition(id.digest())).await?;
        let (heads, steps) = SESSION.split(items);
        let Some(head) = heads.first().filter(|head| number(head, "ttl") > now.as_second()) else {
            return Ok(None);
        };
        Ok(Some(Session {
            created_at: moment(head, "created_at").unwrap_or(Moment::UNIX_EPOCH),
            expires_at: Moment::from_second(number(head, "ttl")).unwrap_or(Moment::UNIX_EPOCH),
            facts: serde_dynamo::from_item(head.clone())?,
            steps: STEP.read_all(&steps)?,
            closed: head.contains_key("closed_at"),
        }))
    }

    /// How many sessions there were, by one query.
    pub async fn session_totals(&self) -> Result<SessionTotals> {
        let items = self.query(SESSION_TOTALS.query()).await?.items;
        Ok(SessionTotals { opened: sum(&items, "opened"), closed: sum(&items, "closed") })
    }
}
