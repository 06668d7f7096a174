//! The arguments of a tool, from its input schema. An example value comes from the schema. Where the schema has none, a
//! placeholder is shown to people, and the value is never sent.

use serde_json::{Map, Value, json};

use super::text::plain;
use registry_formats::tool_definition::{parameter_type, parameters};
use registry_model::ParameterType;

const MAX_ARGUMENTS: usize = 24;
/// A longer example makes the files hard to read.
const MAX_VALUE_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) value: ParameterType,
    pub(super) required: bool,
    pub(super) description: String,
    /// A value that the schema names: its example, constant, default or first choice.
    pub(super) example: Option<Value>,
}

pub(super) fn arguments_of_schema(schema: &Value) -> Vec<Argument> {
    parameters(schema, MAX_ARGUMENTS)
        // A name with hidden characters could not be shown unchanged.
        .filter(|(name, ..)| plain(name, 64) == *name)
        .map(|(name, schema, required)| {
            let value = parameter_type(schema);
            let named = ["example", "const", "default"].map(|member| &schema[member]);
            let named = [&schema["examples"][0]].into_iter().chain(named).chain([&schema["enum"][0]]);
            Argument {
                name: name.to_owned(),
                value,
                required,
                description: plain(schema["description"].as_str().unwrap_or_default(), 200),
                example: named.into_iter().find(|candidate| fits(candidate, value)).cloned(),
            }
        })
        .collect()
}

/// Whether a value has the type and can be shown unchanged.
fn fits(candidate: &Value, value: ParameterType) -> bool {
    let is_of_type = match value {
        ParameterType::String => candidate.is_string(),
        ParameterType::Integer => candidate.is_i64() || candidate.is_u64(),
        ParameterType::Number => candidate.is_number(),
        ParameterType::Boolean => candidate.is_boolean(),
        ParameterType::Array => candidate.is_array(),
        ParameterType::Object => candidate.is_object(),
        ParameterType::Any => !candidate.is_null(),
    };
    let text = candidate.to_string();
    is_of_type && plain(&text, MAX_VALUE_CHARS) == text
}

/// The required arguments with the values that the schema names; `None` if the schema names no value for one of them.
pub(super) fn from_schema(arguments: &[Argument]) -> Option<Map<String, Value>> {
    let required = arguments.iter().filter(|argument| argument.required);
    required.map(|argument| Some((argument.name.clone(), argument.example.clone()?))).collect()
}

/// The required arguments for a worked call, with placeholders where the schema names no value.
pub(super) fn worked(arguments: &[Argument]) -> Map<String, Value> {
    let value = |one: &Argument| one.example.clone().unwrap_or_else(|| json!(format!("<{}>", one.name)));
    let required = arguments.iter().filter(|argument| argument.required);
    required.map(|argument| (argument.name.clone(), value(argument))).collect()
}

#[cfg(test)]
mod tests;
