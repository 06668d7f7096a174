//! Shapes of A2A 1.0 (a2a.proto as JSON): a part is known by its one member, roles and states are in capitals, and
//! nothing has a `kind`. Members that would hold a default are left out.

use serde_json::{Map, Value, json};

use super::time;
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

pub(crate) fn message(message: &Message) -> Value {
    let mut shape = Map::new();
    shape.insert("messageId".to_owned(), json!(message.id));
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            shape.insert(name.to_owned(), value);
        }
    };
    put("contextId", message.context_id.as_ref().map(|id| json!(id)));
    put("taskId", message.task_id.as_ref().map(|id| json!(id)));
    put("role", Some(json!(if message.role == Role::User { "ROLE_USER" } else { "ROLE_AGENT" })));
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
    let mut shape = match &part.content {
        Content::Text(text) => json!({ "text": text }),
        Content::Data(data) => json!({ "data": data }),
        Content::Url(url) => json!({ "url": url }),
        Content::Raw(raw) => json!({ "raw": raw }),
    };
    if let Some(name) = &part.filename {
        shape["filename"] = json!(name);
    }
    if let Some(kind) = &part.media_type {
        shape["mediaType"] = json!(kind);
    }
    if let Some(metadata) = &part.metadata {
        shape["metadata"] = json!(metadata);
    }
    shape
}

pub(crate) fn task(task: &Task, history: Option<u64>, artifacts: bool) -> Value {
    let mut shape = json!({
        "id": task.id,
        "contextId": task.context_id,
        "status": { "state": state(task.state), "timestamp": time(task.at) },
    });
    if let Some(said) = &task.contents.message {
        shape["status"]["message"] = message(said);
    }
    if artifacts && !task.contents.artifacts.is_empty() {
        let told = task.contents.artifacts.iter().map(|artifact| {
            let parts: Value = artifact.parts.iter().map(part).collect();
            json!({ "artifactId": artifact.id, "name": artifact.name, "parts": parts })
        });
        shape["artifacts"] = told.collect();
    }
    let history = task.history(history);
    if !history.is_empty() {
        shape["history"] = history.iter().map(message).collect();
    }
    shape
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
