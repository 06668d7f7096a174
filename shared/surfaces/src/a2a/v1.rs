//! The JSON of A2A 1.0 (a2a.proto in its JSON mapping). The type of a part follows from the name of its
//! field, so there is no `kind`. Roles and states are in capitals. Fields with a default value are left out,
//! as in the JSON mapping of protobuf.

use super::id::MAX_ID_LENGTH;
use super::message::{Content, Role};
use super::parse::{MAX_HISTORY_LENGTH, MAX_PAGE_SIZE, MAX_PARTS};
use super::task::TaskState;
use crate::prelude::*;

pub(super) const STATE_UNSPECIFIED: &str = "TASK_STATE_UNSPECIFIED";
pub(super) fn state(state: TaskState) -> String {
    format!("TASK_STATE_{}", state.as_str().replace('-', "_").to_ascii_uppercase())
}

/// Names of 0.3 are accepted too, because clients mix them up.
pub(super) fn state_named(name: &str) -> Option<TaskState> {
    let bare = name.strip_prefix("TASK_STATE_").unwrap_or(name).to_ascii_lowercase().replace('_', "-");
    TaskState::named(if bare == "cancelled" { "canceled" } else { &bare })
}

/// The answer to a message: a task, or a message if no task is needed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "A2aSent")]
pub(crate) enum Sent {
    Task(Task),
    #[expect(dead_code, reason = "`Dialect::message` writes it")]
    Message(Message),
}

/// A page of tasks.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "A2aTasks")]
pub(crate) struct TaskList {
    pub(super) tasks: Vec<Task>,
    /// Empty on the last page.
    pub(super) next_page_token: String,
    pub(super) page_size: u64,
    pub(super) total_size: usize,
}

/// A task of A2A 1.0.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "A2aTask")]
pub(crate) struct Task {
    id: String,
    context_id: String,
    status: Status,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<Artifact>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Message>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "A2aStatusOfTask")]
struct Status {
    #[schemars(regex(pattern = "^TASK_STATE_[A-Z_]+$"))]
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
    timestamp: Moment,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "A2aArtifact")]
struct Artifact {
    artifact_id: String,
    name: String,
    parts: Vec<Part>,
}

/// A message of A2A 1.0.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "A2aMessage")]
pub(crate) struct Message {
    message_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    role: &'static str,
    parts: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    extensions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reference_task_ids: Vec<String>,
}

