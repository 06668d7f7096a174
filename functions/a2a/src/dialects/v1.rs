//! The JSON of A2A 1.0 (a2a.proto in its JSON mapping). The type of a part follows from the name of its
//! field, so there is no `kind`. Roles and states are in capitals. Fields with a default value are left out,
//! as in the JSON mapping of protobuf.

use registry::a2a::{Content, Message, Part, Role, Task, TaskState};
use registry::http::JsonEnvelope;
use serde_json::{Value, json};

use super::object::{Object, non_empty};

pub(crate) fn state(state: TaskState) -> String {
    format!("TASK_STATE_{}", state.name().replace('-', "_").to_ascii_uppercase())
}

/// Names of 0.3 are accepted too, because clients mix them up.
pub(crate) fn state_named(name: &str) -> Option<TaskState> {
    let bare = name.strip_prefix("TASK_STATE_").unwrap_or(name).to_ascii_lowercase().replace('_', "-");
    TaskState::named(if bare == "cancelled" { "canceled" } else { &bare })
}

/// A message as an answer, around parts that are already serialized.
pub(crate) fn answer(
    message_id: &str,
    context_id: &str,
    parts: JsonEnvelope,
) -> serde_json::Result<JsonEnvelope> {
    let head = json!({ "messageId": message_id, "contextId": context_id, "role": "ROLE_AGENT" });
    parts.as_member("parts", &head)?.as_member("message", &json!({}))
}

fn message(message: Message) -> Value {
    let role = if message.role == Role::User { "ROLE_USER" } else { "ROLE_AGENT" };
    let mut object = Object::default();
    object.put("messageId", Some(message.id));
    object.put("contextId", message.context_id);
    object.put("taskId", message.task_id);
    object.put("role", Some(role));
    object.put("parts", Some(message.parts.into_iter().map(part).collect::<Vec<_>>()));
    object.put("metadata", message.metadata);
    object.put("extensions", non_empty(message.extensions));
    object.put("referenceTaskIds", non_empty(message.references));
    object.into()
}

pub(crate) fn part(part: Part) -> Value {
    let mut object = Object::default();
    match part.content {
        Content::Text(text) => object.put("text", Some(text)),
        Content::Data(data) => object.put("data", Some(data)),
        Content::Url(url) => object.put("url", Some(url)),
        Content::Raw(raw) => object.put("raw", Some(raw)),
    }
    object.put("filename", part.filename);
    object.put("mediaType", part.media_type);
    object.put("metadata", part.metadata);
    object.into()
}

pub(crate) fn task(mut task: Task, history: Option<u64>, artifacts: bool) -> Value {
    let history = task.take_history(history);
    let mut status = Object::default();
    status.put("state", Some(state(task.state)));
    status.put("message", task.contents.message.map(message));
    status.put("timestamp", Some(task.at.to_string()));
    let artifacts = task.contents.artifacts.into_iter().filter(|_| artifacts).map(|artifact| {
        let parts: Vec<Value> = artifact.parts.into_iter().map(part).collect();
        json!({ "artifactId": artifact.id, "name": artifact.name, "parts": parts })
    });
    let mut object = Object::default();
    object.put("id", Some(task.id));
    object.put("contextId", Some(task.context_id));
    object.put("status", Some(Value::from(status)));
    object.put("artifacts", non_empty(artifacts.collect()));
    object.put("history", non_empty(history.into_iter().map(message).collect()));
    object.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_names_of_all_dialects_are_accepted() {
        for (name, expected) in [
            ("TASK_STATE_INPUT_REQUIRED", TaskState::InputRequired),
            ("input-required", TaskState::InputRequired),
            ("TASK_STATE_CANCELED", TaskState::Canceled),
            ("TASK_STATE_CANCELLED", TaskState::Canceled),
        ] {
            assert_eq!(state_named(name), Some(expected));
        }
        assert_eq!(state(TaskState::AuthRequired), "TASK_STATE_AUTH_REQUIRED");
        assert!(state_named("TASK_STATE_SLEEPING").is_none());
    }
}
