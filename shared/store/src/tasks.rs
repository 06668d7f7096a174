//! Tasks of A2A clients, stored for a day so that get, list and cancel work across instances. A task is one item, and a
//! small row in the list of its context where that id is ours; ids that clients choose are keyed by caller.

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, n, number, s, text};
use super::batch_get::{Consistency, MAX_KEYS};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::transaction::{Outcome, Transaction};
use registry_model::Moment;

/// Seconds for which a task is stored after its last change.
pub const TASK_KEPT: i64 = 86_400;

/// Rows of a context's list that are read for one page; a row has a few hundred bytes.
const LISTED: i32 = 500;

/// Bytes of content in one page, well below Lambda's 6 MB and a batch's 16 MB.
const LARGEST_PAGE: i64 = 3_000_000;

/// The largest content that is stored, in bytes: each kilobyte costs two write units in a transaction, and anybody may
/// have a task stored.
pub const LARGEST_CONTENT: usize = 64 * 1024;

/// Who chose the id of a task or of a context. An id of ours cannot be guessed, so knowing it is enough; the id that a
/// client chose for a task counts for that client's address only, and one for a context lists nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// We did.
    Ours,
    /// The client did.
    Client,
}

/// A task as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptTask {
    /// Its id.
    pub id: String,
    /// Who chose the id.
    pub origin: Origin,
    /// By whom it was asked for, as rates name callers.
    pub caller: String,
    /// The conversation it belongs to.
    pub context_id: String,
    /// Who chose the id of the conversation.
    pub context_origin: Origin,
    /// Its state, by a name that only its protocol needs to know.
    pub state: String,
    /// Since when it is in that state.
    pub at: Moment,
    /// All the rest, as its protocol writes it; at most [`LARGEST_CONTENT`] bytes.
    pub content: String,
}

/// Which tasks of a context are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskFilter {
    /// In this state.
    pub state: Option<String>,
    /// Changed at this time or later.
    pub since: Option<Moment>,
}

/// A part of a context's tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskPage {
    /// The tasks, the last changed first.
    pub tasks: Vec<KeptTask>,
    /// How many there are in all, counted over the newest five hundred of the context.
    pub total: usize,
    /// Where the next page begins; none at the end.
    pub next: Option<String>,
}

impl KeptTask {
    fn key(&self) -> Key {
        match self.origin {
            Origin::Ours => ours(&self.id),
            Origin::Client => of_client(&self.caller, &self.id),
        }
    }

    /// Its row in the list of its context; none where nobody may list that.
    fn row(&self) -> Option<Key> {
        let is_listed = self.context_origin == Origin::Ours;
        is_listed.then(|| Key::new(list(&self.context_id), keys::at(self.at, &keys::bounded(&self.id))))
    }

    fn expires(&self) -> i64 {
        self.at.as_second() + TASK_KEPT
    }

    fn attributes(&self) -> Item {
        Item::from([
            ("task_id".to_owned(), s(&self.id)),
            ("caller".to_owned(), s(&self.caller)),
            ("context_id".to_owned(), s(&self.context_id)),
            ("listed".to_owned(), AttributeValue::Bool(self.context_origin == Origin::Ours)),
            ("state".to_owned(), s(&self.state)),
            ("changed".to_owned(), n(self.at.as_millisecond())),
            ("ttl".to_owned(), n(self.expires())),
        ])
    }

    fn read(item: &Item) -> Result<Self, StoreError> {
        let origin = if text(item, "pk").starts_with(OURS) { Origin::Ours } else { Origin::Client };
        Ok(Self {
            id: text(item, "task_id").to_owned(),
            origin,
            caller: text(item, "caller").to_owned(),
            context_id: text(item, "context_id").to_owned(),
            context_origin: match item.get("listed") {
                Some(AttributeValue::Bool(true)) => Origin::Ours,
                _ => Origin::Client,
            },
            state: text(item, "state").to_owned(),
            at: time(item)?,
            content: text(item, "content").to_owned(),
        })
    }
}

