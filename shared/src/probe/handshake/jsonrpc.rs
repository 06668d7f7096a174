//! What a peer said to a JSON-RPC request, whatever it was wrapped in: JSON, an event stream, an array.
//! The body is read before any status is looked at, because good replies come with bad statuses and the reverse.

use serde_json::Value;

use super::sse;
use crate::probe::reasons::ConformanceRule;

/// Method not found (JSON-RPC 2.0 §5.1).
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// Not a valid request object.
pub(super) const INVALID_REQUEST: i64 = -32600;
/// Parameters that do not fit.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// An error inside the server.
pub(super) const INTERNAL_ERROR: i64 = -32603;
/// Unreadable JSON.
pub(super) const PARSE_ERROR: i64 = -32700;

/// An error object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError {
    /// Its number.
    pub(super) code: i64,
    /// Its text, as the peer wrote it.
    pub(super) message: String,
    /// Its data, or null.
    pub(super) data: Value,
}

/// What was said.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    /// A result for our id.
    Result(Value),
    /// An error for our id, or for none.
    Error(RpcError),
    /// JSON-RPC in form, for another id or broken.
    Broken,
    /// JSON of another kind.
    OtherJson,
    /// A web page.
    Html,
    /// Nothing at all.
    Nothing,
    /// Neither JSON nor a page.
    Text,
}

/// What was said, and how.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heard {
    /// The message.
    pub(super) said: Said,
    /// Rules of form that it breaks and that still leave it readable.
    pub(super) quirks: Vec<ConformanceRule>,
    /// It came as an event stream.
    pub(super) streamed: bool,
}

impl RpcError {
    /// One line for `seen`.
    pub(super) fn line(&self) -> String {
        format!("error {}: {}", self.code, self.message)
    }

    /// The error names missing credentials, whatever its number.
    pub(super) fn wants_credentials(&self) -> bool {
        let text = self.message.to_ascii_lowercase();
        [
            "unauthori",
            "unauthenticated",
            "not authenticated",
            "authentication",
            "authorization",
            "api key",
            "api_key",
            "apikey",
            "api-key",
            "access token",
            "bearer",
            "invalid token",
            "missing token",
            "credential",
        ]
        .iter()
        .any(|word| text.contains(word))
    }

    /// The protocol versions that the error offers instead: `data.supported`, MCP -32022 and its forerunners.
    pub(super) fn supported(&self) -> Vec<String> {
        let listed = self.data.get("supported").or_else(|| self.data.get("supportedVersions"));
        texts(listed)
    }
}

/// The strings of an array, and nothing where there is none.
pub(super) fn texts(array: Option<&Value>) -> Vec<String> {
    let items = array.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Finds the reply to request `id` in a body.
pub(super) fn hear(content_type: Option<&str>, body: &[u8], id: u64) -> Heard {
    let typed = content_type.unwrap_or_default().to_ascii_lowercase();
    if typed.starts_with("text/event-stream") || sse::looks_like_stream(body) {
        let mut best = Heard { said: Said::Nothing, quirks: Vec::new(), streamed: true };
        for event in sse::events(body, true) {
            let Ok(message) = serde_json::from_str::<Value>(&event.data) else { continue };
            // A server may ask or tell something before it answers.
            if message.get("method").is_some() {
                continue;
            }
            let (said, quirks) = judge(message, id);
            let found = matches!(said, Said::Result(_) | Said::Error(_));
            best = Heard { said, quirks, streamed: true };
            if found {
                break;
            }
        }
        return best;
    }
    let (said, quirks) = match serde_json::from_slice::<Value>(body) {
        Ok(message) => judge(message, id),
        Err(_) if body.trim_ascii().is_empty() => (Said::Nothing, Vec::new()),
        Err(_) if typed.contains("html") || body.trim_ascii_start().starts_with(b"<") => {
            (Said::Html, Vec::new())
        }
        Err(_) if typed.contains("json") && body.trim_ascii_start().starts_with(b"{\"jsonrpc\"") => {
            (Said::Broken, Vec::new())
        }
        Err(_) => (Said::Text, Vec::new()),
    };
    Heard { said, quirks, streamed: false }
}

fn judge(message: Value, id: u64) -> (Said, Vec<ConformanceRule>) {
    let mut quirks = Vec::new();
    let message = match message {
        Value::Array(batch) => {
            quirks.push(ConformanceRule::Batch);
            let ours = batch.into_iter().find(|item| echo(item, id) != Echo::Other);
            ours.unwrap_or(Value::Null)
        }
        message => message,
    };
    let Value::Object(mut message) = message else { return (Said::OtherJson, Vec::new()) };
    let declared = message.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    let echoed = echo_of(message.get("id"), id);
    if !declared {
        // Without the member only an echo of our id tells a reply from any other document.
        if !matches!(echoed, Echo::Same | Echo::AsText) {
            return (Said::OtherJson, Vec::new());
        }
        quirks.push(ConformanceRule::JsonRpcMember);
    }
    if echoed == Echo::AsText {
        quirks.push(ConformanceRule::IdEcho);
    }
    let error = message.get("error").and_then(read_error);
    let said = match (message.remove("result"), error, echoed) {
        (_, _, Echo::Other) => Said::Broken,
        // Some frameworks write "error": null beside every result, and "result": null beside every error.
        (Some(result), None, Echo::Same | Echo::AsText) => Said::Result(result),
        (None | Some(Value::Null), Some(error), _) => Said::Error(error),
        _ => Said::Broken,
    };
    (said, quirks)
}

fn read_error(error: &Value) -> Option<RpcError> {
    let code = error.get("code")?;
    let code = code.as_i64().or_else(|| code.as_str().and_then(|text| text.parse().ok()))?;
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(RpcError { code, message, data: error.get("data").cloned().unwrap_or_default() })
}

/// How our id came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Echo {
    Same,
    AsText,
    Absent,
    Other,
}

