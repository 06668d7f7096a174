//! Shapes of A2A 1.0 (a2a.proto as JSON): a part is known by its one member, roles and states are in capitals, and
//! nothing has a `kind`. Members that would hold a default are left out.

use registry::http::JsonEnvelope;
use serde_json::{Value, json};

use super::{Shape, some};
use crate::message::{Content, Message, Part, Role};
use crate::task::{State, Task};

/// The name of a state.
pub(crate) fn state(state: State) -> String {
    format!("TASK_STATE_{}", state.name().replace('-', "_").to_ascii_uppercase())
}

/// The state of a name; of 0.3's names too.
pub(crate) fn state_named(name: &str) -> Option<State> {
    let bare = name.strip_prefix("TASK_STATE_").unwrap_or(name).to_ascii_lowercase().replace('_', "-");
    State::named(if bare == "cancelled" { "canceled" } else { &bare })
}

/// A message as an answer, around parts that are written already.
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
    let mut shape = Shape::default();
    shape.put("messageId", Some(message.id));
    shape.put("contextId", message.context_id);
    shape.put("taskId", message.task_id);
    shape.put("role", Some(role));
    shape.put("parts", Some(message.parts.into_iter().map(part).collect::<Vec<_>>()));
    shape.put("metadata", message.metadata);
    shape.put("extensions", some(message.extensions));
    shape.put("referenceTaskIds", some(message.references));
    shape.into()
}

pub(crate) fn part(part: Part) -> Value {
    let mut shape = Shape::default();
    match part.content {
        Content::Text(text) => shape.put("text", Some(text)),
        Content::Data(data) => shape.put("data", Some(data)),
        Content::Url(url) => shape.put("url", Some(url)),
        Content::Raw(raw) => shape.put("raw", Some(raw)),
    }
    shape.put("filename", part.filename);
    shape.put("mediaType", part.media_type);
    shape.put("metadata", part.metadata);
    shape.into()
}

pub(crate) fn task(mut task: Task, history: Option<u64>, artifacts: bool) -> Value {
    let history = task.take_history(history);
    let mut status = Shape::default();
    status.put("state", Some(state(task.state)));
    status.put("message", task.contents.message.map(message));
    status.put("timestamp", Some(task.at.to_string()));
    let artifacts = task.contents.artifacts.into_iter().filter(|_| artifacts).map(|artifact| {
        let parts: Vec<Value> = artifact.parts.into_iter().map(part).collect();
        json!({ "artifactId": artifact.id, "name": artifact.name, "parts": parts })
    });
    let mut shape = Shape::default();
    shape.put("id", Some(task.id));
    shape.put("contextId", Some(task.context_id));
    shape.put("status", Some(Value::from(status)));
    shape.put("artifacts", some(artifacts.collect()));
    shape.put("history", some(history.into_iter().map(message).collect()));
    shape.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_by_the_names_of_all_dialects() {
        for (name, wanted) in [
            ("TASK_STATE_INPUT_REQUIRED", State::InputRequired),
            ("input-required", State::InputRequired),
            ("TASK_STATE_CANCELED", State::Canceled),
            ("TASK_STATE_CANCELLED", State::Canceled),
        ] {
            assert_eq!(state_named(name), Some(wanted));
        }
        assert_eq!(state(State::AuthRequired), "TASK_STATE_AUTH_REQUIRED");
        assert!(state_named("TASK_STATE_SLEEPING").is_none());
    }
}
