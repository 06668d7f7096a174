//! The JSON of A2A 0.3 and 0.2. A part has both `kind` (0.3) and `type` (0.2). A task has both `contextId` and
//! `sessionId`. The SDK of each version ignores the fields of the other version, so one form serves all clients.

use registry::a2a::{Content, Message, Part, Role, Task};
use registry::http::JsonEnvelope;
use serde_json::{Value, json};

use super::object::{Object, non_empty};

/// A message as an answer, around parts that are already serialized.
pub(crate) fn answer(
    message_id: &str,
    context_id: &str,
    parts: JsonEnvelope,
) -> serde_json::Result<JsonEnvelope> {
    let head =
        json!({ "kind": "message", "role": "agent", "messageId": message_id, "contextId": context_id });
    parts.as_member("parts", &head)
}

fn message(message: Message) -> Value {
    let role = if message.role == Role::User { "user" } else { "agent" };
    let mut object = Object::default();
    object.put("kind", Some("message"));
    object.put("role", Some(role));
    object.put("messageId", Some(message.id));
    object.put("contextId", message.context_id);
    object.put("taskId", message.task_id);
    object.put("parts", Some(message.parts.into_iter().map(part).collect::<Vec<_>>()));
    object.put("metadata", message.metadata);
    object.put("extensions", non_empty(message.extensions));
    object.put("referenceTaskIds", non_empty(message.references));
    object.into()
}

pub(crate) fn part(part: Part) -> Value {
    let (name, media_type) = (part.filename, part.media_type);
    let file = |member: &str, content: String| {
        let mut file = Object::default();
        file.put(member, Some(content));
        file.put("name", name);
        file.put("mimeType", media_type);
        ("file", Value::from(file))
    };
    let (kind, content) = match part.content {
        Content::Text(text) => ("text", Value::String(text)),
        Content::Data(data) => ("data", data),
        Content::Url(uri) => file("uri", uri),
        Content::Raw(bytes) => file("bytes", bytes),
    };
    let mut object = Object::default();
    object.put("kind", Some(kind));
    object.put("type", Some(kind));
    object.put(kind, Some(content));
    object.put("metadata", part.metadata);
    object.into()
}

/// A task. Clients of 0.2 read the answer from its status (`answer_in_status`), those of 0.3 from its artifacts.
pub(crate) fn task(mut task: Task, history: Option<u64>, answer_in_status: bool) -> Value {
    let history = task.take_history(history);
    let answer = task.contents.artifacts.first().filter(|_| answer_in_status).map(|artifact| Message {
        id: artifact.id.clone(),
        role: Role::Agent,
        parts: artifact
            .parts
            .iter()
            .filter(|part| matches!(part.content, Content::Text(_)))
            .cloned()
            .collect(),
        context_id: Some(task.context_id.clone()),
        task_id: Some(task.id.clone()),
        metadata: None,
        extensions: Vec::new(),
        references: Vec::new(),
    });
    let mut status = Object::default();
    status.put("state", Some(task.state.name()));
    status.put("message", task.contents.message.or(answer).map(message));
    status.put("timestamp", Some(task.at.to_string()));
    let artifacts = task.contents.artifacts.into_iter().enumerate().map(|(index, artifact)| {
        let parts: Vec<Value> = artifact.parts.into_iter().map(part).collect();
        json!({ "artifactId": artifact.id, "name": artifact.name, "parts": parts, "index": index })
    });
    let mut object = Object::default();
    object.put("kind", Some("task"));
    object.put("id", Some(task.id));
    object.put("contextId", Some(task.context_id.clone()));
    object.put("sessionId", Some(task.context_id));
    object.put("status", Some(Value::from(status)));
    object.put("artifacts", Some(artifacts.collect::<Vec<_>>()));
    object.put("history", Some(history.into_iter().map(message).collect::<Vec<_>>()));
    object.into()
}
