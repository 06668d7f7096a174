//! Makes the description small enough for a client to load. What callers send is described in full. The schemas of
//! answers keep only the names, types and values of all members.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};

const PREFIX: &str = "#/components/schemas/";

pub(super) type Schemas = BTreeMap<String, Value>;

pub(super) fn shorten(paths: &mut Map<String, Value>, schemas: &mut Schemas) {
    let sent = sent(paths, schemas);
    let names: Vec<String> = schemas.keys().filter(|name| !sent.contains(*name)).cloned().collect();
    for name in &names {
        schemas.entry(name.clone()).and_modify(|schema| retain_types(schema, false));
    }
    let mut uses = HashMap::new();
    for value in schemas.values().chain(paths.values()) {
        each_reference(PREFIX, value, &mut |name| *uses.entry(name.to_owned()).or_insert(0) += 1);
    }
    uses.retain(|name, _| !sent.contains(name));
    for name in names {
        if let Some(mut schema) = schemas.remove(&name) {
            insert_schemas(&mut schema, &uses, schemas);
            schemas.insert(name, schema);
        }
    }
    for call in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        insert_schemas(&mut call["responses"], &uses, schemas);
    }
}

fn calls(paths: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    paths.values().filter_map(Value::as_object).flat_map(Map::values)
}

/// The schemas of bodies, parameters and errors, with all that they refer to.
fn sent(paths: &Map<String, Value>, schemas: &Schemas) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        schemas.keys().filter(|name| name.ends_with("Error")).cloned().collect();
    names.insert("Problem".to_owned());
    for part in calls(paths).flat_map(|call| [&call["parameters"], &call["requestBody"]]) {
        each_reference(PREFIX, part, &mut |name| names.extend([name.to_owned()]));
    }
    with_referenced(PREFIX, names, |name| schemas.get(name))
}

/// The names, and those of all schemas that they refer to.
pub(super) fn with_referenced<'a>(
    prefix: &str,
    mut open: BTreeSet<String>,
    schema: impl Fn(&str) -> Option<&'a Value>,
) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    while let Some(name) = open.pop_first() {
        if let Some(schema) = schema(&name).filter(|_| all.insert(name)) {
            each_reference(prefix, schema, &mut |name| open.extend([name.to_owned()]));
        }
    }
    all
}

fn each_reference(prefix: &str, value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(members) => {
            let name = members.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(prefix));
            name.into_iter().for_each(&mut *found);
            members.values().for_each(|member| each_reference(prefix, member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| each_reference(prefix, item, found)),
        _ => {}
    }
}

/// Removes descriptions, limits and types that follow from a value. A member that is not required is absent instead of null.
/// Only alternatives keep `required`, which tells them apart.
fn retain_types(schema: &mut Value, is_alternative: bool) {
    match schema {
        Value::Object(members) => {
            let is_constant = members.get("const").is_some_and(|constant| !constant.is_object());
            members.retain(|keyword, value| match keyword.as_str() {
                "description" | "format" | "pattern" => !value.is_string(),
                "maximum" | "minimum" => !value.is_number(),
                "additionalProperties" => *value != json!(true),
                "type" => !is_constant,
                _ => true,
            });
            let required = members.get("required").cloned().unwrap_or_default();
            if required.is_array() && !is_alternative {
                members.shift_remove("required");
            }
            let optional = members.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
            let optional = optional
                .filter(|(name, _)| required.as_array().is_none_or(|all| !all.contains(&json!(name))));
            optional.for_each(|(_, member)| remove_null(member));
            if let Some(values) = members.get("oneOf").and_then(values_of) {
                members.shift_remove("oneOf");
                members.insert("enum".to_owned(), json!(values));
            }
            // Without limits, a value may match several alternatives.
            if let Some(alternatives) = members.shift_remove("oneOf") {
                members.insert("anyOf".to_owned(), alternatives);
            }
            members.iter_mut().for_each(|(keyword, member)| retain_types(member, keyword == "anyOf"));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| retain_types(item, is_alternative)),
        _ => {}
    }
}

/// The values of alternatives that are all constants.
fn values_of(alternatives: &Value) -> Option<Vec<Value>> {
    let values = |one: &Value| match (one.get("const"), one.get("enum").and_then(Value::as_array)) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, several) => several.cloned(),
    };
    let all: Option<Vec<_>> = alternatives.as_array()?.iter().map(values).collect();
    Some(all?.concat())
}

fn remove_null(schema: &mut Value) {
    for (keyword, null) in [("type", json!("null")), ("anyOf", json!({ "type": "null" }))] {
        let Some(alternatives) = schema.get_mut(keyword).and_then(Value::as_array_mut) else { continue };
        alternatives.retain(|one| *one != null);
        if let [one] = alternatives.as_slice() {
            let one = one.clone();
            let members = schema.as_object_mut();
            match one {
                Value::Object(one) => members.into_iter().for_each(|members| {
                    members.shift_remove(keyword);
                    members.extend(one.clone());
                }),
                one => schema[keyword] = one,
            }
        }
    }
}

/// Replaces references to schemas that have no other use.
fn insert_schemas(value: &mut Value, uses: &HashMap<String, usize>, schemas: &mut Schemas) {
    match value {
        Value::Object(members) => {
            let name = members.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(PREFIX));
            let only = name.filter(|name| uses.get(*name) == Some(&1)).and_then(|name| schemas.remove(name));
            if let Some(Value::Object(schema)) = only {
                members.shift_remove("$ref");
                members.extend(schema);
            }
            members.values_mut().for_each(|member| insert_schemas(member, uses, schemas));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| insert_schemas(item, uses, schemas)),
        _ => {}
    }
}
