//! JSON-RPC 2.0, the binding that A2A and MCP share, and what a GET of the MCP endpoint returns.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// Of MCP 2025-03-26; later revisions and A2A have no batches.
pub const MAX_BATCH_LENGTH: usize = 10;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Error {
    pub code: i32,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// # Errors
/// The id or the error cannot be serialized.
pub fn response(
    id: &impl Serialize,
    outcome: &Result<impl AsRef<RawValue>, Error>,
) -> serde_json::Result<Box<RawValue>> {
    #[derive(Serialize)]
    struct Response<'a, I> {
        jsonrpc: &'static str,
        id: &'a I,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a Error>,
    }
    let (result, error) = match outcome {
        Ok(result) => (Some(result.as_ref()), None),
        Err(error) => (None, Some(error)),
    };
    to_raw_value(&Response { jsonrpc: "2.0", id, result, error })
}

/// The schema of the messages that MCP accepts. A2A also accepts other numbers and null as an id.
#[must_use]
pub fn request_schema() -> Value {
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

#[must_use]
pub fn response_schema() -> Value {
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

/// A description of the MCP endpoint.
#[derive(Debug, Serialize, JsonSchema)]
pub struct McpDescription {
    pub ok: bool,
    pub protocol: &'static str,
    pub endpoint: String,
    pub transport: &'static str,
    /// Always null: the endpoint is stateless.
    pub session: (),
    pub protocol_versions: [&'static str; 4],
    pub tools: Vec<&'static str>,
    pub server_card: String,
    pub note: &'static str,
}
