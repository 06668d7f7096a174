//! What a call does, whatever dialect and binding it came in: a message is answered, tasks are kept, found, listed and
//! canceled. An answer that was only read is a message; whatever was done, refused, asked back or explained is a task.

use std::sync::Arc;

use registry::app::App;
use registry::cache::RenderCache;
use registry::error::Problem;
use registry::http::JsonEnvelope;
use registry::intent::{self, Intent, MessageContent, Outcome, Reply};
use registry::model::Caller;
use registry::operations::AnyOperation;
use registry::store::{KeptTask, Origin, StoreError, TaskFilter};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::dialects::{Dialect, v1};
use crate::errors::Fault;
use crate::fields::Fields;
use crate::message::{Message, Part, Role};
use crate::task::{Artifact, Contents, State, Task};

/// The longest history that may be asked for; more than any task has.
const LONGEST_HISTORY: u64 = 1_000_000;
/// At most so many messages of one task are kept; a longer talk is a new one.
const MOST_MESSAGES: usize = 40;

/// Answers that were only read, in the words of a dialect, while what they were made from stands.
pub(crate) type Answers = RenderCache<Arc<RawValue>>;

/// Answers a message.
pub(crate) async fn send(
    app: &App,
    answers: &Answers,
    caller: Caller,
    params: &Map<String, Value>,
    dialect: Dialect,
) -> Result<JsonEnvelope, Fault> {
    let asked = Asked::read(app, Fields::of(params, ""), dialect)?;
    let said = asked.message.said()?;
    if !asked.for_a_task() {
        return match intent::parse_intent(&said, None) {
            Intent::Run(entry, arguments) if entry.effect.read_only => {
                let parts = read(app, answers, caller, dialect, entry, arguments).await?;
                Ok(dialect.message(&new_id(app), &asked.context_id, parts)?)
            }
            meaning => {
                let reply = intent::answer(app, &caller, &said, meaning).await?;
                let task = keep(app, caller, &asked, None, Some(reply)).await?;
                raw(&dialect.sent(task, asked.history))
            }
        };
    }
    let before = before(app, caller, &asked).await?;
    let continued = before.as_ref().filter(|task| !task.state.is_final());
    let earlier = continued.map(|task| what_was_said(&task.contents.history)).transpose()?;
    let reply = if earlier.is_some() && intent::refuses(&said) {
        None
    } else {
        let meaning = intent::parse_intent(&said, earlier.as_ref());
        Some(intent::answer(app, &caller, &said, meaning).await?)
    };
    let task = keep(app, caller, &asked, before, reply).await?;
    raw(&dialect.sent(task, asked.history))
}

/// The parts of an answer that is only read.
async fn read(
    app: &App,
    answers: &Answers,
    caller: Caller,
    dialect: Dialect,
    entry: &'static AnyOperation,
    arguments: Value,
) -> Result<Arc<RawValue>, Fault> {
    // A table that cannot say what an answer is made from is left to the operation itself.
    let cache_validator = (entry.cache_validator)(app.clone()).await.unwrap_or_default();
    let name =
        cache_validator.as_ref().map(|_| json!([dialect == Dialect::V1, entry.name, arguments]).to_string());
    if let (Some(name), Some(validator)) = (&name, &cache_validator)
        && let Some(parts) = answers.get(name, validator)
    {
        return Ok(parts);
    }
    let meaning = Intent::Run(entry, arguments);
    let reply = intent::answer(app, &caller, &MessageContent::default(), meaning).await?;
    let done = reply.data["ok"] == true;
    let parts: Arc<RawValue> =
        to_raw_value(&dialect.parts(vec![Part::text(reply.text), Part::data(reply.data)]))?.into();
    if let (Some(name), Some(validator), true) = (name, cache_validator, done) {
        answers.put(&name, validator, Arc::clone(&parts));
    }
    Ok(parts)
}

/// Writes an answer.
pub(crate) fn raw(value: &impl Serialize) -> Result<JsonEnvelope, Fault> {
    Ok(JsonEnvelope::bare(to_raw_value(value)?.into()))
}

