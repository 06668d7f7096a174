//! Reads, cancels and lists stored tasks. Callers have no credentials, and many callers share an address. So
//! anyone can read a task if they know an id that this registry created. A task whose id a client chose can
//! be read only from the address of this client. The answer for an expired task is
//! the same as for an unknown id, so that nobody can guess ids.

use super::A2aError;
use super::id::{is_own_context_id, is_valid_id, new_id};
use super::message::{Message, Part};
use super::task::Task;
use super::task::TaskState;
use registry_app::App;
use registry_model::{Caller, Cursor, Moment, TimeKey};
use registry_store::{StoredTask, TaskFilter};

#[derive(Clone, Debug, PartialEq)]
pub struct ListRequest {
    /// Without a context id of ours no task is listed.
    pub context_id: Option<String>,
    pub state: Option<TaskState>,
    pub since: Option<Moment>,
    pub page_token: Option<String>,
    pub page_size: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskList {
    pub tasks: Vec<Task>,
    pub next_page_token: Option<String>,
    /// On all pages.
    pub total: usize,
}

pub async fn get(app: &App, caller: Caller, id: &str) -> Result<Task, A2aError> {
    Ok(find(app, caller, id).await?.0)
}

pub async fn cancel(app: &App, caller: Caller, id: &str) -> Result<Task, A2aError> {
    let (mut task, stored) = find(app, caller, id).await?;
    if task.state.is_final() {
        return Err(A2aError::not_cancelable(&task.id, Some(task.state)));
    }
    task.contents.history.extend(task.contents.message.take());
    let parts = vec![Part::text(CANCELED_TEXT)];
    task.contents.message = Some(Message::of_agent(new_id(app), &task.context_id, &task.id, parts));
    (task.state, task.at) = (TaskState::Canceled, app.clock.now());
    if app.store.keep_task(Some(&stored), &task.to_stored()?, task.at).await? {
        Ok(task)
    } else {
        Err(A2aError::not_cancelable(&task.id, None))
    }
}

pub(super) const CANCELED_TEXT: &str = "Canceled. The request had no effect.";

/// A caller sees the tasks of the contexts that it knows (A2A 1.0 specification §3.1.4: only tasks that are
/// visible to the client), so without a context id of ours there are none.
pub async fn list(app: &App, caller: Caller, request: ListRequest) -> Result<TaskList, A2aError> {
    let filter =
        TaskFilter { state: request.state.map(|state| state.name().to_owned()), since: request.since };
    let after = request.page_token.map(|token| token.parse::<Cursor<TimeKey>>()).transpose();
    let after = after.map_err(|_| A2aError::param("pageToken", "is not a page token of this registry."))?;
    let Some(context_id) = request.context_id.filter(|id| is_own_context_id(id)) else {
        return Ok(TaskList::default());
    };
    let now = app.clock.now();
    let callers = app.caller_digests(&caller).await?;
    let callers: Vec<&str> = callers.iter().collect();
    let after = after.as_ref().map(|Cursor(key)| key.as_str());
    let page = app.store.tasks(&context_id, &callers, &filter, after, request.page_size, now).await?;
    Ok(TaskList {
        tasks: page.tasks.into_iter().map(Task::from_stored).collect::<Result<_, _>>()?,
        next_page_token: page.next.map(|key| Cursor(key).to_string()),
        total: page.total,
    })
}

async fn find(app: &App, caller: Caller, id: &str) -> Result<(Task, StoredTask), A2aError> {
    let not_found = || A2aError::task_not_found(id);
    if !is_valid_id(id) {
        return Err(not_found());
    }
    let stored = stored(app, &caller, id).await?.ok_or_else(not_found)?;
    Ok((Task::from_stored(stored.clone())?, stored))
}

/// The stored task that a caller means by an id.
pub(super) async fn stored(app: &App, caller: &Caller, id: &str) -> Result<Option<StoredTask>, A2aError> {
    let callers = app.caller_digests(caller).await?;
    Ok(app.store.task(id, &callers.iter().collect::<Vec<_>>(), app.clock.now()).await?)
}
