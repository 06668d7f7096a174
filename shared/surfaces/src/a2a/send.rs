//! What a message does. A task is stored only if a client may need to read, continue or cancel it later. This
//! is so in three cases: the message changed something, the reply asks a question, or the client asked for a
//! task. If a message only reads data, the answer contains no task and may be cached.

use super::dialects::Dialect;
use super::id::{is_hard_to_guess, new_context_id, new_id};
use super::message::{Message, Part, Role};
use super::parse;
use super::parse::Fields;
use super::secrets::{NOT_STORED, drop_removed};
use super::task::{Artifact, CANCELED_TEXT, Task, TaskContents, TaskState, stored_task};
use crate::a2a::intent::{self, Conversation, Intent, Interpretation, MessageContent, Outcome, Reply};
use crate::errors::RpcError;
use crate::prelude::*;
use registry_features::AnyOperation;
use registry_formats::personal_data::has_email_address;
use registry_model::LimitedAction;
use registry_model::cache::RenderCache;
use registry_store::Origin;

/// A task is stored as one item, and its whole history is parsed with each message.
const MAX_MESSAGES: usize = 40;

/// The serialized parts of answers to read operations: most of the cost of a read operation is the serialization.
pub(super) type PartsCache = RenderCache<Arc<RawValue>>;

struct SendRequest {
    message: Message,
    /// The id that the client chose for the task (A2A 0.2). If it is easy to guess, it is not used.
    client_task_id: Option<String>,
    wants_task: bool,
    context_id: Option<String>,
    /// How much of the history the client wants back.
    history_length: Option<u64>,
}

pub(super) async fn send_message(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    params: Fields<'_>,
    dialect: Dialect,
) -> Result<Box<RawValue>, RpcError> {
    let mut request = send_request(app, params, dialect)?;
    // Everyone at the same address could read a task whose id is easy to guess. Such a task gets an id of ours.
    if request.client_task_id.as_deref().is_some_and(|id| !is_hard_to_guess(id)) {
        (request.client_task_id, request.wants_task) = (None, true);
    }
    // A context id is stored, so it must not name a person.
    request.context_id = request.context_id.filter(|id| !has_email_address(id));
    let context_id = request.context_id.clone().unwrap_or_else(|| new_context_id(app));
    let parsed = request.message.parsed()?;
    let needs_task =
        request.wants_task || request.client_task_id.is_some() || request.message.task_id.is_some();
    if !needs_task {
        let interpretation = Box::pin(Interpretation::of(app, parsed, None)).await?;
        if let Some((operation, arguments)) = interpretation.single_read() {
            let parts = answer_parts(app, cache, caller, dialect, operation, arguments.clone()).await?;
            return Ok(dialect.message(&new_id(app), &context_id, &parts)?);
        }
        let is_task = leads_to_task(&interpretation.intent);
        if is_task {
            count_task(app, &caller).await?;
        }
        let reply = intent::answer(app, &caller, interpretation).await?;
        if !is_task {
            let parts = dialect.parts(reply_parts(reply))?;
            return Ok(dialect.message(&new_id(app), &context_id, &parts)?);
        }
        let task = store_task(app, caller, &request, context_id, None, Some(reply)).await?;
        return Ok(dialect.sent(task, request.history_length)?);
    }
    let previous = previous_task(app, caller, &request).await?;
    count_task(app, &caller).await?;
    let conversation = continued(previous.as_ref()).map(|task| conversation(&task.contents)).transpose()?;
    let is_canceled = conversation.as_ref().is_some_and(|conversation| conversation.is_canceled_by(&parsed));
    let reply = if is_canceled {
        None
    } else {
        let interpretation = Box::pin(Interpretation::of(app, parsed, conversation.as_ref())).await?;
        Some(intent::answer(app, &caller, interpretation).await?)
    };
    let task = store_task(app, caller, &request, context_id, previous, reply).await?;
    Ok(dialect.sent(task, request.history_length)?)
}

