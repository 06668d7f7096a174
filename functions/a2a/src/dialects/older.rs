//! Shapes of A2A 0.3 and 0.2. A part says what it is by `kind` (0.3) and by `type` (0.2), a task has a `contextId` and
//! a `sessionId`: every reader finds its own and passes over the other's, as the SDKs of both were seen to do.

use registry::http::JsonEnvelope;
use serde_json::{Value, json};

use super::{Shape, some};
use crate::message::{Content, Message, Part, Role};
use crate::task::Task;

/// A message as an answer, around parts that are written already.
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
    let mut shape = Shape::default();
    shape.put("kind", Some("message"));
    shape.put("role", Some(role));
    shape.put("messageId", Some(message.id));
    shape.put("contextId", message.context_id);
    shape.put("taskId", message.task_id);
    shape.put("parts", Some(message.parts.into_iter().map(part).collect::<Vec<_>>()));
    shape.put("metadata", message.metadata);
    shape.put("extensions", some(message.extensions));
    shape.put("referenceTaskIds", some(message.references));
    shape.into()
}

pub(crate) fn part(part: Part) -> Value {
    let (name, media_type) = (part.filename, part.media_type);
    let file = |member: &str, content: String| {
        let mut file = Shape::default();
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
    let mut shape = Shape::default();
    shape.put("kind", Some(kind));
    shape.put("type", Some(kind));
    shape.put(kind, Some(content));
    shape.put("metadata", part.metadata);
    shape.into()
}

/// A task. Readers of 0.2 look for the answer in its status (`told_in_status`), those of 0.3 in its artifacts.
pub(crate) fn task(mut task: Task, history: Option<u64>, told_in_status: bool) -> Value {
    let history = task.take_history(history);
    let told = task.contents.artifacts.first().filter(|_| told_in_status).map(|artifact| Message {
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
    let mut status = Shape::default();
    status.put("state", Some(task.state.name()));
    status.put("message", task.contents.message.or(told).map(message));
    status.put("timestamp", Some(task.at.to_string()));
    let artifacts = task.contents.artifacts.into_iter().enumerate().map(|(index, artifact)| {
        let parts: Vec<Value> = artifact.parts.into_iter().map(part).collect();
        json!({ "artifactId": artifact.id, "name": artifact.name, "parts": parts, "index": index })
    });
    let mut shape = Shape::default();
    shape.put("kind", Some("task"));
    shape.put("id", Some(task.id));
    shape.put("contextId", Some(task.context_id.clone()));
    shape.put("sessionId", Some(task.context_id));
    shape.put("status", Some(Value::from(status)));
    shape.put("artifacts", Some(artifacts.collect::<Vec<_>>()));
    shape.put("history", Some(history.into_iter().map(message).collect::<Vec<_>>()));
    shape.into()
}
