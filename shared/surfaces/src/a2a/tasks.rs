//! Reads, cancels and lists stored tasks. Callers have no credentials, and many callers share an address. So
//! anyone can read a task if they know an id that this registry created. A task whose id a client chose can
//! be read only from the address of this client. The answer for an expired task is
//! the same as for an unknown id, so that nobody can guess ids.

use super::fields::Fields;
use super::id::{is_own_context_id, is_valid_id, new_id};
use super::message::{Message, Part};
use super::task::{Task, TaskState};
use super::v1::{self, MAX_PAGE_SIZE};
use crate::errors::RpcError;
use crate::prelude::*;
use registry_model::{Cursor, TimeKey};
use registry_store::{StoredTask, TaskFilter, TaskPage};

pub(super) async fn get(app: &App, caller: Caller, params: Fields<'_>) -> Result<Task, RpcError> {
    Ok(find(app, caller, params).await?.0)
}

pub(super) async fn cancel(app: &App, caller: Caller, params: Fields<'_>) -> Result<Task, RpcError> {
    let (mut task, stored) = find(app, caller, params).await?;
    if task.state.is_final() {
        return Err(RpcError::not_cancelable(&task.id, Some(task.state)));
    }
    task.contents.history.extend(task.contents.message.take());
    let parts = vec![Part::text(CANCELED_TEXT)];
    task.contents.message = Some(Message::of_agent(new_id(app), &task.context_id, &task.id, parts));
    (task.state, task.at) = (TaskState::Canceled, app.clock.now());
    if app.store.keep_task(Some(&stored), &task.to_stored()?, task.at).await? {
        Ok(task)
    } else {
        Err(RpcError::not_cancelable(&task.id, None))
    }
}

pub(super) const CANCELED_TEXT: &str = "Canceled. The request had no effect.";

/// A caller sees the tasks of the contexts that it knows (A2A 1.0 specification §3.1.4: only tasks that are
/// visible to the client), so without a context id of ours there are none. Only 1.0 has this method.
pub(super) async fn list(app: &App, caller: Caller, params: Fields<'_>) -> Result<v1::TaskList, RpcError> {
    let page_size = params.number("pageSize", 1, MAX_PAGE_SIZE)?.unwrap_or(50);
    let history_length = params.history_length()?;
    let artifacts = params.flag("includeArtifacts")?.unwrap_or(false);
    let context_id = params.id("contextId")?.filter(|id| is_own_context_id(id));
    let state = state(params)?.map(|state| state.as_str().to_owned());
    let filter = TaskFilter { state, since: since(params)? };
    let after = params.text("pageToken")?.map(str::parse::<Cursor<TimeKey>>).transpose();
    let after = after.map_err(|_| RpcError::param("pageToken", "is not a page token of this registry."))?;
    let page = match context_id {
        None => TaskPage::default(),
        Some(context_id) => {
            let callers = app.caller_digests(&caller).await?;
            let callers: Vec<&str> = callers.iter().collect();
            let after = after.as_ref().map(|Cursor(key)| key.as_str());
            let (limit, now) = (usize::try_from(page_size).unwrap_or(100), app.clock.now());
            app.store.tasks(&context_id, &callers, &filter, after, limit, now).await?
        }
    };
    let task = |stored| Ok(v1::Task::of(Task::from_stored(stored)?, history_length, artifacts));
    Ok(v1::TaskList {
        tasks: page.tasks.into_iter().map(task).collect::<Result<_, RpcError>>()?,
        next_page_token: page.next.map(|key| Cursor(key).to_string()).unwrap_or_default(),
        page_size,
        total_size: page.total,
    })
}

fn state(params: Fields<'_>) -> Result<Option<TaskState>, RpcError> {
    match params.text("status")? {
        None | Some(v1::STATE_UNSPECIFIED) => Ok(None),
        Some(name) => match v1::state_named(name) {
            Some(state) => Ok(Some(state)),
            None => Err(params.wrong("status", "must be a state such as TASK_STATE_COMPLETED.")),
        },
    }
}

fn since(params: Fields<'_>) -> Result<Option<Moment>, RpcError> {
    let time = params.text("statusTimestampAfter")?.map(str::parse::<Moment>).transpose();
    time.map_err(|_| params.wrong("statusTimestampAfter", "must be a time such as 2026-11-20T12:00:00.000Z."))
}

async fn find(app: &App, caller: Caller, params: Fields<'_>) -> Result<(Task, StoredTask), RpcError> {
    let id = params.text("id")?.or(params.text("taskId")?);
    let id = id.ok_or_else(|| RpcError::param("id", "is missing: pass the id of a task."))?;
    let not_found = || RpcError::task_not_found(id);
    if !is_valid_id(id) {
        return Err(not_found());
    }
    let stored = stored(app, &caller, id).await?.ok_or_else(not_found)?;
    Ok((Task::from_stored(stored.clone())?, stored))
}

/// The stored task that a caller means by an id.
pub(super) async fn stored(app: &App, caller: &Caller, id: &str) -> Result<Option<StoredTask>, RpcError> {
    let callers = app.caller_digests(caller).await?;
    Ok(app.store.task(id, &callers.iter().collect::<Vec<_>>(), app.clock.now()).await?)
}