fn send_request(app: &App, params: Fields<'_>, dialect: Dialect) -> Result<SendRequest, RpcError> {
    parse::read_metadata(params)?;
    let message = parse::read_message(params, dialect, || new_id(app))?;
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
            return Err(RpcError::no_push());
        }
    }
    // A client that does not wait for the answer fetches the task later.
    let wants_task = configuration.flag("returnImmediately")? == Some(true)
        || configuration.flag("blocking")? == Some(false);
    let history_length = match configuration.history_length()? {
        Some(length) => Some(length),
        None => params.history_length()?,
    };
    let context_id = message.context_id.clone().or(params.id("sessionId")?);
    Ok(SendRequest { message, client_task_id, wants_task, context_id, history_length })
}

/// The parts of the answer of a read operation, from the cache if they are still valid.
async fn answer_parts(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    dialect: Dialect,
    operation: &'static AnyOperation,
    arguments: Value,
) -> Result<Arc<RawValue>, RpcError> {
    // If the store fails here, the operation runs without the cache and reports the failure.
    let validator = (operation.cache_validator)(app.clone()).await.unwrap_or_default();
    let key = json!([dialect == Dialect::V1, operation.name, arguments]).to_string();
    if let Some(parts) = validator.as_ref().and_then(|validator| cache.get(&key, validator)) {
        return Ok(parts);
    }
    let reply = intent::run(app, &caller, operation, arguments).await?;
    let ok = reply.data["ok"] == true;
    let parts = dialect.parts(reply_parts(reply))?;
    if let Some(validator) = validator.filter(|_| ok) {
        cache.put(key, validator, Arc::clone(&parts));
    }
    Ok(parts)
}

/// A task is stored for a write, whose result is worth keeping, and for a question to the caller, which waits
/// for an answer.
const fn leads_to_task(intent: &Intent) -> bool {
    match intent {
        Intent::Run(operation, _) => !operation.described.effect.read_only,
        Intent::Missing(..) | Intent::Ambiguous(..) => true,
        Intent::Refused(..)
        | Intent::NoSuch(_)
        | Intent::TooManyFields
        | Intent::Greeting
        | Intent::Unclear => false,
    }
}

/// Counts before anything is done, so that nothing is done that could not be stored.
async fn count_task(app: &App, caller: &Caller) -> Result<(), Problem> {
    app.count(LimitedAction::Task, &app.caller_digest(caller).await?, None).await
}

/// The task to continue, or the one that a new task replaces.
async fn previous_task(app: &App, caller: Caller, request: &SendRequest) -> Result<Option<Task>, RpcError> {
    let chosen = request.client_task_id.as_ref();
    let Some(id) = chosen.or(request.message.task_id.as_ref()) else { return Ok(None) };
    let Some(stored) = stored_task(app, &caller, id).await? else {
        return if chosen.is_some() { Ok(None) } else { Err(RpcError::task_not_found(id)) };
    };
    let task = Task::from_stored(stored)?;
    if task.state.is_final() {
        // A client of 0.2 may reuse the id of its own task, but never replace a task with an id of ours.
        return match chosen {
            Some(_) => Ok((task.origin == Origin::Client).then_some(task)),
            None => Err(RpcError::unsupported(
                "This task has ended. Send a message without taskId to start a new one.",
            )),
        };
    }
    if request.context_id.as_ref().is_some_and(|id| *id != task.context_id) {
        return Err(RpcError::param("message.contextId", "does not match the task."));
    }
    Ok(Some(task))
}

fn continued(previous: Option<&Task>) -> Option<&Task> {
    previous.filter(|task| !task.state.is_final())
}