/// A message, and how its sender wants it answered.
struct Asked {
    message: Message,
    /// The id that a client of 0.2 gave the task.
    chosen_id: Option<String>,
    wants_task: bool,
    history: Option<u64>,
    context_id: String,
    named_context: bool,
}

impl Asked {
    /// Whether a task must be the answer: one is named, or will be asked for.
    const fn for_a_task(&self) -> bool {
        self.wants_task || self.chosen_id.is_some() || self.message.task_id.is_some()
    }

    fn read(app: &App, params: Fields<'_>, dialect: Dialect) -> Result<Self, Fault> {
        let message = Message::read(params, dialect.exactness(), || new_id(app))?;
        let chosen_id = if dialect == Dialect::V02 {
            Some(params.id("id")?.or_else(|| message.task_id.clone()).unwrap_or_else(|| new_id(app)))
        } else {
            None
        };
        let none = Map::new();
        let configuration = match params.get("configuration") {
            Some(value) => Fields::at(value, "configuration")?,
            None => Fields::of(&none, "configuration"),
        };
        // Whoever asks for push notifications would wait for them in vain.
        for push in ["taskPushNotificationConfig", "pushNotificationConfig"] {
            if configuration.get(push).is_some() {
                return Err(Fault::PushNotSupported);
            }
        }
        // Whoever does not wait for the answer comes back for a task.
        let wants_task = configuration.flag("returnImmediately")? == Some(true)
            || configuration.flag("blocking")? == Some(false);
        let history = match configuration.number("historyLength", 0, LONGEST_HISTORY)? {
            Some(length) => Some(length),
            None => params.number("historyLength", 0, LONGEST_HISTORY)?,
        };
        let context = message.context_id.clone().or(params.id("sessionId")?);
        let named_context = context.is_some();
        let context_id = context.unwrap_or_else(|| new_id(app));
        Ok(Self { message, chosen_id, wants_task, history, context_id, named_context })
    }
}

/// The task that a message goes on with, or whose place a new one of the same chosen id takes.
async fn before(app: &App, caller: Caller, asked: &Asked) -> Result<Option<Task>, Fault> {
    let Some(id) = asked.chosen_id.as_ref().or(asked.message.task_id.as_ref()) else { return Ok(None) };
    let Some(kept) = app.store.task(id, &caller.name(), app.clock.now()).await.map_err(fault)? else {
        return if asked.chosen_id.is_some() { Ok(None) } else { Err(Fault::TaskNotFound(id.clone())) };
    };
    let task = Task::of(kept)?;
    if task.state.is_final() {
        // A client of 0.2 sends a task again under its id; only its own is replaced by that.
        return match asked.chosen_id {
            Some(_) => Ok((task.origin == Origin::Client).then_some(task)),
            None => Err(Fault::Unsupported(
                "This task is over. Send a message without its taskId to begin another.",
            )),
        };
    }
    if asked.named_context && asked.context_id != task.context_id {
        return Err(Fault::param("message.contextId", "is not the one of this task."));
    }
    Ok(Some(task))
}

/// Everything that a client has said in a task so far.
fn what_was_said(history: &[Message]) -> Result<MessageContent, Fault> {
    let mut whole = MessageContent::default();
    for message in history.iter().filter(|message| message.role == Role::User) {
        let said = message.said()?;
        let between = if whole.text.is_empty() || said.text.is_empty() { "" } else { "\n" };
        whole.text = format!("{}{between}{}", whole.text, said.text);
        whole.data.extend(said.data);
        whole.urls.extend(said.urls);
    }
    Ok(whole)
}

fn agent_says(app: &App, context_id: &str, task_id: Option<&str>, parts: Vec<Part>) -> Message {
    Message {
        id: new_id(app),
        role: Role::Agent,
        parts,
        context_id: Some(context_id.to_owned()),
        task_id: task_id.map(str::to_owned),
        metadata: None,
        extensions: Vec::new(),
        references: Vec::new(),
    }
}

