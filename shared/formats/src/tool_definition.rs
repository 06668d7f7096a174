//! The definition of an MCP tool as a document with a content address, and the parts of it that people read.
//!
//! The address of a tool is the SHA-256 of its canonical JSON (RFC 8785). The canonical definition is the tool as
//! `tools/list` returns it, without `_meta` (which may differ in every answer) and without members that are null (which
//! some frameworks write for members that they leave out). The address of a tool set is the SHA-256 of the canonical JSON
//! array of the sorted addresses of its tools.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use registry_model::error::shorten;
use registry_model::{ParameterType, sha256_hex};

const MAX_DESCRIPTION_CHARS: usize = 1000;
const MAX_PARAMETERS: usize = 64;
const MAX_PARAMETER_DESCRIPTION_CHARS: usize = 300;
/// A longer name is left out: a shortened name would be wrong in a call.
const MAX_PARAMETER_NAME_CHARS: usize = 64;

/// The canonical definition of a tool from `tools/list`.
pub fn canonical(tool: &mut Value) -> Result<String, serde_json::Error> {
    if let Some(members) = tool.as_object_mut() {
        members.retain(|name, value| name != "_meta" && !value.is_null());
    }
    serde_json_canonicalizer::to_string(tool)
}

/// The document whose SHA-256 is the address of a tool set.
pub fn set_document<'a>(hashes: impl Iterator<Item = &'a str>) -> String {
    let mut hashes: Vec<&str> = hashes.collect();
    hashes.sort_unstable();
    format!("[{}]", hashes.iter().map(|hash| format!("\"{hash}\"")).collect::<Vec<_>>().join(","))
}

pub fn set_hash<'a>(hashes: impl Iterator<Item = &'a str>) -> String {
    sha256_hex(set_document(hashes))
}

/// The parts of a definition that people read, shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The parameters of the input schema, required ones first.
    pub parameters: Vec<ParameterView>,
    /// Whether the tool has an output schema.
    pub has_output_schema: bool,
    /// What the server declares about the effect of the tool. The registry does not verify it.
    pub annotations: ToolAnnotations,
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ParameterView {
    pub name: String,
    #[serde(rename = "type")]
    pub value: ParameterType,
    pub required: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// The hints of MCP about the effect of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolAnnotations {
    /// It only reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may delete or overwrite something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Repeating a call has no further effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It reaches systems outside the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    pub fn of(tool: &Value) -> Self {
        let hint = |name: &str| tool["annotations"][name].as_bool();
        Self {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }
}

impl ToolView {
    /// Reads a stored definition; `None` if it is not JSON.
    pub fn of(definition: &str) -> Option<Self> {
        let tool: Value = serde_json::from_str(definition).ok()?;
        let text = |name: &str| tool[name].as_str().map(str::trim).unwrap_or_default();
        let title = [text("title"), tool["annotations"]["title"].as_str().unwrap_or_default()];
        let title = title.into_iter().find(|title| !title.is_empty());
        Some(Self {
            title: title.map(|title| shorten(title, MAX_PARAMETER_DESCRIPTION_CHARS)),
            description: shorten(text("description"), MAX_DESCRIPTION_CHARS),
            parameters: parameters(&tool["inputSchema"], MAX_PARAMETERS)
                .map(|(name, schema, required)| ParameterView {
                    name: name.to_owned(),
                    value: parameter_type(schema),
                    required,
                    description: shorten(
                        schema["description"].as_str().unwrap_or_default().trim(),
                        MAX_PARAMETER_DESCRIPTION_CHARS,
                    ),
                })
                .collect(),
            has_output_schema: tool["outputSchema"].is_object(),
            annotations: ToolAnnotations::of(&tool),
        })
    }
}

/// The first `limit` parameters of an input schema, with the schema of each and whether it is required. The required ones
/// come first, each group in the order of the schema.
pub fn parameters(schema: &Value, limit: usize) -> impl Iterator<Item = (&str, &Value, bool)> {
    let required: HashSet<&str> = texts(&schema["required"]).collect();
    let fits = |name: &str| name.chars().nth(MAX_PARAMETER_NAME_CHARS).is_none();
    let mut all: Vec<(&str, &Value, bool)> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| fits(name))
        .map(|(name, schema)| (name.as_str(), schema, required.contains(name.as_str())))
        .collect();
    all.sort_by_key(|(.., required)| !required);
    all.truncate(limit);
    all.into_iter()
}

/// The single type of a schema. `null` only says that the value may be missing, also beside other schemas.
pub fn parameter_type(schema: &Value) -> ParameterType {
    let mut named = types(schema);
    named.retain(|name| *name != "null");
    named.dedup();
    match named[..] {
        [name] => ParameterType::named(name).unwrap_or(ParameterType::Any),
        _ => ParameterType::Any,
    }
}

/// The types that a schema names, also in its variants. An empty text stands for a variant of any type.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    let variants = ["anyOf", "oneOf"].iter().find_map(|name| schema[*name].as_array());
    match variants {
        Some(variants) => variants.iter().map(|one| one["type"].as_str().unwrap_or_default()).collect(),
        None => schema["type"].as_str().into_iter().chain(texts(&schema["type"])).collect(),
    }
}

pub(super) fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests;
