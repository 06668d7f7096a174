//! The schemas of the catalog, in the short form that a model needs and that every MCP client accepts. The REST API
//! describes the whole schemas in its OpenAPI document. The validators of official clients refuse four things: `$schema`,
//! the `format` of a number, a list of types, and `false` as a schema. The schemas here contain none of these.

use crate::prelude::*;
use registry_features::operation::examples;

/// The formats of JSON Schema that our types use; others, such as `uint32`, name Rust types.
const FORMATS: [&str; 6] = ["date-time", "date", "time", "email", "uri", "uuid"];

/// The longest pattern that is shown. Longer ones cost a model many tokens and help it little; the server checks the
/// argument itself and says what is wrong.
const MAX_PATTERN: usize = 60;

/// The schema of a tool's arguments, as short as a model needs it. `example` contains the arguments of a typical call. Without
/// references, because some clients do not follow them, and without alternatives, which model APIs refuse at the root. So it
/// allows more than the operation accepts.
pub(super) fn argument_schema(schema: &Value, example: &Value) -> Value {
    let defs = &schema["$defs"];
    let mut properties = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let mut argument = short(property, defs);
        // The text after a line end is for people who read the source.
        let text =
            property["description"].as_str().or_else(|| resolved(property, defs)["description"].as_str());
        if let Some(text) = text {
            argument.insert("description".to_owned(), json!(text.replace('\n', " ")));
        }
        if let Some(default) = property.get("default").filter(|default| !is_empty(default)) {
            argument.insert("default".to_owned(), default.clone());
        }
        let is_explained = ["enum", "default"].iter().any(|keyword| argument.contains_key(*keyword));
        let of_name = || match argument.get("maxLength").and_then(Value::as_u64) {
            Some(0) => Some(json!("")),
            _ => examples::argument_example(name).filter(|_| !is_explained),
        };
        let example = example.get(name).cloned().or_else(of_name);
        argument.extend(example.map(|example| ("examples".to_owned(), json!([example]))));
        properties.insert(name.clone(), argument.into());
    }
    let mut arguments = json!({ "type": "object", "properties": properties });
    if let Some(required) = schema.get("required") {
        arguments["required"] = required.clone();
    }
    arguments
}

fn resolved<'a>(schema: &'a Value, defs: &'a Value) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
    name.map_or(schema, |name| &defs[name])
}

/// What is left out of a schema: it means the same as leaving out the argument.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The type of a value, its bounds and its choices.
fn short(schema: &Value, defs: &Value) -> Map<String, Value> {
    let schema = resolved(schema, defs);
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().find(|name| *name != "null").cloned(),
        Value::Null => None,
        one => Some(one.clone()),
    };
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    if let Some(choices) = choices.filter(|_| types.is_none()) {
        return one_of(choices, defs);
    }
    let mut result = Map::new();
    result.extend(types.map(|name| ("type".to_owned(), name)));
    for keyword in ["enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] {
        result.extend(schema.get(keyword).map(|value| (keyword.to_owned(), value.clone())));
    }
    let format = schema["format"].as_str().filter(|format| FORMATS.contains(format));
    result.extend(format.map(|format| ("format".to_owned(), json!(format))));
    let pattern = schema["pattern"].as_str().filter(|pattern| pattern.len() <= MAX_PATTERN);
    result.extend(pattern.map(|pattern| ("pattern".to_owned(), json!(pattern))));
    if schema["items"].is_object() {
        result.insert("items".to_owned(), member(&schema["items"], defs));
    }
    if let Some(members) = schema["properties"].as_object() {
        let members: Map<_, _> =
            members.iter().map(|(name, schema)| (name.clone(), member(schema, defs))).collect();
        result.insert("properties".to_owned(), members.into());
        result.extend(schema.get("required").map(|required| ("required".to_owned(), required.clone())));
    }
    result
}

/// A member of an argument, without bounds: the server checks them.
fn member(schema: &Value, defs: &Value) -> Value {
    let mut result = short(schema, defs);
    result.retain(|keyword, _| {
        matches!(keyword.as_str(), "type" | "enum" | "items" | "properties" | "required")
    });
    result.into()
}

/// The choices of an enumeration, the only choice that is not null, or the type that all choices have.
fn one_of(choices: &[Value], defs: &Value) -> Map<String, Value> {
    let choices: Vec<&Value> = choices
        .iter()
        .map(|choice| resolved(choice, defs))
        .filter(|choice| choice["type"] != "null")
        .collect();
    if let [only] = choices.as_slice() {
        return short(only, defs);
    }
    let mut result = Map::new();
    if let Some(values) =
        choices.iter().map(|choice| choice.get("const").cloned()).collect::<Option<Vec<_>>>()
    {
        let of_type = if values.iter().all(Value::is_string) { Some("string") } else { None };
        result.extend(of_type.map(|name| ("type".to_owned(), json!(name))));
        result.insert("enum".to_owned(), values.into());
    } else if let Some(first) = choices.first()
        && choices.iter().all(|choice| choice["type"] == first["type"])
    {
        result.extend(first.get("type").map(|name| ("type".to_owned(), name.clone())));
    }
    result
}

/// The schema of a tool's result: the members of the short answer, or those of a problem document, because clients validate
/// structured content even if `isError` is set. Only the types, because a model sees the values.
pub(super) fn result_schema(schema: &Value, paths: &[&str]) -> Value {
    let defs = &schema["$defs"];
    let mut properties = members(schema, paths, defs);
    let text = || json!({ "type": "string" });
    for name in ["code", "detail", "field"] {
        properties.entry(name).or_insert_with(text);
    }
    json!({ "type": "object", "properties": properties, "required": ["ok"] })
}

/// The members that the paths name; all members without paths.
fn members(schema: &Value, paths: &[&str], defs: &Value) -> Map<String, Value> {
    let mut result = Map::new();
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let below: Vec<&str> =
            paths.iter().filter_map(|path| path.strip_prefix(name.as_str())?.strip_prefix('.')).collect();
        if !below.is_empty() {
            result.insert(name.clone(), row_schema(member, &below, defs));
        } else if paths.is_empty() || paths.contains(&name.as_str()) {
            result.insert(name.clone(), schema_of_type(member, defs));
        }
    }
    result
}

fn row_schema(schema: &Value, paths: &[&str], defs: &Value) -> Value {
    let schema = resolved(only(schema, defs), defs);
    if schema["items"].is_object() {
        return json!({ "type": "array", "items": row_schema(&schema["items"], paths, defs) });
    }
    json!({ "type": "object", "properties": members(schema, paths, defs) })
}

/// The only choice that is not null, or the schema itself.
fn only<'a>(schema: &'a Value, defs: &'a Value) -> &'a Value {
    let choices = schema["anyOf"].as_array().into_iter().flatten();
    let mut choices = choices.filter(|choice| resolved(choice, defs)["type"] != "null");
    match (choices.next(), choices.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

/// Only the type. A member that can be null has none, because not every client accepts a list of types.
fn schema_of_type(schema: &Value, defs: &Value) -> Value {
    match &resolved(schema, defs)["type"] {
        Value::String(name) => json!({ "type": name }),
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests;
