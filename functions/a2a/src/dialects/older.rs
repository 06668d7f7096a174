//! Shapes of A2A 0.3 and 0.2. A part says what it is by `kind` (0.3) and by `type` (0.2), a task has a `contextId` and
//! a `sessionId`: every reader finds its own and passes over the other's, as the SDKs of both were seen to do.

use serde_json::{Map, Value, json};

use super::time;
use crate::message::{Content, Message, Part, Role};
use crate::task::Task;

pub(crate) fn message(message: &Message) -> Value {
    let mut shape = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            shape.insert(name.to_owned(), value);
        }
    };
    put("kind", Some(json!("message")));
    put("role", Some(json!(if message.role == Role::User { "user" } else { "agent" })));
    put("messageId", Some(json!(message.id)));
    put("contextId", message.context_id.as_ref().map(|id| json!(id)));
    put("taskId", message.task_id.as_ref().map(|id| json!(id)));
    put("parts", Some(message.parts.iter().map(part).collect()));
    put("metadata", message.metadata.as_ref().map(|metadata| json!(metadata)));
    put("extensions", some(&message.extensions));
    put("referenceTaskIds", some(&message.references));
    Value::Object(shape)
}

fn some(texts: &[String]) -> Option<Value> {
    (!texts.is_empty()).then(|| json!(texts))
}

pub(crate) fn part(part: &Part) -> Value {
    let (kind, name, content) = match &part.content {
        Content::Text(text) => ("text", "text", json!(text)),
        Content::Data(data) => ("data", "data", json!(data)),
        Content::Url(uri) => ("file", "file", file(part, "uri", uri)),
        Content::Raw(bytes) => ("file", "file", file(part, "bytes", bytes)),
    };
    let mut shape = json!({ "kind": kind, "type": kind, name: content });
    if let Some(metadata) = &part.metadata {
        shape["metadata"] = json!(metadata);
    }
    shape
}

fn file(part: &Part, member: &str, content: &str) -> Value {
    let mut file = json!({ member: content });
    if let Some(name) = &part.filename {
        file["name"] = json!(name);
    }
    if let Some(kind) = &part.media_type {
        file["mimeType"] = json!(kind);
    }
    file
}

/// A task. Readers of 0.2 look for the answer in its status (`told_in_status`), those of 0.3 in its artifacts.
pub(crate) fn task(task: &Task, history: Option<u64>, told_in_status: bool) -> Value {
    let mut shape = json!({
        "kind": "task",
        "id": task.id,
        "contextId": task.context_id,
        "sessionId": task.context_id,
        "status": { "state": task.state.name(), "timestamp": time(task.at) },
    });
    if let Some(said) = &task.contents.message {
        shape["status"]["message"] = message(said);
    } else if let Some(artifact) = task.contents.artifacts.first().filter(|_| told_in_status) {
        let said = Message {
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
        };
        shape["status"]["message"] = message(&said);
    }
    let artifacts = task.contents.artifacts.iter().enumerate().map(|(index, artifact)| {
        let parts: Value = artifact.parts.iter().map(part).collect();
        json!({ "artifactId": artifact.id, "name": artifact.name, "parts": parts, "index": index })
    });
    shape["artifacts"] = artifacts.collect();
    shape["history"] = task.history(history).iter().map(message).collect();
    shape
}
