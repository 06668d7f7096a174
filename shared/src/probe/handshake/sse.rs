//! Server-sent events as they arrive: enough of the format to find one JSON-RPC reply or one endpoint.
//! A reply is looked for after every chunk, so that a stream that is never closed costs no waiting.

use serde_json::Value;

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// The `event:` field; empty where none was sent ("message").
    pub(super) name: String,
    /// The `data:` lines, joined.
    pub(super) data: String,
}

/// The events that are complete, an unterminated last one included where `ended` says that no more will come.
///
/// WHATWG HTML, "Server-sent events": lines end in CR, LF or CRLF, a blank line dispatches. Events without data are
/// left out, because servers open streams with an empty one (MCP 2025-11-25).
pub(super) fn events(body: &[u8], ended: bool) -> Vec<Event> {
    let text = String::from_utf8_lossy(body).replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let complete = match text.rfind("\n\n") {
        Some(end) if !ended => &text[..end],
        None if !ended => "",
        _ => text,
    };
    complete.split("\n\n").map(event).filter(|event| !event.data.is_empty()).collect()
}

fn event(block: &str) -> Event {
    let mut event = Event::default();
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut event.name),
            "data" => {
                if !event.data.is_empty() {
                    event.data.push('\n');
                }
                event.data.push_str(value);
            }
            _ => {}
        }
    }
    event
}

/// Whether a body looks like an event stream, whatever its content type says.
pub(super) fn looks_like_stream(body: &[u8]) -> bool {
    let start = body.trim_ascii_start();
    [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|field| start.starts_with(field))
}

/// Whether the reply to request `id` has arrived in full within a stream; of other bodies the end decides.
pub(super) fn has_reply(body: &[u8], id: u64) -> bool {
    looks_like_stream(body)
        && events(body, false).iter().any(|event| {
            serde_json::from_str::<Value>(&event.data).is_ok_and(|message| is_reply_to(&message, id))
        })
}

/// The path or URL of the message endpoint that an HTTP+SSE server (MCP 2024-11-05) opens its stream with.
pub(super) fn endpoint(body: &[u8]) -> Option<String> {
    events(body, true).into_iter().find(|event| event.name == "endpoint").map(|event| event.data)
}

/// A response, not a request or notification, that names our id in either type.
fn is_reply_to(message: &Value, id: u64) -> bool {
    if let Value::Array(batch) = message {
        return batch.iter().any(|message| is_reply_to(message, id));
    }
    message.get("method").is_none()
        && match message.get("id") {
            Some(Value::String(text)) => *text == id.to_string(),
            Some(Value::Null) | None => message.get("error").is_some(),
            Some(other) => other.as_u64() == Some(id),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_end_at_a_blank_line_in_every_line_ending() {
        for ending in ["\n", "\r\n", "\r"] {
            let text =
                ["id: 1", "event: x", "data: a", "data:b", "", ": comment", "", "data: half"].join(ending);
            let found = events(text.as_bytes(), false);
            assert_eq!(found, [Event { name: "x".into(), data: "a\nb".into() }], "{ending:?}");
            assert_eq!(events(text.as_bytes(), true).len(), 2);
        }
    }

    #[test]
    fn an_empty_event_before_the_reply_is_passed_over() {
        let opening = b"id: 9\ndata: \n\n";
        assert!(!has_reply(opening, 7));
        let body = b"id: 9\ndata: \n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n";
        assert!(has_reply(body, 7));
        assert!(!has_reply(body, 8), "another id is not ours");
        assert!(!has_reply(&body[..body.len() - 2], 7), "half an event is no reply yet");
    }

    #[test]
    fn a_request_of_the_server_is_no_reply() {
        assert!(!has_reply(b"data: {\"id\":7,\"method\":\"ping\"}\n\n", 7));
        assert!(!has_reply(b"{\"id\":7,\"result\":{}}", 7), "plain JSON is judged at its end");
    }

    #[test]
    fn the_endpoint_event_is_found() {
        assert_eq!(endpoint(b"event: endpoint\ndata: /messages?s=1\n\n").as_deref(), Some("/messages?s=1"));
        assert_eq!(endpoint(b"data: /messages\n\n"), None);
    }
}