impl Store {
    /// Keeps a task in the place of `before`, which must still be as it was read. Says false where it is not, or
    /// where a new task's id is taken; then nothing was written.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_task(
        &self,
        before: Option<&KeptTask>,
        task: &KeptTask,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let change = Expression::default().set_all(task.attributes()).set("content", s(&task.content));
        let change = match before {
            // Expired items are taken away in DynamoDB's own time.
            None => change.only_if(
                "attribute_not_exists(pk) OR #ttl < :now",
                [("#ttl", "ttl")],
                [(":now", n(now.as_second()))],
            ),
            Some(before) => change.only_if(
                "#state = :state AND #changed = :changed",
                [("#state", "state"), ("#changed", "changed")],
                [(":state", s(&before.state)), (":changed", n(before.at.as_millisecond()))],
            ),
        };
        let mut transaction = Transaction::default();
        self.update(&mut transaction, &task.key(), &change)?;
        let (old, new) = (before.and_then(KeptTask::row), task.row());
        if let Some(old) = old.filter(|old| Some(old) != new.as_ref()) {
            self.delete(&mut transaction, &old, None)?;
        }
        if let Some(new) = new {
            let mut row = new.item();
            row.extend(task.attributes());
            row.insert("task_pk".to_owned(), s(task.key().pk));
            row.insert("size".to_owned(), n(task.content.len()));
            self.put(&mut transaction, row, None)?;
        }
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// The task that `caller` means by `id`: the one to which it gave that id, else the one to which we did.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn task(&self, id: &str, caller: &str, now: Moment) -> Result<Option<KeptTask>, StoreError> {
        let mut found = self.tasks_at(vec![of_client(caller, id), ours(id)], now).await?;
        found.sort_by_key(|task| task.origin == Origin::Ours);
        Ok(found.into_iter().next())
    }

    /// The tasks of a context, the last changed first; those after `after` (where an earlier page ended).
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn tasks(
        &self,
        context_id: &str,
        filter: &TaskFilter,
        after: Option<&str>,
        limit: usize,
        now: Moment,
    ) -> Result<TaskPage, StoreError> {
        let (rows, read_to) = self.rows(context_id, filter, after, now).await?;
        let total = match after {
            None => rows.len(),
            Some(_) => self.rows(context_id, filter, None, now).await?.0.len(),
        };
        let page = &rows[..bearable(&rows, limit.min(MAX_KEYS))];
        let next =
            if page.len() < rows.len() { page.last().map(|row| text(row, "sk").to_owned()) } else { read_to };
        let places = page.iter().map(|row| Key::new(text(row, "task_pk"), TASK)).collect();
        let mut tasks = self.tasks_at(places, now).await?;
        tasks.sort_by_key(|task| std::cmp::Reverse(keys::at(task.at, &task.id)));
        Ok(TaskPage { tasks, total, next })
    }

    /// The wanted rows of a context's list, the newest first, and where the reading ended before the list did.
    async fn rows(
        &self,
        context_id: &str,
        filter: &TaskFilter,
        after: Option<&str>,
        now: Moment,
    ) -> Result<(Vec<Item>, Option<String>), StoreError> {
        let oldest = Moment::from_second(now.as_second() - TASK_KEPT).unwrap_or(Moment::UNIX_EPOCH);
        let since = filter.since.map_or(oldest, |since| since.max(oldest));
        let start = after.map(|after| Key::new(list(context_id), after).item());
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :list AND sk >= :since")
            .expression_attribute_values(":list", s(list(context_id)))
            .expression_attribute_values(":since", s(keys::millis(since)))
            .set_exclusive_start_key(start)
            .scan_index_forward(false)
            .limit(LISTED)
            .consistent_read(true)
            .send()
            .await?;
        let read_to = answer.last_evaluated_key.as_ref().map(|key| text(key, "sk").to_owned());
        let rows =
            answer.items.unwrap_or_default().into_iter().filter(|row| wanted(row, filter, now)).collect();
        Ok((rows, read_to))
    }

    async fn tasks_at(&self, places: Vec<Key>, now: Moment) -> Result<Vec<KeptTask>, StoreError> {
        let items = self.batch_get(places.iter().map(Key::item).collect(), Consistency::Strong).await?;
        items.iter().filter(|item| number(item, "ttl") > now.as_second()).map(KeptTask::read).collect()
    }
}

