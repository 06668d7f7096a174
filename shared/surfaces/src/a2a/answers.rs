//! Writes answers in the version of A2A that the client speaks. The JSON of 1.0 is in [`v1`]. That of 0.3 and 0.2 is here: a part
//! has both `kind` (0.3) and `type` (0.2), and a task has both `contextId` and `sessionId`. The SDK of each version ignores the
//! fields of the other version, so one form serves all clients.

use super::dialects::Dialect;
use super::message::{Content, Message, Part, Role};
use super::task::Task;
use super::v1;
use crate::prelude::*;

impl Dialect {
    /// Parts without a message around them, so that they can be cached.
    pub(super) fn parts(self, parts: Vec<Part>) -> serde_json::Result<Arc<RawValue>> {
        let parts = parts.into_iter();
        let parts = match self {
            Self::V1 => to_raw_value(&parts.map(v1::Part::from).collect::<Vec<_>>()),
            Self::V03 | Self::V02 => to_raw_value(&parts.map(part_json).collect::<Vec<_>>()),
        };
        Ok(parts?.into())
    }

    /// A message as an answer, around parts that are already serialized.
    pub(super) fn message(
        self,
        message_id: &str,
        context_id: &str,
        parts: &RawValue,
    ) -> serde_json::Result<Box<RawValue>> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Answer<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            kind: Option<&'static str>,
            message_id: &'a str,
            context_id: &'a str,
            role: &'static str,
            parts: &'a RawValue,
        }
        let answer = |kind, role| Answer { kind, message_id, context_id, role, parts };
        match self {
            Self::V1 => to_raw_value(&BTreeMap::from([("message", answer(None, "ROLE_AGENT"))])),
            Self::V03 | Self::V02 => to_raw_value(&answer(Some("message"), "agent")),
        }
    }

    /// A task as an answer to a message.
    pub(super) fn sent(self, task: Task, history: Option<u64>) -> serde_json::Result<Box<RawValue>> {
        match self {
            Self::V1 => to_raw_value(&v1::Sent::Task(v1::Task::of(task, history, true))),
            Self::V03 | Self::V02 => self.task(task, history),
        }
    }

    /// A task as an answer to a request for it.
    pub(super) fn task(self, task: Task, history: Option<u64>) -> serde_json::Result<Box<RawValue>> {
        match self {
            Self::V1 => to_raw_value(&v1::Task::of(task, history, true)),
            Self::V03 => to_raw_value(&task_json(task, history, false)),
            Self::V02 => to_raw_value(&task_json(task, history, true)),
        }
    }
}

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

fn part_json(part: Part) -> Value {
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
fn task_json(mut task: Task, history: Option<u64>, answer_in_status: bool) -> Value {
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
