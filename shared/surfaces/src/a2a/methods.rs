//! The methods of the A2A endpoint, and what it says about itself.

use super::dialects::{self, Dialect, Method};
use super::id::{is_own_context_id, is_valid_id, new_id};
use super::message::{Message, Part};
use super::parse::{Fields, MAX_PAGE_SIZE};
use super::send::{PartsCache, send_message};
use super::task::{CANCELED_TEXT, Task, TaskState, stored_task};
use super::{intent, v1};
use crate::errors::RpcError;
use crate::prelude::*;
use registry_model::protocol::A2A_VERSIONS;
use registry_model::{Cursor, TimeKey};
use registry_store::{StoredTask, TaskFilter, TaskPage};

/// The methods of both bindings (JSON-RPC and REST). The answer is written in the caller's A2A version.
pub(super) async fn call_method(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    method: Method,
    params: &Map<String, Value>,
) -> Result<Box<RawValue>, RpcError> {
    let params = Fields::of(params, "");
    match method {
        Method::Send(dialect) => send_message(app, cache, caller, params, dialect).await,
        Method::Get(dialect) => {
            let history_length = params.history_length()?;
            Ok(dialect.task(get_task(app, caller, params).await?, history_length)?)
        }
        Method::Cancel(dialect) => Ok(dialect.task(cancel_task(app, caller, params).await?, None)?),
        Method::List => Ok(to_raw_value(&list_tasks(app, caller, params).await?)?),
        Method::Help => Ok(to_raw_value(&help(&app.settings))?),
        Method::Stream | Method::Subscribe => Err(RpcError::no_streams()),
        Method::Push => Err(RpcError::no_push()),
        Method::ExtendedCard(dialect) => Err(RpcError::no_extended_card(dialect == Dialect::V1)),
    }
}

async fn get_task(app: &App, caller: Caller, params: Fields<'_>) -> Result<Task, RpcError> {
    Ok(find_task(app, caller, params).await?.0)
}

async fn cancel_task(app: &App, caller: Caller, params: Fields<'_>) -> Result<Task, RpcError> {
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

/// A caller sees the tasks of the contexts that it knows (A2A 1.0 specification §3.1.4: only tasks that are
/// visible to the client), so without a context id of ours there are none. Only 1.0 has this method.
async fn list_tasks(app: &App, caller: Caller, params: Fields<'_>) -> Result<v1::TaskList, RpcError> {
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

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct A2aStatus {
    ok: bool,
    protocol: &'static str,
    endpoint: String,
    agent_card: String,
    card: String,
    strict_card: String,
    discovery: String,
    versions: [&'static str; 3],
    bindings: [&'static str; 2],
    methods: Vec<&'static str>,
    note: &'static str,
}

/// `GET /api/a2a`.
pub(super) async fn status(State(app): State<App>) -> Json<A2aStatus> {
    let url = |path: &str| app.settings.url(path);
    Json(A2aStatus {
        ok: true,
        protocol: "a2a",
        endpoint: url("/api/a2a"),
        agent_card: url("/.well-known/agent-card.json"),
        card: url("/.well-known/agent-card.json"),
        strict_card: url("/api/a2a/.well-known/agent-card.json"),
        discovery: url("/discovery.json"),
        versions: A2A_VERSIONS,
        bindings: ["JSONRPC", "HTTP+JSON"],
        methods: dialects::supported(),
        note: "Send JSON-RPC 2.0 by POST to this URL. The message contains plain words (\"list my agent at \
            https://…\"), or a data part {\"operation\": …, \"arguments\": {…}} that runs an operation. For \
            examples, call the method `help`. ListTasks returns the tasks of a contextId that this registry \
            created (`ctx-…`); without one, or with your own, it returns no tasks.",
    })
}

/// The answer to the method `help`.
fn help(settings: &Settings) -> Value {
    json!({
        "ok": true,
        "text": intent::help_text(settings),
        "methods": dialects::supported(),
        "operations": intent::what_can_be_done(),
        "endpoint": settings.url("/api/a2a"),
        "agent_card": settings.url("/.well-known/agent-card.json"),
    })
}
