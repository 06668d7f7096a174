//! Sessions across protocols. A step is an item of its own and the head counts them, in one transaction under the head's
//! condition: two who append at once lose nothing, and no session grows without end. All of it expires after seven days.

use super::attributes::{Item, n, number, s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::rates::{Allowance, UsedUp};
use super::transaction::{Outcome, Transaction};
use registry_model::{MOST_STEPS, Moment, Session, SessionFacts, SessionId, SessionStep};

/// Seconds for which a session is kept.
pub const SESSION_KEPT: i64 = 7 * 86_400;

/// What became of an attempt to append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionWrite {
    /// It was written.
    Written,
    /// There is no such session, it is closed, expired or full; nothing was written.
    Refused,
    /// An allowance is used up; nothing was written.
    Limited(UsedUp),
}

/// What is appended to a session.
#[derive(Clone, Debug, Default)]
pub struct SessionChange {
    /// One more step, with something that tells it from others of its millisecond.
    pub step: Option<(SessionStep, String)>,
    /// What is known from now on; what is absent stays as it was.
    pub facts: SessionFacts,
    /// Nothing more is to be appended.
    pub close: bool,
}

/// How many sessions there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionTotals {
    /// Opened so far.
    pub opened: u64,
    /// Closed by those who opened them.
    pub closed: u64,
}

/// The attributes of the facts that are there.
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
    let known = names.into_iter().filter(|name| head.contains_key(*name));
    let members = known.map(|name| (name.to_owned(), text(head, name).into()));
    Ok(serde_json::from_value(serde_json::Value::Object(members.collect()))?)
}

fn step_item(digest: &str, step: &SessionStep, mark: &str) -> Result<Item, StoreError> {
    let mut item = keys::session_step(digest, step.at, mark).item();
    item.insert("step".to_owned(), s(serde_json::to_string(step)?));
    item.insert("ttl".to_owned(), n(step.at.as_second() + SESSION_KEPT));
    Ok(item)
}

impl Store {
    /// Opens a session.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn open_session(
        &self,
        id: &SessionId,
        change: &SessionChange,
        allowance: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<SessionWrite, StoreError> {
        let digest = id.digest();
        let mut transaction = Transaction::default();
        let mut head = keys::session(&digest).item();
        head.extend(attributes(&change.facts));
        head.insert("created_at".to_owned(), n(now.as_millisecond()));
        head.insert("ttl".to_owned(), n(now.as_second() + SESSION_KEPT));
        head.insert("steps".to_owned(), n(u8::from(change.step.is_some())));
        self.put(&mut transaction, head, Some("attribute_not_exists(pk)"))?;
        if let Some((step, mark)) = &change.step {
            self.put(&mut transaction, step_item(&digest, step, mark)?, None)?;
        }
        let opened = Expression::default().add("opened", 1);
        self.update(&mut transaction, &keys::session_totals(&digest), &opened)?;
        self.write_session(transaction, allowance, now).await
    }

    /// Appends to an open session that is not full.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
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
        let most = if change.step.is_some() { MOST_STEPS } else { MOST_STEPS + 1 };
        let head = head.only_if(
            "attribute_exists(pk) AND attribute_not_exists(closed_at) AND #ttl > :now AND #steps < :most",
            [("#ttl", "ttl"), ("#steps", "steps")],
            [(":now", n(now.as_second())), (":most", n(most))],
        );
        self.update(&mut transaction, &keys::session(&digest), &head)?;
        if let Some((step, mark)) = &change.step {
            self.put(&mut transaction, step_item(&digest, step, mark)?, None)?;
        }
        if change.close {
            let closed = Expression::default().add("closed", 1);
            self.update(&mut transaction, &keys::session_totals(&digest), &closed)?;
        }
        self.write_session(transaction, allowance, now).await
    }

    async fn write_session(
        &self,
        mut transaction: Transaction,
        allowance: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<SessionWrite, StoreError> {
        let counted = allowance.map(|act| self.allow(&mut transaction, &act, now)).transpose()?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => SessionWrite::Written,
            Outcome::Refused(positions) => counted
                .and_then(|counted| counted.used_up(&positions))
                .map_or(SessionWrite::Refused, SessionWrite::Limited),
        })
    }

    /// A session with its steps; `None` where there is none, or it expired.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn session(&self, id: &SessionId, now: Moment) -> Result<Option<Session>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :session")
            .expression_attribute_values(":session", s(keys::session(&id.digest()).pk))
            .consistent_read(true)
            .send()
            .await?;
        let items = answer.items.unwrap_or_default();
        let (heads, steps): (Vec<&Item>, Vec<&Item>) =
            items.iter().partition(|item| text(item, "sk") == "SESSION");
        let Some(head) = heads.first().filter(|head| number(head, "ttl") > now.as_second()) else {
            return Ok(None);
        };
        let steps = steps.into_iter().map(|item| Ok(serde_json::from_str(text(item, "step"))?));
        Ok(Some(Session {
            created_at: Moment::from_millisecond(number(head, "created_at")).unwrap_or(Moment::UNIX_EPOCH),
            expires_at: Moment::from_second(number(head, "ttl")).unwrap_or(Moment::UNIX_EPOCH),
            facts: facts_of(head)?,
            steps: steps.collect::<Result<_, StoreError>>()?,
            closed: head.contains_key("closed_at"),
        }))
    }

    /// How many sessions there were, by one query.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn session_totals(&self) -> Result<SessionTotals, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :totals")
            .expression_attribute_values(":totals", s(keys::SESSION_TOTALS))
            .send()
            .await?;
        let items = answer.items.unwrap_or_default();
        let sum = |name| u64::try_from(items.iter().map(|item| number(item, name)).sum::<i64>()).unwrap_or(0);
        Ok(SessionTotals { opened: sum("opened"), closed: sum("closed") })
    }
}
