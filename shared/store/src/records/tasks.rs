//! Tasks of A2A clients. They are stored for a day, so that every instance of a function can get, list, and
//! cancel them. A task is one item. If the registry chose the id of the task's context, the task also has a
//! small row in the list of this context. An id that a client chose is valid only for the address of this client.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::prelude::*;
use crate::table::reads::MAX_KEYS;

/// Tasks with ids of this registry, and of clients. With that of a context's list, the prefixes are distinct, so that no id or
/// address can turn one into another.
pub(super) const TASK: KeyPattern = KeyPattern::new("TASK#", "TASK");
pub(super) const CLIENT_TASK: KeyPattern = KeyPattern::new("TASKOF#", "TASK");
/// A row in the list of a context, by time.
pub(super) const TASK_ROW: KeyPattern = KeyPattern::new("TASKS#", "");

/// Seconds for which a task is stored after its last change.
const RETENTION: i64 = 86_400;

/// Rows of a context's list that are read for one page; a row has a few hundred bytes.
const MAX_ROWS: i32 = 500;

/// Bytes of content in one page, which cost 100 read units.
const MAX_PAGE_BYTES: i64 = 400_000;

/// Bytes of content per task. The limit is needed because any caller can store a task, and each kilobyte costs two
/// write units in a transaction.
pub const MAX_CONTENT_BYTES: usize = 64 * 1024;

