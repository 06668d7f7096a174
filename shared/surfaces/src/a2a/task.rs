//! Tasks. A task contains the request of a client, its state and its result. The table stores the state names
//! of A2A 0.3. The state names of 1.0 are derived from them. The size of an item is limited, so contents that
//! are too large are replaced by a note.
//!
//! Callers have no credentials, and many callers share an address. So anyone can read a task if they know an id that this
//! registry created. A task whose id a client chose can be read only from the address of this client. The answer for an
//! expired task is the same as for an unknown id, so that nobody can guess ids.

use super::id::{is_own_context_id, is_valid_id, new_id};
use super::message::{Content, Message, Part};
use super::parse::Fields;
use super::secrets::{NOT_STORED, clean, without_secrets};
use super::v1::{self, MAX_PAGE_SIZE};
use crate::errors::RpcError;
use crate::prelude::*;
use registry_model::{Cursor, TimeKey, string_enum};
use registry_store::{MAX_CONTENT_BYTES, Origin, StoredTask, TaskFilter, TaskPage};

string_enum! {
    /// A2A 1.0 specification §4.1.3, with the names in A2A 0.3; 1.0 writes the same in capitals. `Submitted`, `Working` and
    /// `AuthRequired` are never stored here: a task is answered before it is stored, and no operation needs a credential.
    pub(crate) enum TaskState {
        Submitted = "submitted",
        Working = "working",
        Completed = "completed",
        Failed = "failed",
        Canceled = "canceled",
        InputRequired = "input-required",
        Rejected = "rejected",
        AuthRequired = "auth-required",
    }
}

impl TaskState {
    pub(super) const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Artifact {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) parts: Vec<Part>,
    /// The end of its text that names the next step. Not stored: it matters only for what is stored of the text.
    #[serde(skip)]
    pub(super) next_step: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TaskContents {
    /// Explains the state: a question or a refusal.
    pub(super) message: Option<Message>,
    pub(super) artifacts: Vec<Artifact>,
    /// All earlier messages, the oldest first.
    pub(super) history: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) origin: Origin,
    pub(super) caller: String,
    pub(super) context_id: String,
    pub(super) state: TaskState,
    /// When the state last changed.
    pub(super) at: Moment,
    pub(super) contents: TaskContents,
}

impl Task {
    /// Takes the last `length` messages out of the history; all of them without a limit.
    pub(super) fn take_history(&mut self, length: Option<u64>) -> Vec<Message> {
        let mut all = std::mem::take(&mut self.contents.history);
        let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(all.len());
        all.split_off(all.len().saturating_sub(length))
    }

    pub(super) fn from_stored(stored: StoredTask) -> Result<Self, Problem> {
        let state = TaskState::named(&stored.state)
            .ok_or_else(|| Problem::fault(format!("unknown task state: {}", stored.state)))?;
        let contents = serde_json::from_str(&stored.content).map_err(Problem::fault)?;
        Ok(Self {
            id: stored.id,
            origin: stored.origin,
            caller: stored.caller,
            context_id: stored.context_id,
            state,
            at: stored.at,
            contents,
        })
    }

    pub(super) fn to_stored(&self) -> Result<StoredTask, Problem> {
        let content = abridged(&self.contents).map_err(Problem::fault)?;
        Ok(StoredTask {
            id: self.id.clone(),
            origin: self.origin,
            caller: self.caller.clone(),
            context_id: self.context_id.clone(),
            context_origin: if is_own_context_id(&self.context_id) { Origin::Ours } else { Origin::Client },
            state: self.state.as_str().to_owned(),
            at: self.at,
            content,
        })
    }
}

/// The contents as far as an item can hold them. The result matters more than the history; its data can be
/// requested again.
fn abridged(contents: &TaskContents) -> serde_json::Result<String> {
    let mut contents = contents.clone();
    // A next step cannot be sent without its secret.
    let is_incomplete = |artifact: &&mut Artifact| clean(&artifact.next_step).contains(NOT_STORED);
    for artifact in contents.artifacts.iter_mut().filter(is_incomplete) {
        for part in &mut artifact.parts {
            if let Content::Text(text) = &mut part.content {
                text.truncate(text.strip_suffix(&artifact.next_step).map_or(text.len(), str::len));
            }
        }
    }
    let whole = without_secrets(serde_json::to_value(&contents)?).to_string();
    if whole.len() <= MAX_CONTENT_BYTES {
        return Ok(whole);
    }
    for artifact in &mut contents.artifacts {
        artifact.parts.retain(|part| !matches!(part.content, Content::Data(_)));
        artifact.parts.push(Part::text("The data was too large to store. Send the message again to get it."));
    }
    contents.message = contents.message.map(Message::abridged);
    contents.history = contents.history.pop().map(Message::abridged).into_iter().collect();
    Ok(without_secrets(serde_json::to_value(&contents)?).to_string())
}

pub(super) async fn get_task(app: &App, caller: Caller, params: Fields<'_>) -> Result<Task, RpcError> {
    Ok(find_task(app, caller, params).await?.0)
}

pub(super) async fn cancel_task(app: &App, caller: Caller, params: Fields<'_>) -> Result<Task, RpcError> {
    let (mut task, stored) = find_task(app, caller, params).await?;
    if task.state.is_final() {
        return Err(RpcError::not_cancelable(&task.id, Some(task.state.as_str())));
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
pub(super) async fn list_tasks(
    app: &App,
    caller: Caller,
    params: Fields<'_>,
) -> Result<v1::TaskList, RpcError> {
    let page_size = params.number("pageSize", 1, MAX_PAGE_SIZE)?.unwrap_or(50);
    let history_length = params.history_length()?;
    let artifacts = params.flag("includeArtifacts")?.unwrap_or(false);
    let context_id = params.id("contextId")?.filter(|id| is_own_context_id(id));
    let state = read_state(params)?.map(|state| state.as_str().to_owned());
    let filter = TaskFilter { state, since: read_since(params)? };
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

fn read_state(params: Fields<'_>) -> Result<Option<TaskState>, RpcError> {
    match params.text("status")? {
        None | Some(v1::STATE_UNSPECIFIED) => Ok(None),
        Some(name) => match v1::state_named(name) {
            Some(state) => Ok(Some(state)),
            None => Err(params.wrong("status", "must be a state such as TASK_STATE_COMPLETED.")),
        },
    }
}

fn read_since(params: Fields<'_>) -> Result<Option<Moment>, RpcError> {
    let time = params.text("statusTimestampAfter")?.map(str::parse::<Moment>).transpose();
    time.map_err(|_| params.wrong("statusTimestampAfter", "must be a time such as 2026-11-20T12:00:00.000Z."))
}

async fn find_task(app: &App, caller: Caller, params: Fields<'_>) -> Result<(Task, StoredTask), RpcError> {
    let id = params.text("id")?.or(params.text("taskId")?);
    let id = id.ok_or_else(|| RpcError::param("id", "is missing: pass the id of a task."))?;
    let not_found = || RpcError::task_not_found(id);
    if !is_valid_id(id) {
        return Err(not_found());
    }
    let stored = stored_task(app, &caller, id).await?.ok_or_else(not_found)?;
    Ok((Task::from_stored(stored.clone())?, stored))
}

/// The stored task that a caller means by an id.
pub(super) async fn stored_task(
    app: &App,
    caller: &Caller,
    id: &str,
) -> Result<Option<StoredTask>, RpcError> {
    let callers = app.caller_digests(caller).await?;
    Ok(app.store.task(id, &callers.iter().collect::<Vec<_>>(), app.clock.now()).await?)
}

#[cfg(test)]
mod tests;
