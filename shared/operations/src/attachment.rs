//! A file in the answer of an operation: REST sends it as it is, while the JSON of MCP and A2A holds its bytes as base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Attachment {
    /// A name to keep it under: letters, digits, hyphens and points.
    pub file_name: String,
    /// What it is.
    pub media_type: &'static str,
    /// Its bytes, as base64.
    #[serde(rename = "base64", serialize_with = "as_base64")]
    #[schemars(with = "String")]
    pub bytes: Vec<u8>,
}

fn as_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}
