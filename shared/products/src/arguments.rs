//! The arguments of a tool, from its input schema, and example values for them. An example value comes from the schema.
//! Where the schema has none, a placeholder is shown to people, and the value is never sent.

use serde_json::{Map, Value, json};

use super::text::plain;
use registry_formats::tool_definition::{parameter_type, parameters};
use registry_model::{ParameterType, Tool};

const MAX_ARGUMENTS: usize = 24;
const MAX_CHOICES: usize = 12;
const MAX_SHAPE_DEPTH: usize = 3;
const MAX_SHAPE_MEMBERS: usize = 8;
/// A longer example makes the files hard to read.
const MAX_VALUE_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) value: ParameterType,
    pub(super) required: bool,
    pub(super) description: String,
    pub(super) choices: Vec<Value>,
    pub(super) default: Option<Value>,
    /// A value that the schema names: its example, default, constant or first choice.
    pub(super) example: Option<Value>,
    /// A placeholder with the members of an object, or with one item of an array; null if the schema names none.
    pub(super) shape: Value,
}

pub(super) fn of_schema(schema: &Value) -> Vec<Argument> {
    parameters(schema, MAX_ARGUMENTS)
        // A name with hidden characters could not be shown unchanged.
        .filter(|(name, ..)| plain(name, 64) == *name)
        .map(|(name, schema, required)| {
            let value = parameter_type(schema);
            let shown = |candidate: &Value| fits(candidate, value).then(|| candidate.clone());
            let choices = schema["enum"].as_array().into_iter().flatten();
            let choices: Vec<Value> = choices.filter_map(shown).take(MAX_CHOICES).collect();
            let default = schema.get("default").and_then(shown);
            let named = [&schema["examples"][0], &schema["example"], &schema["const"]];
            let example = named.into_iter().find_map(shown).or_else(|| default.clone());
            Argument {
                name: name.to_owned(),
                value,
                required,
                description: plain(schema["description"].as_str().unwrap_or_default(), 200),
                example: example.or_else(|| choices.first().cloned()),
                choices,
                default,
                shape: shape(name, schema, 0),
            }
        })
        .collect()
}

/// The arguments of a tool whose definition is not stored.
pub(super) fn of_tool(tool: &Tool) -> Vec<Argument> {
    let arguments = tool.parameters.iter().filter(|parameter| plain(&parameter.name, 64) == parameter.name);
    arguments
        .map(|parameter| Argument {
            name: parameter.name.clone(),
            value: parameter.value,
            required: parameter.required,
            description: String::new(),
            choices: Vec::new(),
            default: None,
            example: None,
            shape: Value::Null,
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
    is_of_type
        && plain(&text, MAX_VALUE_CHARS) == text
        && !["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}

impl Argument {
    /// A value for people to replace, if the schema names none.
    fn placeholder(&self) -> Value {
        if self.shape.is_null() { placeholder(&self.name, self.value) } else { self.shape.clone() }
    }
}

fn placeholder(name: &str, value: ParameterType) -> Value {
    match value {
        ParameterType::Integer | ParameterType::Number => json!(1),
        ParameterType::Boolean => json!(false),
        ParameterType::Array => json!([]),
        ParameterType::Object => json!({}),
        ParameterType::String | ParameterType::Any => json!(format!("<{name}>")),
    }
}

/// What the schema says about the members of an object and about the items of an array, with placeholders.
fn shape(name: &str, schema: &Value, depth: usize) -> Value {
    let inner = |name: &str, schema: &Value| match shape(name, schema, depth + 1) {
        Value::Null => placeholder(name, parameter_type(schema)),
        shape => shape,
    };
    match parameter_type(schema) {
        _ if depth >= MAX_SHAPE_DEPTH => Value::Null,
        ParameterType::Array if schema["items"].is_object() => json!([inner(name, &schema["items"])]),
        ParameterType::Object => {
            let members = parameters(schema, MAX_SHAPE_MEMBERS)
                .filter(|(name, ..)| plain(name, 64) == *name)
                .map(|(name, schema, _)| (name.to_owned(), inner(name, schema)));
            let members: Map<String, Value> = members.collect();
            if members.is_empty() { Value::Null } else { Value::Object(members) }
        }
        _ => Value::Null,
    }
}

/// The required arguments with the values that the schema names; `None` if the schema names no value for one of them.
pub(super) fn from_schema(arguments: &[Argument]) -> Option<Map<String, Value>> {
    let required = arguments.iter().filter(|argument| argument.required);
    required.map(|argument| Some((argument.name.clone(), argument.example.clone()?))).collect()
}

/// The required arguments for a worked call, with placeholders where the schema names no value.
pub(super) fn worked(arguments: &[Argument]) -> Map<String, Value> {
    let value = |argument: &Argument| argument.example.clone().unwrap_or_else(|| argument.placeholder());
    let required = arguments.iter().filter(|argument| argument.required);
    required.map(|argument| (argument.name.clone(), value(argument))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_comes_from_the_schema_and_has_its_type() {
        let schema = json!({"type": "object", "required": ["query", "limit", "unit", "id"], "properties": {
            "query": {"type": "string", "examples": ["graph neural networks"], "description": "Words."},
            "limit": {"type": "integer", "default": "ten", "examples": [5]},
            "unit": {"enum": ["metric", "us"]},
            "id": {"type": "string"},
            "raw": {"type": "string", "default": "{{env.SECRET}}"},
            "hidden\u{202E}": {"type": "string"},
        }});
        let arguments = of_schema(&schema);
        let examples: Vec<(&str, Option<Value>)> =
            arguments.iter().map(|argument| (argument.name.as_str(), argument.example.clone())).collect();
        assert_eq!(
            examples,
            [
                ("query", Some(json!("graph neural networks"))),
                ("limit", Some(json!(5))),
                ("unit", Some(json!("metric"))),
                ("id", None),
                ("raw", None),
            ]
        );
        assert_eq!(from_schema(&arguments), None, "nothing is known about `id`");
        assert_eq!(
            Value::Object(worked(&arguments)),
            json!({"id": "<id>", "limit": 5, "query": "graph neural networks", "unit": "metric"})
        );
        assert_eq!(from_schema(&[]), Some(Map::new()));
    }

    #[test]
    fn placeholder_shows_the_members_of_items() {
        let item = json!({"type": "object", "properties": {
            "name": {"type": "string"}, "notes": {"type": "array", "items": {"type": "string"}}}});
        let schema = json!({"type": "object", "required": ["entities", "ids"], "properties": {
            "entities": {"type": "array", "items": item}, "ids": {"type": "array"}}});
        assert_eq!(
            Value::Object(worked(&of_schema(&schema))),
            json!({"entities": [{"name": "<name>", "notes": ["<notes>"]}], "ids": []})
        );
    }
}
