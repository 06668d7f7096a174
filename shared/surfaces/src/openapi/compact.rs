//! Makes the description small enough for a client to load. What callers send is described in full. The schemas of
//! answers keep only the names, types and values of all members.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};

const PREFIX: &str = "#/components/schemas/";

/// Longer than any reference. A schema of an answer that is not longer is written where it is used.
const SHORT: usize = 60;

pub(super) type Schemas = BTreeMap<String, Value>;

pub(super) fn shorten(
    paths: &mut Map<String, Value>,
    responses: &mut Map<String, Value>,
    schemas: &mut Schemas,
) {
    let (sent, roots) = (sent(paths, schemas), named_in(calls(paths).map(|call| &call["responses"])));
    let mut short = HashMap::new();
    for (name, schema) in schemas.iter_mut() {
        let mut bare = schema.clone();
        keep_types(&mut bare, roots.contains(name));
        if bare.to_string().len() <= SHORT {
            short.insert(name.clone(), bare.clone());
        }
        if !sent.contains(name) {
            *schema = bare;
        }
    }
    let mut uses = HashMap::new();
    for value in schemas.values().chain(paths.values()).chain(responses.values()) {
        each_reference(value, &mut |name| *uses.entry(name.to_owned()).or_insert(0) += 1);
    }
    let mut answers = Answers { short, uses, sent, schemas };
    let names: Vec<String> =
        answers.schemas.keys().filter(|name| !answers.sent.contains(*name)).cloned().collect();
    for name in names {
        if let Some(mut schema) = answers.schemas.remove(&name) {
            answers.insert_schemas(&mut schema);
            answers.schemas.insert(name, schema);
        }
    }
    responses.values_mut().for_each(|response| answers.insert_schemas(response));
    for call in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        answers.insert_schemas(&mut call["responses"]);
    }
    let used = named_in(schemas.values().chain(paths.values()).chain(responses.values()));
    schemas.retain(|name, _| used.contains(name));
}

/// Parameters that several calls have become components.
pub(super) fn share_parameters(paths: &mut Map<String, Value>) -> Map<String, Value> {
    let all = || calls(paths).filter_map(|call| call["parameters"].as_array()).flatten();
    let mut names = HashMap::new();
    let mut shared = Map::new();
    for parameter in all().filter(|one| all().filter(|other| other == one).count() > 1) {
        names.entry(parameter.to_string()).or_insert_with(|| {
            let name = parameter["name"].as_str().unwrap_or_default();
            let numbered = (2..).map(|number| format!("{name}{number}"));
            let name =
                std::iter::once(name.to_owned()).chain(numbered).find(|name| !shared.contains_key(name));
            let name = name.unwrap_or_default();
            shared.insert(name.clone(), parameter.clone());
            json!({ "$ref": format!("#/components/parameters/{name}") })
        });
    }
    for call in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        for parameter in call.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(reference) = names.get(&parameter.to_string()) {
                *parameter = reference.clone();
            }
        }
    }
    shared
}

fn calls(paths: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    paths.values().filter_map(Value::as_object).flat_map(Map::values)
}

/// The schemas of bodies and parameters, with all that they refer to. Also problem documents.
fn sent(paths: &Map<String, Value>, schemas: &Schemas) -> BTreeSet<String> {
    let parts = calls(paths).flat_map(|call| [&call["parameters"], &call["requestBody"]]);
    let mut open = named_in(parts);
    open.insert("Problem".to_owned());
    let mut sent = BTreeSet::new();
    while let Some(name) = open.pop_first() {
        if let Some(schema) = schemas.get(&name).filter(|_| sent.insert(name)) {
            open.append(&mut named_in([schema]));
        }
    }
    sent
}

fn named_in<'a>(values: impl IntoIterator<Item = &'a Value>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for value in values {
        each_reference(value, &mut |name| {
            names.insert(name.to_owned());
        });
    }
    names
}

fn each_reference(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(members) => {
            members.get("$ref").and_then(name_in).into_iter().for_each(&mut *found);
            members.values().for_each(|member| each_reference(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| each_reference(item, found)),
        _ => {}
    }
}

fn name_in(reference: &Value) -> Option<&str> {
    reference.as_str()?.strip_prefix(PREFIX)
}

/// Removes descriptions, limits and types that follow from a value, and below the answer and its alternatives also
/// `required`. A member that is not required is absent instead of null.
fn keep_types(schema: &mut Value, is_answer: bool) {
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
            if required.is_array() && !is_answer {
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
            // Without limits, a value may match several alternatives. `required` tells them apart.
            if let Some(alternatives) = members.shift_remove("oneOf") {
                members.insert("anyOf".to_owned(), alternatives);
            }
            members.iter_mut().for_each(|(keyword, member)| keep_types(member, keyword == "anyOf"));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| keep_types(item, is_answer)),
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

struct Answers<'a> {
    /// Schemas that are not longer than a reference, without descriptions.
    short: HashMap<String, Value>,
    uses: HashMap<String, usize>,
    sent: BTreeSet<String>,
    schemas: &'a mut Schemas,
}

impl Answers<'_> {
    /// Replaces references to schemas that are short or have no other use.
    fn insert_schemas(&mut self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                let name = members.get("$ref").and_then(name_in).map(str::to_owned);
                if let Some(Value::Object(schema)) = name.and_then(|name| self.take(&name)) {
                    members.shift_remove("$ref");
                    members.extend(schema);
                }
                members.values_mut().for_each(|member| self.insert_schemas(member));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.insert_schemas(item)),
            _ => {}
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let is_last = self.uses.get(name) == Some(&1) && !self.sent.contains(name);
        let last = is_last.then(|| self.schemas.remove(name)).flatten();
        last.or_else(|| self.short.get(name).cloned())
    }
}