/// One of a text, data, a URL or bytes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "A2aPart")]
pub(crate) struct Part {
    #[serde(flatten)]
    content: PartContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PartContent {
    Text(String),
    Data(Value),
    Url(String),
    Raw(String),
}

impl Task {
    /// With the last `history` messages; all of them without a limit.
    pub(super) fn of(mut task: super::task::Task, history: Option<u64>, artifacts: bool) -> Self {
        let history = task.take_history(history).into_iter().map(Message::from).collect();
        let message = task.contents.message.map(Message::from);
        let artifacts = task.contents.artifacts.into_iter().filter(|_| artifacts).map(|artifact| Artifact {
            artifact_id: artifact.id,
            name: artifact.name,
            parts: artifact.parts.into_iter().map(Part::from).collect(),
        });
        Self {
            id: task.id,
            context_id: task.context_id,
            status: Status { state: state(task.state), message, timestamp: task.at },
            artifacts: artifacts.collect(),
            history,
        }
    }
}

impl From<super::message::Message> for Message {
    fn from(message: super::message::Message) -> Self {
        Self {
            message_id: message.id,
            context_id: message.context_id,
            task_id: message.task_id,
            role: if message.role == Role::User { "ROLE_USER" } else { "ROLE_AGENT" },
            parts: message.parts.into_iter().map(Part::from).collect(),
            metadata: message.metadata,
            extensions: message.extensions,
            reference_task_ids: message.references,
        }
    }
}

impl From<super::message::Part> for Part {
    fn from(part: super::message::Part) -> Self {
        let content = match part.content {
            Content::Text(text) => PartContent::Text(text),
            Content::Data(data) => PartContent::Data(data),
            Content::Url(url) => PartContent::Url(url),
            Content::Raw(raw) => PartContent::Raw(raw),
        };
        Self { content, filename: part.filename, media_type: part.media_type, metadata: part.metadata }
    }
}

pub(crate) fn send_schema() -> Value {
    let optional = |mut schema: Value| {
        schema["type"] = json!([schema["type"], "null"]);
        schema
    };
    let not_empty = |mut schema: Value| {
        schema["minLength"] = json!(1);
        schema
    };
    let metadata = json!({ "type": ["object", "null"] });
    let texts = json!({ "type": ["array", "null"], "items": { "type": "string" } });
    let part = json!({
        "type": "object",
        "description": "A text, or data such as {\"operation\": …, \"arguments\": {…}}.",
        "properties": {
            "mediaType": { "type": ["string", "null"] },
            "filename": { "type": ["string", "null"] },
            "metadata": metadata,
            "url": { "type": "null" },
            "raw": { "type": "null" },
        },
        "oneOf": [
            { "properties": { "text": { "type": "string" }, "data": { "type": "null" } }, "required": ["text"] },
            { "properties": { "text": { "type": "null" }, "data": { "not": { "type": "null" } } }, "required": ["data"] },
        ],
    });
    json!({
        "type": "object",
        "description": "Parameters of SendMessage.",
        "properties": {
            "message": {
                "type": "object",
                "properties": {
                    "messageId": not_empty(id_schema()),
                    "role": { "enum": ["ROLE_USER", "ROLE_AGENT"] },
                    "parts": { "type": "array", "items": part, "minItems": 1, "maxItems": MAX_PARTS },
                    "contextId": optional(id_schema()),
                    "taskId": optional(id_schema()),
                    "metadata": metadata,
                    "extensions": texts,
                    "referenceTaskIds": texts,
                },
                "required": ["messageId", "role", "parts"],
            },
            "configuration": {
                "type": ["object", "null"],
                "properties": {
                    "historyLength": optional(history_length_schema()),
                    "returnImmediately": { "type": ["boolean", "null"] },
                },
            },
            "metadata": metadata,
        },
        "required": ["message"],
    })
}

pub(crate) fn id_schema() -> Value {
    json!({ "type": "string", "maxLength": MAX_ID_LENGTH, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" })
}

pub(crate) fn task_id_schema() -> Value {
    let mut id = id_schema();
    id["minLength"] = json!(1);
    id["pattern"] = json!("^[^\\u0000-\\u001f\\u007f-\\u009f/:]*$");
    id
}
pub(crate) fn history_length_schema() -> Value {
    json!({
        "type": "integer", "minimum": 0, "maximum": MAX_HISTORY_LENGTH,
        "description": "The number of messages of each task's history to include.",
    })
}

pub(crate) fn list_schema() -> Value {
    let states = TaskState::ALL.into_iter().map(state);
    let states: Vec<String> =
        [String::new(), STATE_UNSPECIFIED.to_owned()].into_iter().chain(states).collect();
    let mut context_id = id_schema();
    context_id["description"] = json!("A context of this registry (`ctx-…`). The list is empty without one.");
    json!({ "properties": {
        "contextId": context_id,
        "status": { "enum": states, "description": "Only tasks in this state." },
        "statusTimestampAfter": {
            "oneOf": [{ "type": "string", "format": "date-time" }, { "const": "" }],
            "description": "Only tasks whose state changed at this time or later.",
        },
        "pageSize": {
            "type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE,
            "description": "The most tasks on a page; default 50.",
        },
        "pageToken": {
            "type": "string", "format": "task-page-token",
            "description": "The `nextPageToken` of the previous page.",
        },
        "includeArtifacts": { "type": "boolean", "description": "Whether to include the artifacts." },
        "historyLength": history_length_schema(),
    } })
}
