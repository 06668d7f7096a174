//! JSON-RPC 2.0, the binding that A2A and MCP share: messages, replies and their schemas.

use crate::errors::RpcError;
use crate::prelude::*;
use crate::rest::json_response;

/// Of MCP 2025-03-26; later revisions and A2A have no batches.
pub(crate) const MAX_BATCH_LENGTH: usize = 10;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// Null if a client of A2A sends none.
    pub(crate) id: Value,
    pub(crate) method: String,
    /// Empty if the request has none.
    pub(crate) params: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    Request(Request),
    Notification,
    /// Ignored, because this server sends no requests.
    Response,
}

/// JSON that is not a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Malformed {
    /// Null if it is invalid.
    pub(crate) id: Value,
    pub(crate) error: Box<RpcError>,
}

impl Malformed {
    fn new(id: &Value, detail: &str) -> Self {
        Self { id: id.clone(), error: Box::new(RpcError::invalid_request(detail)) }
    }
}

impl Message {
    /// Reads a message of MCP. An id is a string or a whole number, so that every reply can be matched to its request.
    pub(crate) fn of_mcp(value: Value) -> Result<Self, Malformed> {
        let Value::Object(mut message) = value else {
            return Err(Malformed::new(&Value::Null, "A message must be a JSON object."));
        };
        let id = message.remove("id");
        let valid_id = id.clone().filter(is_mcp_id).unwrap_or_default();
        let wrong = |detail| Err(Malformed::new(&valid_id, detail));
        if !is_version_2(&message) {
            return wrong("`jsonrpc` must be \"2.0\".");
        }
        let method = match message.remove("method") {
            Some(Value::String(method)) => method,
            Some(_) => return wrong("`method` must be a string."),
            None if message.contains_key("result") || message.contains_key("error") => {
                return Ok(Self::Response);
            }
            None => return wrong("`method` is missing."),
        };
        let params = match message.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return wrong("`params` must be an object."),
        };
        match id {
            None => Ok(Self::Notification),
            Some(_) if valid_id.is_null() => wrong("`id` must be a string or a whole number."),
            Some(id) => Ok(Self::Request(Request { id, method, params })),
        }
    }
}

impl Request {
    /// Reads a request of A2A. One without an id would be a notification. A2A has none, so the client forgot the id.
    pub(crate) fn of_a2a(document: Value) -> Result<Self, Malformed> {
        let mut members = match document {
            Value::Object(members) => members,
            Value::Array(_) => {
                let detail = "Batches are not supported: send one request at a time.";
                return Err(Malformed::new(&Value::Null, detail));
            }
            _ => return Err(Malformed::new(&Value::Null, "A request must be a JSON object.")),
        };
        let id @ (Value::String(_) | Value::Number(_) | Value::Null) =
            members.remove("id").unwrap_or_default()
        else {
            return Err(Malformed::new(&Value::Null, "`id` must be a string or a number."));
        };
        if !is_version_2(&members) {
            return Err(Malformed::new(&id, "`jsonrpc` must be \"2.0\"."));
        }
        let Some(Value::String(method)) = members.remove("method") else {
            let detail = "`method` must be a string; call `help` for the list of methods.";
            return Err(Malformed::new(&id, detail));
        };
        match members.remove("params") {
            Some(Value::Object(params)) => Ok(Self { id, method, params }),
            None | Some(Value::Null) => Ok(Self { id, method, params: Map::new() }),
            Some(_) => {
                Err(Malformed { id, error: Box::new(RpcError::param("params", "must be an object.")) })
            }
        }
    }
}

fn is_version_2(message: &Map<String, Value>) -> bool {
    message.get("jsonrpc").and_then(Value::as_str) == Some("2.0")
}

fn is_mcp_id(id: &Value) -> bool {
    const BOUNDS: (f64, f64) = (-9_223_372_036_854_775_808.0, 18_446_744_073_709_551_616.0);
    // Some clients write whole numbers as `7.0`. Outside the bounds, `serde_json` has read another number.
    let is_whole = |float: f64| float.fract() == 0.0 && float > BOUNDS.0 && float < BOUNDS.1;
    id.is_string() || id.is_i64() || id.is_u64() || id.as_f64().is_some_and(is_whole)
}

/// A reply, and the HTTP status of a response that contains only this reply.
#[derive(Debug)]
pub(crate) struct Reply {
    status: StatusCode,
    message: Box<RawValue>,
}

impl Reply {
    /// The id is null if that of the request is unknown (JSON-RPC 2.0 §5).
    #[expect(clippy::expect_used, reason = "ids and errors always serialize")]
    pub(crate) fn to(id: &Value, outcome: &Result<impl AsRef<RawValue>, RpcError>) -> Self {
        #[derive(Serialize)]
        struct Response<'a> {
            jsonrpc: &'static str,
            id: &'a Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            result: Option<&'a RawValue>,
            #[serde(skip_serializing_if = "Option::is_none")]
            error: Option<&'a RpcError>,
        }
        let (result, error) = (outcome.as_ref().ok().map(AsRef::as_ref), outcome.as_ref().err());
        let message = to_raw_value(&Response { jsonrpc: "2.0", id, result, error });
        let status = error.map_or(StatusCode::OK, |error| error.status);
        Self { status, message: message.expect("a message is JSON") }
    }

    pub(crate) fn error(id: &Value, error: RpcError) -> Self {
        Self::to(id, &Err::<Box<RawValue>, _>(error))
    }

    /// In bytes.
    pub(crate) fn length(&self) -> usize {
        self.message.get().len()
    }

    /// The response to a batch. A batch of only notifications has no replies (JSON-RPC 2.0 §6).
    pub(crate) fn batch(replies: &[Self]) -> Response {
        if replies.is_empty() {
            return StatusCode::ACCEPTED.into_response();
        }
        let messages: Vec<&RawValue> = replies.iter().map(|reply| &*reply.message).collect();
        Json(messages).into_response()
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        (self.status, json_response(self.message)).into_response()
    }
}

/// Serializes a value once, to be shared by all responses that contain it.
#[expect(clippy::expect_used, reason = "messages have text keys and no failing serializer")]
pub(crate) fn raw<T: Serialize>(value: &T) -> Arc<RawValue> {
    to_raw_value(value).expect("a message is JSON").into()
}

/// The schema of the messages that MCP accepts. A2A also accepts other numbers and null as an id.
pub(crate) fn request_schema() -> Value {
    json!({
        "type": "object",
        "description": "A JSON-RPC 2.0 request; in MCP a notification if it has no id.",
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": i64::MIN, "maximum": u64::MAX }] },
            "method": { "type": "string" },
            "params": { "type": "object" },
        },
        "required": ["jsonrpc", "method"],
    })
}

pub(crate) fn response_schema() -> Value {
    json!({
        "type": "object",
        "description": "A JSON-RPC 2.0 response: a result or an error.",
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "number", "null"], "description": "That of the request; null if it is not known." },
            "result": { "type": "object" },
            "error": {
                "type": "object",
                "properties": { "code": { "type": "integer" }, "message": { "type": "string" }, "data": {} },
                "required": ["code", "message"],
            },
        },
        "required": ["jsonrpc", "id"],
        "oneOf": [{ "required": ["result"] }, { "required": ["error"] }],
    })
}

#[cfg(test)]
mod tests;