/// Who chose the id of a task or of a context. An id of the registry cannot be guessed, so a caller that knows the id
/// may use it. If a client chose the id of a task, the id is valid only for the address of this client, and it must be
/// hard to guess, because others may share the address. If a client chose the id of a context, the context lists no
/// tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This registry.
    Ours,
    Client,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredTask {
    pub id: String,
    pub origin: Origin,
    /// The digest of the caller's address.
    pub caller: String,
    pub context_id: String,
    pub context_origin: Origin,
    /// A name that is defined by the protocol.
    pub state: String,
    pub at: Moment,
    /// The rest, as its protocol writes it; at most [`MAX_CONTENT_BYTES`] bytes.
    pub content: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskFilter {
    pub state: Option<String>,
    /// Changed at this time or later.
    pub since: Option<Moment>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskPage {
    /// The last changed first.
    pub tasks: Vec<StoredTask>,
    /// The number of all tasks, counted over the newest five hundred of the context.
    pub total: usize,
    /// Where the next page begins; none at the end.
    pub next: Option<String>,
}

impl StoredTask {
    fn key(&self) -> Key {
        match self.origin {
            Origin::Ours => TASK.of(&self.id),
            Origin::Client => client_task_key(&self.caller, &self.id),
        }
    }

    /// Its row in the list of its context; none where the context cannot be listed.
    fn row(&self) -> Option<Key> {
        let is_listed = self.context_origin == Origin::Ours;
        is_listed
            .then(|| Key::new(context_partition(&self.context_id), key::at(self.at, &key::bounded(&self.id))))
    }

    fn attributes(&self) -> [(&'static str, AttributeValue); 7] {
        [
            ("task_id", s(&self.id)),
            ("caller", s(&self.caller)),
            ("context_id", s(&self.context_id)),
            ("listed", AttributeValue::Bool(self.context_origin == Origin::Ours)),
            ("state", s(&self.state)),
            ("changed", ms(self.at)),
            ttl(self.at, RETENTION),
        ]
    }

    fn read(item: &Item) -> Result<Self> {
        let at = moment(item, "changed");
        Ok(Self {
            id: text(item, "task_id").to_owned(),
            origin: if text(item, "pk").starts_with(TASK.prefix) { Origin::Ours } else { Origin::Client },
            caller: text(item, "caller").to_owned(),
            context_id: text(item, "context_id").to_owned(),
            context_origin: match item.get("listed") {
                Some(AttributeValue::Bool(true)) => Origin::Ours,
                _ => Origin::Client,
            },
            state: text(item, "state").to_owned(),
            at: at.ok_or_else(|| StoreError::fault("a task has no valid time of change"))?,
            content: text(item, "content").to_owned(),
        })
    }
}

impl Store {
    /// Stores a task over `old`, which must not have changed since it was read. False where it has, or where
    /// a new task's id is taken; then nothing was written.
    pub async fn keep_task(&self, old: Option<&StoredTask>, task: &StoredTask, now: Moment) -> Result<bool> {
        let change = Expression::default().set_all(task.attributes()).set("content", s(&task.content));
        let change = match old {
            // DynamoDB removes expired items with a delay.
            None => change.if_missing_or("ttl", "<", n(now.as_second())),
            Some(old) => change.if_equal("state", s(&old.state)).if_equal("changed", ms(old.at)),
        };
        let mut transaction = Transaction::updating(task.key(), change);
        let (old_row, new_row) = (old.and_then(StoredTask::row), task.row());
        if let Some(row) = old_row.filter(|row| Some(row) != new_row.as_ref()) {
            transaction.delete(row);
        }
        if let Some(key) = new_row {
            let of_row = [("task_pk", s(task.key().pk)), ("size", n(task.content.len()))];
            transaction.put(key.with(task.attributes().into_iter().chain(of_row)));
        }
        self.commit(transaction).await
    }

    /// The task that a caller means by `id`: the one to which the caller gave that id, else the one to which the registry
    /// did. `callers` are the digests of the caller.
    pub async fn task(&self, id: &str, callers: &[&str], now: Moment) -> Result<Option<StoredTask>> {
        let keys = callers.iter().map(|caller| client_task_key(caller, id)).chain([TASK.of(id)]);
        let mut found = self.tasks_at(keys.collect(), now).await?;
        found.sort_by_key(|task| task.origin == Origin::Ours);
        Ok(found.into_iter().next())
    }

    /// The tasks of a context that a caller may read, the last changed first, after the place where an earlier page
    /// ended. `callers` are the digests of the caller.
    pub async fn tasks(
        &self,
        context_id: &str,
        callers: &[&str],
        filter: &TaskFilter,
        after: Option<&str>,
        limit: usize,
        now: Moment,
    ) -> Result<TaskPage> {
        let (rows, read_to) = self.rows(context_id, callers, filter, after, now).await?;
        let total = match after {
            None => rows.len(),
            Some(_) => self.rows(context_id, callers, filter, None, now).await?.0.len(),
        };
        let page = &rows[..page_rows(&rows, limit.min(MAX_KEYS))];
        let next =
            if page.len() < rows.len() { page.last().map(|row| text(row, "sk").to_owned()) } else { read_to };
        let keys = page.iter().map(|row| Key::new(text(row, "task_pk"), TASK.sort)).collect();
        let mut tasks = self.tasks_at(keys, now).await?;
        tasks.sort_by_key(|task| std::cmp::Reverse(key::at(task.at, &task.id)));
        Ok(TaskPage { tasks, total, next })
    }

    /// The rows of a context's list that the filter selects, the newest first, and where reading stopped, unless the list
    /// ended.
    async fn rows(
        &self,
        context_id: &str,
        callers: &[&str],
        filter: &TaskFilter,
        after: Option<&str>,
        now: Moment,
    ) -> Result<(Vec<Item>, Option<String>)> {
        let oldest = key::before(now, RETENTION);
        let since = filter.since.map_or(oldest, |since| since.max(oldest));
        let query =
            Query::of(context_partition(context_id)).range(Range::From(key::millis(since))).after_key(after);
        let mut page = self.query(query.descending().limit(MAX_ROWS).strong()).await?;
        page.items.retain(|row| is_selected(row, filter, now) && is_readable(row, callers));
        let read_to = page.next_after("sk");
        Ok((page.items, read_to))
    }

    async fn tasks_at(&self, keys: Vec<Key>, now: Moment) -> Result<Vec<StoredTask>> {
        let items = self.batch_get(keys, Consistency::Strong).await?;
        items.iter().filter(|item| number(item, "ttl") > now.as_second()).map(StoredTask::read).collect()
    }
}

fn client_task_key(caller: &str, id: &str) -> Key {
    Key::new(format!("{}{caller}#{}", CLIENT_TASK.prefix, key::bounded(id)), CLIENT_TASK.sort)
}

fn context_partition(context_id: &str) -> String {
    format!("{}{context_id}", TASK_ROW.prefix)
}

/// The row of a stored task in the list of its context.
pub(super) fn task_row_key(item: &Item) -> Option<Key> {
    StoredTask::read(item).ok()?.row()
}

fn is_selected(row: &Item, filter: &TaskFilter, now: Moment) -> bool {
    let in_state = filter.state.as_ref().is_none_or(|state| text(row, "state") == state);
    number(row, "ttl") > now.as_second() && in_state
}

/// A task whose id a client chose is shown only to this client.
fn is_readable(row: &Item, callers: &[&str]) -> bool {
    text(row, "task_pk").starts_with(TASK.prefix) || callers.contains(&text(row, "caller"))
}

/// How many of the first rows fit one page; at least one.
fn page_rows(rows: &[Item], limit: usize) -> usize {
    let mut bytes = 0;
    let fits = rows.iter().take(limit).take_while(|row| {
        let is_first = bytes == 0;
        bytes += number(row, "size").max(1);
        is_first || bytes <= MAX_PAGE_BYTES
    });
    fits.count()
}

#[cfg(test)]
mod tests;