fn echo(message: &Value, id: u64) -> Echo {
    echo_of(message.get("id"), id)
}

fn echo_of(echoed: Option<&Value>, id: u64) -> Echo {
    match echoed {
        None | Some(Value::Null) => Echo::Absent,
        Some(Value::String(text)) if *text == id.to_string() => Echo::AsText,
        Some(Value::Number(number)) if number.as_f64() == Some(id as f64) => Echo::Same,
        Some(_) => Echo::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(body: &str) -> Said {
        hear(Some("application/json"), body.as_bytes(), 7).said
    }

    fn error(code: i64) -> Said {
        Said::Error(RpcError { code, message: String::new(), data: Value::Null })
    }

    #[test]
    fn a_reply_is_one_that_echoes_our_id() {
        let result = Said::Result(json!({"a": 1}));
        assert_eq!(said(r#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#), result);
        assert_eq!(said(r#"{"jsonrpc":"2.0","id":7,"result":{"a":1},"error":null}"#), result);
        assert_eq!(said(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601}}"#), error(-32601));
        assert_eq!(said(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#), error(-32700));
        assert_eq!(said(r#"{"jsonrpc":"2.0","error":{"code":-32000}}"#), error(-32000));
        for broken in [
            r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32601}}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":"no"}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}"#,
        ] {
            assert_eq!(said(broken), Said::Broken, "{broken}");
        }
    }

    #[test]
    fn other_documents_are_told_apart() {
        assert_eq!(said(r#"{"detail":"Not Found"}"#), Said::OtherJson);
        assert_eq!(said(r#"{"error":{"code":404,"message":"x"}}"#), Said::OtherJson);
        assert_eq!(said("[]"), Said::OtherJson);
        assert_eq!(said(" "), Said::Nothing);
        assert_eq!(said("Not Found"), Said::Text);
        assert_eq!(hear(None, b"<!doctype html>", 7).said, Said::Html);
        assert_eq!(hear(Some("text/html"), b"hello", 7).said, Said::Html);
    }

    #[test]
    fn broken_forms_are_read_and_noted() {
        let heard = |body: &str| hear(None, body.as_bytes(), 7);
        let cases = [
            (r#"{"jsonrpc":"2.0","id":"7","result":{}}"#, ConformanceRule::IdEcho),
            (r#"{"id":7,"result":{}}"#, ConformanceRule::JsonRpcMember),
            (r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#, ConformanceRule::Batch),
        ];
        for (body, quirk) in cases {
            assert_eq!(
                heard(body),
                Heard { said: Said::Result(json!({})), quirks: vec![quirk], streamed: false }
            );
        }
    }

    #[test]
    fn a_stream_is_searched_for_our_reply() {
        let body = b"data: \n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n\
            data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":5}\n\n";
        let heard = hear(Some("text/event-stream; charset=utf-8"), body, 7);
        assert_eq!((heard.said, heard.streamed), (Said::Result(json!(5)), true));
        assert_eq!(hear(Some("text/event-stream"), body, 9).said, Said::Broken);
        assert_eq!(hear(Some("text/event-stream"), b"data: \n\n", 7).said, Said::Nothing);
    }

    #[test]
    fn errors_that_ask_for_credentials_are_known_by_their_words() {
        let error = |message: &str| RpcError { code: -32000, message: message.into(), data: Value::Null };
        assert!(error("Missing API key").wants_credentials());
        assert!(error("Unauthorized").wants_credentials());
        assert!(!error("Unexpected token < in JSON").wants_credentials());
        assert!(!error("Bad Request: Server not initialized").wants_credentials());
    }
}
