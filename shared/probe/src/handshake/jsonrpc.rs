//! Finds the reply to a JSON-RPC request in a body: plain JSON, an event stream or an array. The body is read before
//! the HTTP status, because a valid reply may have an error status, and an invalid reply may have status 200.

use serde_json::Value;

use super::sse;
use crate::reasons::ConformanceRule;
use registry_model::error::shorten;
use registry_model::json;

pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;
pub(super) const PARSE_ERROR: i64 = -32700;

const MAX_TEXTS: usize = 50;
const MAX_TEXT_CHARS: usize = 2000;

#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    pub code: i64,
    /// As the peer wrote it, cut to [`MAX_TEXT_CHARS`].
    pub message: String,
    /// The protocol versions that the server offers instead (MCP -32022 and its predecessors).
    pub supported: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RpcOutcome {
    Result(Value),
    Error(RpcError),
    /// The body looks like JSON-RPC, but is malformed or has another id.
    Broken,
    OtherJson,
    Html,
    Nothing,
    Text,
    /// More values than the probe may still read.
    TooMuch,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RpcReply {
    pub outcome: RpcOutcome,
    /// Broken rules that still leave the reply readable.
    pub broken_rules: Vec<ConformanceRule>,
    pub streamed: bool,
}

impl RpcError {
    pub(super) fn line(&self) -> String {
        format!("error {}; the server wrote \"{}\"", self.code, shorten(&self.message, 100))
    }

    /// Decided by the words of the error, because there is no standard code for missing credentials.
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
}

/// A member as one line, cut to `limit` characters; `None` if it is absent or blank.
pub(super) fn text(object: &Value, name: &str, limit: usize) -> Option<String> {
    let text = object.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| shorten(text, limit))
}

pub(super) fn texts(array: Option<&Value>) -> Vec<String> {
    let items = array.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).take(MAX_TEXTS).map(|text| shorten(text, MAX_TEXT_CHARS)).collect()
}

impl RpcReply {
    pub(super) fn without_result(self) -> Self {
        match self.outcome {
            RpcOutcome::Result(_) => Self { outcome: RpcOutcome::Result(Value::Null), ..self },
            _ => self,
        }
    }
}

/// Finds the reply to request `id` in a body. `left` is the number of values that may still be read; it is reduced,
/// by at least one for each event of a stream.
pub fn parse_reply(content_type: Option<&str>, body: &[u8], id: u64, left: &mut usize) -> RpcReply {
    let typed = content_type.unwrap_or_default().to_ascii_lowercase();
    if typed.starts_with("text/event-stream") || sse::looks_like_stream(body) {
        let mut best = RpcReply { outcome: RpcOutcome::Nothing, broken_rules: Vec::new(), streamed: true };
        for event in sse::events(body) {
            let message = match json::parse_limited(event.data.as_bytes(), left) {
                Ok(message) => message,
                Err(error) if error.is_data() => {
                    return RpcReply { outcome: RpcOutcome::TooMuch, ..best };
                }
                Err(_) => continue,
            };
            // A server may send requests or notifications before its reply.
            if message.get("method").is_some() {
                continue;
            }
            let (outcome, mut broken_rules) = classify(message, id);
            if !event.is_message() {
                broken_rules.push(ConformanceRule::Stream);
            }
            let found = matches!(outcome, RpcOutcome::Result(_) | RpcOutcome::Error(_));
            best = RpcReply { outcome, broken_rules, streamed: true };
            if found {
                break;
            }
        }
        return best;
    }
    let (outcome, broken_rules) = match json::parse_limited(body, left) {
        Ok(message) => classify(message, id),
        Err(error) if error.is_data() => (RpcOutcome::TooMuch, Vec::new()),
        Err(_) if body.trim_ascii().is_empty() => (RpcOutcome::Nothing, Vec::new()),
        Err(_) if typed.contains("html") || body.trim_ascii_start().starts_with(b"<") => {
            (RpcOutcome::Html, Vec::new())
        }
        Err(_) if typed.contains("json") && body.trim_ascii_start().starts_with(b"{\"jsonrpc\"") => {
            (RpcOutcome::Broken, Vec::new())
        }
        Err(_) => (RpcOutcome::Text, Vec::new()),
    };
    RpcReply { outcome, broken_rules, streamed: false }
}

fn classify(message: Value, id: u64) -> (RpcOutcome, Vec<ConformanceRule>) {
    let mut broken_rules = Vec::new();
    let message = match message {
        Value::Array(batch) => {
            broken_rules.push(ConformanceRule::Batch);
            let ours = batch.into_iter().find(|item| echo_of(item.get("id"), id) != Echo::Other);
            ours.unwrap_or(Value::Null)
        }
        message => message,
    };
    let Value::Object(mut message) = message else { return (RpcOutcome::OtherJson, Vec::new()) };
    let declared = message.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    let echoed = echo_of(message.get("id"), id);
    if !declared {
        // Without the member, only our id distinguishes a reply from other documents.
        if !matches!(echoed, Echo::Same | Echo::AsText) {
            return (RpcOutcome::OtherJson, Vec::new());
        }
        broken_rules.push(ConformanceRule::JsonRpcMember);
    }
    if echoed == Echo::AsText {
        broken_rules.push(ConformanceRule::IdEcho);
    }
    let error = message.get("error").and_then(read_error);
    let outcome = match (message.remove("result"), error, echoed) {
        (_, _, Echo::Other) => RpcOutcome::Broken,
        // Some frameworks write "error": null next to every result, and "result": null next to every error.
        (Some(result), None, Echo::Same | Echo::AsText) => RpcOutcome::Result(result),
        (None | Some(Value::Null), Some(error), _) => RpcOutcome::Error(error),
        _ => RpcOutcome::Broken,
    };
    (outcome, broken_rules)
}

fn read_error(error: &Value) -> Option<RpcError> {
    let code = error.get("code")?;
    let code = code.as_i64().or_else(|| code.as_str().and_then(|text| text.parse().ok()))?;
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let message = shorten(message, MAX_TEXT_CHARS);
    let offered = |name| error.get("data").and_then(|data| data.get(name));
    let supported = texts(offered("supported").or_else(|| offered("supportedVersions")));
    Some(RpcError { code, message, supported })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Echo {
    Same,
    AsText,
    Absent,
    Other,
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
mod tests;
