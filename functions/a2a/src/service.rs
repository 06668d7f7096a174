//! The methods of both bindings (JSON-RPC and REST). They parse the parameters, call `registry::a2a` and
//! write the answer in the caller's A2A version. Answers of read operations are cached as text, because most
//! of the cost of a read operation is the serialization.

use std::sync::Arc;

use registry::a2a::v1::{self, MAX_HISTORY_LENGTH, MAX_PAGE_SIZE};
use registry::a2a::{self, A2aError, ListRequest, Query, SendRequest, Sent, TaskState, new_id};
use registry::app::App;
use registry::cache::RenderCache;
use registry::model::{Caller, Moment};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::about;
use crate::dialects::{Dialect, Method};
use crate::fields::Fields;
use crate::message;

/// The serialized parts of answers to read operations.
pub(crate) type PartsCache = RenderCache<Arc<RawValue>>;

/// A call of either binding.
pub(crate) async fn call(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    method: Method,
    params: &Map<String, Value>,
) -> Result<Box<RawValue>, A2aError> {
    match method {
        Method::Send(dialect) => send(app, cache, caller, params, dialect).await,
        Method::Get(dialect) => get(app, caller, params, dialect).await,
        Method::Cancel(dialect) => cancel(app, caller, params, dialect).await,
        Method::List => list(app, caller, params).await,
        Method::Help => Ok(to_raw_value(&about::help(&app.settings))?),
        Method::Stream | Method::Subscribe => Err(A2aError::no_streams()),
        Method::Push => Err(A2aError::no_push()),
        Method::ExtendedCard(dialect) => Err(A2aError::no_extended_card(dialect == Dialect::V1)),
    }
}

async fn send(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    params: &Map<String, Value>,
    dialect: Dialect,
) -> Result<Box<RawValue>, A2aError> {
    let (request, history_length) = send_request(app, Fields::of(params, ""), dialect)?;
    match a2a::send(app, caller, request).await? {
        Sent::Query(query) => {
            let context_id = query.context_id.clone();
            let parts = query_parts(app, cache, caller, dialect, query).await?;
            Ok(dialect.message(&new_id(app), &context_id, &parts)?)
        }
        Sent::Explained { context_id, parts } => {
            Ok(dialect.message(&new_id(app), &context_id, &dialect.parts(parts)?)?)
        }
        Sent::Task(task) => Ok(dialect.sent(*task, history_length)?),
    }
}

/// The request, and how much of the history the client wants back.
fn send_request(
    app: &App,
    params: Fields<'_>,
    dialect: Dialect,
) -> Result<(SendRequest, Option<u64>), A2aError> {
    let message = message::read(params, dialect, || new_id(app))?;
    let client_task_id = if dialect == Dialect::V02 {
        Some(params.id("id")?.or_else(|| message.task_id.clone()).unwrap_or_else(|| new_id(app)))
    } else {
        None
    };
    let empty = Map::new();
    let configuration = match params.get("configuration") {
        Some(value) => Fields::at(value, "configuration")?,
        None => Fields::of(&empty, "configuration"),
    };
    // Refused, because the client would wait for notifications that never arrive.
    for push in ["taskPushNotificationConfig", "pushNotificationConfig"] {
        if configuration.get(push).is_some() {
            return Err(A2aError::no_push());
        }
    }
    // A client that does not wait for the answer fetches the task later.
    let wants_task = configuration.flag("returnImmediately")? == Some(true)
        || configuration.flag("blocking")? == Some(false);
    let history_length = match history_length(configuration)? {
        Some(length) => Some(length),
        None => history_length(params)?,
    };
    let context_id = message.context_id.clone().or(params.id("sessionId")?);
    Ok((SendRequest { message, client_task_id, wants_task, context_id }, history_length))
}

async fn query_parts(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Result<Arc<RawValue>, A2aError> {
    let validator = query.cache_validator(app).await;
    let key = json!([dialect == Dialect::V1, query.operation.name, query.arguments]).to_string();
    if let Some(parts) = validator.as_ref().and_then(|validator| cache.get(&key, validator)) {
        return Ok(parts);
    }
    let (parts, ok) = query.run(app, caller).await?;
    let parts = dialect.parts(parts)?;
    if let Some(validator) = validator.filter(|_| ok) {
        cache.put(key, validator, Arc::clone(&parts));
    }
    Ok(parts)
}

async fn get(
    app: &App,
    caller: Caller,
    params: &Map<String, Value>,
    dialect: Dialect,
) -> Result<Box<RawValue>, A2aError> {
    let params = Fields::of(params, "");
    let history_length = history_length(params)?;
    let task = a2a::get(app, caller, task_id(params)?).await?;
    Ok(dialect.task(task, history_length)?)
}

async fn cancel(
    app: &App,
    caller: Caller,
    params: &Map<String, Value>,
    dialect: Dialect,
) -> Result<Box<RawValue>, A2aError> {
    let task = a2a::cancel(app, caller, task_id(Fields::of(params, ""))?).await?;
    Ok(dialect.task(task, None)?)
}

/// Only 1.0 has this method.
async fn list(app: &App, caller: Caller, params: &Map<String, Value>) -> Result<Box<RawValue>, A2aError> {
    let params = Fields::of(params, "");
    let page_size = params.number("pageSize", 1, MAX_PAGE_SIZE)?.unwrap_or(50);
    let history_length = history_length(params)?;
    let artifacts = params.flag("includeArtifacts")?.unwrap_or(false);
    let request = ListRequest {
        context_id: params.id("contextId")?,
        state: state(params)?,
        since: since(params)?,
        page_token: params.text("pageToken")?.map(str::to_owned),
        page_size: usize::try_from(page_size).unwrap_or(100),
    };
    let page = a2a::list(app, caller, request).await?;
    let tasks = page.tasks.into_iter().map(|task| v1::Task::of(task, history_length, artifacts));
    Ok(to_raw_value(&v1::TaskList {
        tasks: tasks.collect(),
        next_page_token: page.next_page_token.unwrap_or_default(),
        page_size,
        total_size: page.total,
    })?)
}

fn history_length(params: Fields<'_>) -> Result<Option<u64>, A2aError> {
    params.number("historyLength", 0, MAX_HISTORY_LENGTH)
}

fn task_id<'a>(params: Fields<'a>) -> Result<&'a str, A2aError> {
    let id = params.text("id")?.or(params.text("taskId")?);
    id.ok_or_else(|| A2aError::param("id", "is missing: pass the id of a task."))
}

fn state(params: Fields<'_>) -> Result<Option<TaskState>, A2aError> {
    match params.text("status")? {
        None | Some(v1::STATE_UNSPECIFIED) => Ok(None),
        Some(name) => match v1::state_named(name) {
            Some(state) => Ok(Some(state)),
            None => Err(params.wrong("status", "must be a state such as TASK_STATE_COMPLETED.")),
        },
    }
}

fn since(params: Fields<'_>) -> Result<Option<Moment>, A2aError> {
    let time = params.text("statusTimestampAfter")?.map(str::parse::<Moment>).transpose();
    time.map_err(|_| params.wrong("statusTimestampAfter", "must be a time such as 2026-11-20T12:00:00.000Z."))
}
