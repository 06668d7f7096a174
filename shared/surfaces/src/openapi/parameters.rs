//! Turns arguments into parameters of a query. A query contains only texts, so lists and objects are left
//! out. If one of several arguments is required, these arguments are fields of one parameter (an exploded
//! object). More complex rules are described in words.

use super::components::Components;
use crate::prelude::*;
use registry_features::operation::arguments::MAX_PARAMETER_CHARS;
use registry_formats::argument_schema;

/// What ties alternatives together; with the second, they exclude each other.
const TIES: [&str; 2] = ["anyOf", "oneOf"];

pub(super) fn query_parameters(schema: &Value, owner: &str, components: &mut Components) -> Vec<Value> {
    let (mut parameters, types) = (with_local_types(schema), schema.get("$defs"));
    for parameter in &mut parameters {
        let mut schema = parameter["schema"].take();
        if let (Some(schema), Some(types)) = (schema.as_object_mut(), types) {
            schema.entry("$defs").or_insert_with(|| types.clone());
        }
        parameter["schema"] = components.adopt(owner, schema);
    }
    parameters
}

fn with_local_types(schema: &Value) -> Vec<Value> {
    let parameters = one_each(schema);
    let plain = |one: &Value| *one == argument_schema::all_of(&required_names(one).collect::<Vec<_>>());
    let tie = TIES.into_iter().find(|tie| schema[*tie].is_array());
    match tie.filter(|_| alternatives(schema).all(plain)) {
        Some(tie) => vec![as_members(parameters, tie, alternatives(schema))],
        None => parameters,
    }
}

/// One parameter whose members are sent each under its own name; one of the alternatives must be met.
fn as_members<'a>(parameters: Vec<Value>, tie: &str, alternatives: impl Iterator<Item = &'a Value>) -> Value {
    let mut members = Map::new();
    for mut parameter in parameters {
        let mut member = parameter["schema"].take();
        if parameter["description"].is_string() {
            member["description"] = parameter["description"].take();
        }
        members.insert(parameter["name"].as_str().unwrap_or_default().to_owned(), member);
    }
    let needed: Vec<Value> = alternatives.map(|one| json!({ "required": one["required"] })).collect();
    json!({
        "name": "arguments", "in": "query", "required": true, "style": "form", "explode": true,
        "schema": { "type": "object", "properties": members, tie: needed },
        "description": "Send each member as a parameter with the same name.",
    })
}

fn one_each(schema: &Value) -> Vec<Value> {
    let types = schema["$defs"].as_object().cloned().unwrap_or_default();
    let required = needed(schema);
    let instead = instead(schema);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let of_property = |(name, property): (&String, &Value)| {
        let mut schema = in_query(property, &types)?;
        // A URL is shorter than a body.
        if schema["maxLength"].as_u64().is_some_and(|length| length > MAX_PARAMETER_CHARS as u64) {
            schema["maxLength"] = json!(MAX_PARAMETER_CHARS);
        }
        let description = schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
        let description = description.as_ref().and_then(Value::as_str).unwrap_or_default();
        let instead = instead.as_ref().filter(|(of, _)| *of == name).map(|(_, others)| others.as_str());
        let description = [description, instead.unwrap_or_default()].join(" ");
        let mut parameter = json!({ "name": name, "in": "query", "schema": schema });
        if !description.trim().is_empty() {
            parameter["description"] = json!(description.trim());
        }
        if required.contains(&name.as_str()) {
            parameter["required"] = json!(true);
        }
        Some(parameter)
    };
    properties.filter_map(of_property).collect()
}

/// The argument that is marked as required, and what can be given in its place.
fn instead(schema: &Value) -> Option<(&str, String)> {
    let first = alternatives(schema).next().filter(|_| needs_one(schema))?;
    let others = Some(in_words(alternatives(schema).skip(1))).filter(|words| !words.is_empty())?;
    Some((required_names(first).next()?, format!("Alternatives: {others}.")))
}

fn in_words<'a>(alternatives: impl Iterator<Item = &'a Value>) -> String {
    let each = alternatives
        .map(|one| required_names(one).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" with "));
    each.collect::<Vec<_>>().join(" or ")
}

fn required_names(schema: &Value) -> impl Iterator<Item = &str> {
    let parts = schema["allOf"].as_array().into_iter().flatten();
    let all = std::iter::once(schema).chain(parts);
    all.flat_map(|one| one["required"].as_array().into_iter().flatten()).filter_map(Value::as_str)
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    TIES.into_iter().filter_map(|tie| schema[tie].as_array()).flatten()
}

/// Whether one of the alternatives must be met: each of them requires something.
fn needs_one(schema: &Value) -> bool {
    alternatives(schema).all(|one| required_names(one).next().is_some())
}

/// Arguments that are always required, and those of the first alternative unless one alternative is empty.
fn needed(schema: &Value) -> Vec<&str> {
    let mut all: Vec<&str> = required_names(schema).collect();
    if needs_one(schema) {
        all.extend(alternatives(schema).next().into_iter().flat_map(required_names));
    }
    all
}

/// `None` for a list or an object.
fn in_query(schema: &Value, types: &Map<String, Value>) -> Option<Value> {
    let keywords = schema.as_object()?;
    if let Some(target) = keywords.get("$ref").and_then(Value::as_str) {
        let of_type = types.get(target.strip_prefix("#/$defs/")?)?;
        let mut flat = in_query(of_type, types)?;
        if flat == *of_type {
            return Some(schema.clone());
        }
        if let Some(description) = keywords.get("description") {
            flat["description"] = description.clone();
        }
        return Some(flat);
    }
    let mut single = keywords.clone();
    if let Some(choices) = keywords.get("anyOf").and_then(Value::as_array) {
        let mut texts = choices.iter().filter_map(|choice| in_query(choice, types));
        let (Some(Value::Object(only)), None) = (texts.next(), texts.next()) else { return None };
        single.shift_remove("anyOf");
        for (keyword, value) in only {
            single.entry(keyword).or_insert(value);
        }
        return Some(Value::Object(single));
    }
    let is_text = |name: &Value| matches!(name.as_str(), Some("string" | "integer" | "number" | "boolean"));
    match keywords.get("type") {
        Some(Value::Array(names)) => {
            let only: Vec<&Value> = names.iter().filter(|name| is_text(name)).collect();
            let [only] = only.as_slice() else { return None };
            single.insert("type".to_owned(), (*only).clone());
        }
        Some(name) if !is_text(name) => return None,
        None if !["enum", "const", "oneOf"].iter().any(|keyword| keywords.contains_key(*keyword)) => {
            return None;
        }
        _ => {}
    }
    // A default of null means that the parameter is not sent.
    if single.get("default").is_some_and(Value::is_null) {
        single.shift_remove("default");
    }
    Some(Value::Object(single))
}

#[cfg(test)]
mod tests;