/// An answer as a task, kept.
async fn keep(
    app: &App,
    caller: Caller,
    asked: &Asked,
    before: Option<Task>,
    reply: Option<Reply>,
) -> Result<Task, Fault> {
    let continued = before.as_ref().filter(|task| !task.state.is_final());
    let (id, origin, context_id, owner) = match (continued, &asked.chosen_id) {
        (Some(task), _) => (task.id.clone(), task.origin, task.context_id.clone(), task.caller.clone()),
        (None, Some(id)) => (id.clone(), Origin::Client, asked.context_id.clone(), caller.name()),
        (None, None) => (new_id(app), Origin::Ours, asked.context_id.clone(), caller.name()),
    };
    let mut history = continued.map(|task| task.contents.history.clone()).unwrap_or_default();
    history.extend(continued.and_then(|task| task.contents.message.clone()));
    history.push(Message {
        context_id: Some(context_id.clone()),
        task_id: Some(id.clone()),
        ..asked.message.clone()
    });
    if history.len() > MOST_MESSAGES {
        return Err(Fault::Unsupported(
            "This task has gone on for too long. Begin another without a taskId.",
        ));
    }
    let (state, parts, name) = match reply {
        None => (State::Canceled, vec![Part::text("Canceled; nothing was done.")], String::new()),
        Some(reply) => {
            let name = reply.data["operation"].as_str().unwrap_or("help").to_owned();
            (state(&reply), vec![Part::text(reply.text), Part::data(reply.data)], name)
        }
    };
    // What came of a task is an artifact; what is said about one that brought nothing is a message.
    let (message, artifacts) = if state == State::Completed {
        (None, vec![Artifact { id: new_id(app), name, parts }])
    } else {
        (Some(agent_says(app, &context_id, Some(&id), parts)), Vec::new())
    };
    let contents = Contents { message, artifacts, history };
    let task = Task { id, origin, caller: owner, context_id, state, at: app.clock.now(), contents };
    let previous = before.as_ref().map(Task::kept).transpose()?;
    if !app.store.keep_task(previous.as_ref(), &task.kept()?, task.at).await.map_err(fault)? {
        return Err(Fault::param(
            "id",
            "this task was changed by another message at the same moment; send yours again.",
        ));
    }
    Ok(task)
}

fn state(reply: &Reply) -> State {
    match reply.outcome {
        Outcome::Read if reply.data["ok"] == false => State::Failed,
        Outcome::Read | Outcome::Done | Outcome::Explained => State::Completed,
        Outcome::Failed => State::Failed,
        Outcome::Asked => State::InputRequired,
        Outcome::Declined => State::Rejected,
    }
}

/// Finds a task.
pub(crate) async fn get(
    app: &App,
    caller: Caller,
    params: &Map<String, Value>,
    dialect: Dialect,
) -> Result<JsonEnvelope, Fault> {
    let params = Fields::of(params, "");
    let history = params.number("historyLength", 0, LONGEST_HISTORY)?;
    let (task, _) = find(app, caller, params).await?;
    raw(&dialect.task(task, history))
}

/// Cancels a task that still waits for something.
pub(crate) async fn cancel(
    app: &App,
    caller: Caller,
    params: &Map<String, Value>,
    dialect: Dialect,
) -> Result<JsonEnvelope, Fault> {
    let (mut task, kept) = find(app, caller, Fields::of(params, "")).await?;
    let id = task.id.clone();
    if task.state.is_final() {
        return Err(Fault::TaskNotCancelable { id, state: task.state.name() });
    }
    task.contents.history.extend(task.contents.message.take());
    task.contents.message =
        Some(agent_says(app, &task.context_id, Some(&id), vec![Part::text("Canceled; nothing was done.")]));
    (task.state, task.at) = (State::Canceled, app.clock.now());
    if !app.store.keep_task(Some(&kept), &task.kept()?, task.at).await.map_err(fault)? {
        return Err(Fault::TaskNotCancelable { id, state: "being answered" });
    }
    raw(&dialect.task(task, None))
}

