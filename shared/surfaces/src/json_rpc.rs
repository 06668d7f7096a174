//! JSON-RPC 2.0, the binding that A2A and MCP share.

use serde_json::value::to_raw_value;

use crate::prelude::*;

/// Of MCP 2025-03-26; later revisions and A2A have no batches.
pub(crate) const MAX_BATCH_LENGTH: usize = 10;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Error {
    /// The HTTP status if the error is the whole response, not part of a batch.
    #[serde(skip)]
    pub(crate) status: StatusCode,
    pub(crate) code: i32,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

/// # Errors
/// The id or the error cannot be serialized.
pub(crate) fn response(
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