/// The sort key of a task's item.
const TASK: &str = "TASK";
/// Partitions of tasks whose ids are ours, of those whose ids a client chose, and of a context's list: no id or
/// address can turn one into another.
const OURS: &str = "TASK#";
const CLIENTS: &str = "TASKOF#";

fn ours(id: &str) -> Key {
    Key::new(format!("{OURS}{}", keys::bounded(id)), TASK)
}

fn of_client(caller: &str, id: &str) -> Key {
    Key::new(format!("{CLIENTS}{caller}#{}", keys::bounded(id)), TASK)
}

fn list(context_id: &str) -> String {
    format!("TASKS#{context_id}")
}

fn wanted(row: &Item, filter: &TaskFilter, now: Moment) -> bool {
    let in_state = filter.state.as_ref().is_none_or(|state| text(row, "state") == state);
    number(row, "ttl") > now.as_second() && in_state
}

/// How many of the first rows make a page that can be sent; one at least.
fn bearable(rows: &[Item], limit: usize) -> usize {
    let mut sent = 0;
    let fits = rows.iter().take(limit).take_while(|row| {
        let first = sent == 0;
        sent += number(row, "size").max(1);
        first || sent <= LARGEST_PAGE
    });
    fits.count()
}

fn time(item: &Item) -> Result<Moment, StoreError> {
    let Some(AttributeValue::N(_)) = item.get("changed") else {
        return Err(StoreError::Fault("a task without a time".to_owned()));
    };
    Moment::from_millisecond(number(item, "changed"))
        .ok_or_else(|| StoreError::Fault("a task changed outside all time".to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn task(origin: Origin, caller: &str, id: &str) -> KeptTask {
        KeptTask {
            id: id.to_owned(),
            origin,
            caller: caller.to_owned(),
            context_id: "c".to_owned(),
            context_origin: origin,
            state: "completed".to_owned(),
            at: "2026-11-20T12:00:00Z".parse().unwrap(),
            content: "{}".to_owned(),
        }
    }

    #[test]
    fn no_two_tasks_of_strangers_meet() {
        let places = [
            task(Origin::Ours, "192.0.2.1", "x"),
            task(Origin::Client, "192.0.2.1", "x"),
            task(Origin::Client, "192.0.2.2", "x"),
            task(Origin::Ours, "192.0.2.1", "OF#192.0.2.2#x"),
            task(Origin::Client, "192.0.2.1", "#x"),
        ];
        let keys: std::collections::BTreeSet<String> = places.iter().map(|task| task.key().pk).collect();
        assert_eq!(keys.len(), places.len());
    }

    proptest! {
        #[test]
        fn every_key_made_from_a_clients_id_fits(id in prop_oneof!["\\PC{0,40}", "\\PC{500,3000}"]) {
            for origin in [Origin::Ours, Origin::Client] {
                let task = task(origin, "2001:db8:ffff:ffff::/64", &id);
                for key in std::iter::once(task.key()).chain(task.row()) {
                    prop_assert!(key.pk.len() <= 2048 && key.sk.len() <= 1024, "{id}");
                }
            }
        }
    }

    #[test]
    fn a_page_stays_bearable() {
        let row = |size: i64| Item::from([("size".to_owned(), n(size))]);
        let (small, large) = (row(1000), row(2_000_000));
        assert_eq!(bearable(&[small.clone(), small.clone(), small.clone()], 2), 2);
        assert_eq!(bearable(&[large.clone(), small.clone(), large, small.clone()], 9), 2);
        assert_eq!(bearable(&[row(9_000_000), small], 9), 1);
        assert_eq!(bearable(&[], 9), 0);
    }

    #[test]
    fn a_task_is_read_as_it_was_kept() {
        for origin in [Origin::Ours, Origin::Client] {
            let task = task(origin, "2001:db8::/64", "a b/ü");
            let mut item = task.key().item();
            item.extend(task.attributes());
            item.insert("content".to_owned(), s(&task.content));
            assert_eq!(KeptTask::read(&item).unwrap(), task);
        }
    }
}