async fn find(app: &App, caller: Caller, params: Fields<'_>) -> Result<(Task, KeptTask), Fault> {
    let Some(id) = params.text("id")?.or(params.text("taskId")?) else {
        return Err(Fault::param("id", "is missing: the id of a task."));
    };
    // What is no id of anything is not known; it need not be looked for.
    let known = Fields::of(&Map::from_iter([("id".to_owned(), json!(id))]), "").id("id");
    let found = match known {
        Ok(Some(_)) => app.store.task(id, &caller.name(), app.clock.now()).await.map_err(fault)?,
        _ => None,
    };
    let kept = found.ok_or_else(|| Fault::TaskNotFound(id.to_owned()))?;
    Ok((Task::of(kept.clone())?, kept))
}

/// Lists the tasks of a caller, the last changed first.
pub(crate) async fn list(
    app: &App,
    caller: Caller,
    params: &Map<String, Value>,
) -> Result<JsonEnvelope, Fault> {
    let params = Fields::of(params, "");
    let size = params.number("pageSize", 1, 100)?.unwrap_or(50);
    let history = params.number("historyLength", 0, LONGEST_HISTORY)?;
    let artifacts = params.flag("includeArtifacts")?.unwrap_or(false);
    let filter = TaskFilter {
        context_id: params.id("contextId")?,
        state: wanted_state(params)?,
        since: since(params)?,
    };
    let after = params.text("pageToken")?.map(|token| place(params, token)).transpose()?;
    let limit = usize::try_from(size).unwrap_or(100);
    let page = app
        .store
        .tasks(&caller.name(), &filter, after.as_deref(), limit, app.clock.now())
        .await
        .map_err(fault)?;
    let tasks: Vec<Task> = page.tasks.into_iter().map(Task::of).collect::<Result<_, Problem>>()?;
    raw(&json!({
        "tasks": tasks.into_iter().map(|task| v1::task(task, history, artifacts)).collect::<Vec<_>>(),
        "nextPageToken": page.next.map(|place| token(&place)).unwrap_or_default(),
        "pageSize": size,
        "totalSize": page.total,
    }))
}

fn wanted_state(params: Fields<'_>) -> Result<Option<String>, Fault> {
    match params.text("status")? {
        None | Some("TASK_STATE_UNSPECIFIED") => Ok(None),
        Some(name) => match v1::state_named(name) {
            Some(state) => Ok(Some(state.name().to_owned())),
            None => Err(params.wrong("status", "must be a state such as TASK_STATE_COMPLETED.")),
        },
    }
}

fn since(params: Fields<'_>) -> Result<Option<registry::model::Moment>, Fault> {
    let text = params.text("statusTimestampAfter")?;
    let time = text.map(|text| text.parse::<registry::model::Moment>()).transpose();
    time.map_err(|_| params.wrong("statusTimestampAfter", "must be a time such as 2026-11-20T12:00:00.000Z."))
}

/// A place in the list as an opaque token, in hexadecimal.
fn token(place: &str) -> String {
    place.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn place(params: Fields<'_>, token: &str) -> Result<String, Fault> {
    let wrong = || params.wrong("pageToken", "is none that this registry gave.");
    let digits: Option<Vec<u8>> = token
        .as_bytes()
        .chunks(2)
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok()
        })
        .collect();
    let place = digits.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(wrong)?;
    let begins_with_a_time = place
        .split_once('#')
        .is_some_and(|(time, _)| time.len() == 13 && time.bytes().all(|byte| byte.is_ascii_digit()));
    if begins_with_a_time { Ok(place) } else { Err(wrong()) }
}

/// A random id in the shape of a UUID (RFC 9562, version 8: all of it is ours to choose).
fn new_id(app: &App) -> String {
    let hex = app.random.hex(16);
    format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

fn fault(error: StoreError) -> Fault {
    Fault::from(Problem::from(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_the_place_it_was_made_from() {
        let none = Map::new();
        let params = Fields::of(&none, "");
        let at = "1795176000000#abc/ü";
        assert_eq!(place(params, &token(at)), Ok(at.to_owned()));
        for wrong in ["zz", "1", "", "é", "abcd", &token("1795176000000"), &token("17951760000x0#a")] {
            assert!(place(params, wrong).is_err(), "{wrong}");
        }
    }
}