/// All messages of the client as one, so that an answer to a question completes the first message, and that question.
fn conversation(contents: &TaskContents) -> Result<Conversation, RpcError> {
    let mut whole = MessageContent::default();
    for message in contents.history.iter().filter(|message| message.role == Role::User) {
        let mut parsed = message.parsed()?;
        parsed.data.iter_mut().for_each(drop_removed);
        let between = if whole.text.is_empty() || parsed.text.is_empty() { "" } else { "\n" };
        whole.text = format!("{}{between}{}", whole.text, parsed.text.replace(NOT_STORED, ""));
        whole.data.extend(parsed.data);
        whole.urls.extend(parsed.urls);
    }
    let question = contents.message.as_ref().map(Message::parsed).transpose()?;
    let mut reply = question.and_then(|mut question| question.data.pop()).unwrap_or_default();
    drop_removed(&mut reply);
    Ok(Conversation { earlier: whole, reply })
}

/// `reply` is `None` if the client withdrew its request.
async fn store_task(
    app: &App,
    caller: Caller,
    request: &SendRequest,
    context_id: String,
    previous: Option<Task>,
    reply: Option<Reply>,
) -> Result<Task, RpcError> {
    let continued = continued(previous.as_ref());
    let (id, origin, context_id, owner) = match (continued, &request.client_task_id) {
        (Some(task), _) => (task.id.clone(), task.origin, task.context_id.clone(), task.caller.clone()),
        (None, Some(id)) => (id.clone(), Origin::Client, context_id, app.caller_digest(&caller).await?),
        (None, None) => (new_id(app), Origin::Ours, context_id, app.caller_digest(&caller).await?),
    };
    let mut history = continued.map(|task| task.contents.history.clone()).unwrap_or_default();
    history.extend(continued.and_then(|task| task.contents.message.clone()));
    history.push(Message {
        context_id: Some(context_id.clone()),
        task_id: Some(id.clone()),
        ..request.message.clone()
    });
    let history: Vec<Message> = history.into_iter().map(Message::abridged).collect();
    if history.len() > MAX_MESSAGES {
        return Err(RpcError::unsupported(
            "This task has too many messages. Send a message without taskId to start a new one.",
        ));
    }
    let mut next_step = String::new();
    let (state, parts, name) = match reply {
        None => (TaskState::Canceled, vec![Part::text(CANCELED_TEXT)], String::new()),
        Some(reply) => {
            let name = reply.data["operation"].as_str().unwrap_or("help").to_owned();
            next_step.clone_from(&reply.next_step);
            (state_after(&reply), reply_parts(reply), name)
        }
    };
    // The result of a task is an artifact; a question or a refusal is the message of its status.
    let (message, artifacts) = if state == TaskState::Completed {
        (None, vec![Artifact { id: new_id(app), name, parts, next_step }])
    } else {
        (Some(Message::of_agent(new_id(app), &context_id, &id, parts)), Vec::new())
    };
    let contents = TaskContents { message, artifacts, history };
    let task = Task { id, origin, caller: owner, context_id, state, at: app.clock.now(), contents };
    let replaced = previous.as_ref().map(Task::to_stored).transpose()?;
    if app.store.keep_task(replaced.as_ref(), &task.to_stored()?, task.at).await? {
        Ok(task)
    } else {
        Err(RpcError::param(
            "id",
            "another message changed this task at the same time. What your message requests may have been done, \
             but the answer was not stored.",
        ))
    }
}

fn reply_parts(reply: Reply) -> Vec<Part> {
    vec![Part::text(reply.whole_text()), Part::data(reply.data)]
}

fn state_after(reply: &Reply) -> TaskState {
    match (reply.outcome, reply.data["ok"] == false) {
        (Outcome::Done, _) | (Outcome::Read | Outcome::Explained, false) => TaskState::Completed,
        (Outcome::Failed, _) | (Outcome::Read, true) => TaskState::Failed,
        (Outcome::Asked, _) => TaskState::InputRequired,
        (Outcome::Declined, _) | (Outcome::Explained, true) => TaskState::Rejected,
    }
}
