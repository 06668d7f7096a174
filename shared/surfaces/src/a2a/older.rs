//! The JSON of A2A 0.3 and 0.2. A part has both `kind` (0.3) and `type` (0.2). A task has both `contextId` and
//! `sessionId`. The SDK of each version ignores the fields of the other version, so one form serves all clients.

use super::message::{Content, Message, Part, Role};
use super::task::Task;
use crate::prelude::*;

/// Leaves out fields without a value, as all versions of A2A require.
fn object(mut members: Value) -> Value {
    if let Some(members) = members.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    members
}

fn non_empty<T>(list: Vec<T>) -> Option<Vec<T>> {
    Some(list).filter(|list| !list.is_empty())
}

fn message_json(message: Message) -> Value {
    object(json!({
        "kind": "message",
        "role": if message.role == Role::User { "user" } else { "agent" },
        "messageId": message.id,
        "contextId": message.context_id,
        "taskId": message.task_id,
        "parts": message.parts.into_iter().map(part_json).collect::<Vec<_>>(),
        "metadata": message.metadata,
        "extensions": non_empty(message.extensions),
        "referenceTaskIds": non_empty(message.references),
    }))
}

pub(super) fn part_json(part: Part) -> Value {
    let (name, media_type) = (part.filename, part.media_type);
    let file = |member: &str, content: String| {
        ("file", object(json!({ member: content, "name": name, "mimeType": media_type })))
    };
    let (kind, content) = match part.content {
        Content::Text(text) => ("text", Value::String(text)),
        Content::Data(data) => ("data", data),
        Content::Url(uri) => file("uri", uri),
        Content::Raw(bytes) => file("bytes", bytes),
    };
    object(json!({ "kind": kind, "type": kind, kind: content, "metadata": part.metadata }))
}

/// A task. Clients of 0.2 read the answer from its status (`answer_in_status`), those of 0.3 from its artifacts.
pub(super) fn task_json(mut task: Task, history: Option<u64>, answer_in_status: bool) -> Value {
    let history = task.take_history(history);
    let answer = task.contents.artifacts.first().filter(|_| answer_in_status).map(|artifact| {
        let texts = artifact.parts.iter().filter(|part| matches!(part.content, Content::Text(_)));
        Message::of_agent(artifact.id.clone(), &task.context_id, &task.id, texts.cloned().collect())
    });
    let status = object(json!({
        "state": task.state.as_str(),
        "message": task.contents.message.or(answer).map(message_json),
        "timestamp": task.at.to_string(),
    }));
    let artifacts = task.contents.artifacts.into_iter().enumerate().map(|(index, artifact)| {
        let parts: Vec<Value> = artifact.parts.into_iter().map(part_json).collect();
        json!({ "artifactId": artifact.id, "name": artifact.name, "parts": parts, "index": index })
    });
    json!({
        "kind": "task",
        "id": task.id,
        "contextId": task.context_id,
        "sessionId": task.context_id,
        "status": status,
        "artifacts": artifacts.collect::<Vec<_>>(),
        "history": history.into_iter().map(message_json).collect::<Vec<_>>(),
    })
}
