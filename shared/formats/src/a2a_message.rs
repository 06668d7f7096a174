//! The bodies of a request that sends a text message, in each dialect (version) of A2A, and the REST path of
//! this request. The bodies have the form that the official clients of 1.0 and 0.3 send. Probes and
//! ready-made calls use the same bodies, so the registry shows only calls that its probes really send.

use serde_json::{Value, json};

/// 1.0, both bindings.
pub fn newest(message_id: &str, text: &str) -> Value {
    json!({
        "message": {"messageId": message_id, "role": "ROLE_USER", "parts": [{"text": text}]},
        "configuration": {"acceptedOutputModes": ["text/plain", "application/json"], "returnImmediately": true},
    })
}

/// 0.3 and 0.2 over JSON-RPC. Some frameworks of that time read `type`, others `kind`.
pub fn older(message_id: &str, text: &str) -> Value {
    json!({
        "message": {
            "kind": "message", "messageId": message_id, "role": "user",
            "parts": [{"kind": "text", "type": "text", "text": text}],
        },
        "configuration": {"acceptedOutputModes": ["text/plain", "application/json"], "blocking": false},
    })
}

/// Before 0.2: a message is sent to a task, and the message creates this task.
pub fn oldest(task: &str, text: &str) -> Value {
    json!({
        "id": task, "sessionId": task,
        "message": {"role": "user", "parts": [{"type": "text", "text": text}]},
    })
}

/// 0.3 over REST: the JSON form of its protocol buffers.
pub fn older_rest(message_id: &str, text: &str) -> Value {
    json!({
        "message": {"messageId": message_id, "role": "ROLE_USER", "content": [{"text": text}]},
        "configuration": {"blocking": false},
    })
}

/// The path of a REST operation: relative to the interface's path, and before 1.0 under `/v1`.
pub fn rest_path(interface: &str, is_newest: bool, operation: &str) -> String {
    let prefix = if is_newest { "" } else { "/v1" };
    let base = interface.trim_end_matches('/');
    let base = base.strip_suffix("/v1").filter(|_| !prefix.is_empty()).unwrap_or(base);
    format!("{base}{prefix}{operation}")
}

#[cfg(test)]
mod tests {
    use super::rest_path;

    #[test]
    fn rest_paths_start_with_the_interface_url() {
        for (interface, is_newest, path) in [
            ("/api/", true, "/api/message:send"),
            ("/", false, "/v1/message:send"),
            ("/x/v1", false, "/x/v1/message:send"),
            ("/v1", true, "/v1/message:send"),
        ] {
            assert_eq!(rest_path(interface, is_newest, "/message:send"), path, "{interface}");
        }
    }
}
