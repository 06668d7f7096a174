//! Validates a `server.json` document with the official JSON schema (2025-12-11; MIT, see
//! `server.schema.json.license`). This module implements only the keywords that this schema uses, so that the
//! program does not contain a general validator. A test compares the results with those of a general
//! validator. The message of a violation names the field and says what the field may contain.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::fields::{list, text};
use super::violation::Violations;
use registry_model::error::shorten;

#[expect(clippy::expect_used, reason = "the schema is part of the program and read by every test")]
static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("server.schema.json")).expect("the schema is JSON"));

/// The patterns of the schema. ECMA's `\d` is ASCII only.
static PATTERNS: LazyLock<HashMap<&'static str, Regex>> = LazyLock::new(|| {
    fn collect(schema: &'static Value, found: &mut HashMap<&'static str, Regex>) {
        if let Some(pattern) = text(schema.get("pattern"))
            && let Ok(regex) = Regex::new(&pattern.replace(r"\d", "[0-9]"))
        {
            found.insert(pattern, regex);
        }
        match schema {
            Value::Object(members) => members.values().for_each(|member| collect(member, found)),
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = HashMap::new();
    collect(&SCHEMA, &mut found);
    found
});

/// Reports what violates the schema, except at places that a rule has already reported.
pub(super) fn check(document: &Value, violations: &mut Violations) {
    let mut faults = Vec::new();
    validate(&SCHEMA, document, "", &mut faults);
    for fault in faults {
        if violations.is_full() {
            return;
        }
        report(fault, violations);
    }
}

#[derive(Clone, Debug)]
struct Fault<'a> {
    path: String,
    value: &'a Value,
    kind: FaultKind<'a>,
}

#[derive(Clone, Debug)]
enum FaultKind<'a> {
    Missing(&'static str),
    Type(&'static str),
    TooShort,
    TooLong(u64),
    NotOneOf(&'static Value),
    Pattern(&'static str),
    Excluded,
    /// None of several alternatives holds; the faults of each.
    Alternatives(Vec<Vec<Fault<'a>>>),
}

/// The implemented keywords, in the order in which their faults are reported.
const KEYWORDS: [&str; 12] = [
    "type",
    "enum",
    "not",
    "minLength",
    "maxLength",
    "pattern",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "allOf",
    "anyOf",
];

fn validate<'a>(schema: &'static Value, value: &'a Value, path: &str, faults: &mut Vec<Fault<'a>>) {
    // In draft 7, members next to `$ref` are ignored.
    if let Some(reference) = text(schema.get("$ref")) {
        if let Some(target) = SCHEMA.pointer(reference.trim_start_matches('#')) {
            validate(target, value, path, faults);
        }
        return;
    }
    let Value::Object(keywords) = schema else { return };
    let rules = KEYWORDS.iter().filter_map(|keyword| Some((*keyword, keywords.get(*keyword)?)));
    for (keyword, rule) in rules {
        let kind = match (keyword, value) {
            ("type", _) => text(Some(rule)).filter(|name| !is_type(value, name)).map(FaultKind::Type),
            ("enum", _) => {
                (!list(Some(rule)).any(|option| option == value)).then_some(FaultKind::NotOneOf(rule))
            }
            ("not", _) => (rule.get("const") == Some(value)).then_some(FaultKind::Excluded),
            ("minLength", Value::String(text)) => {
                rule.as_u64().filter(|limit| length(text) < *limit).map(|_| FaultKind::TooShort)
            }
            ("maxLength", Value::String(text)) => {
                rule.as_u64().filter(|limit| length(text) > *limit).map(FaultKind::TooLong)
            }
            ("pattern", Value::String(string)) => text(Some(rule))
                .filter(|pattern| PATTERNS.get(pattern).is_some_and(|regex| !regex.is_match(string)))
                .map(FaultKind::Pattern),
            ("items", Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    validate(rule, item, &format!("{path}[{index}]"), faults);
                }
                None
            }
            ("properties", Value::Object(members)) => {
                let known = rule.as_object().into_iter().flatten();
                for (name, rule) in known {
                    if let Some(member) = members.get(name) {
                        validate(rule, member, &below(path, name), faults);
                    }
                }
                None
            }
            ("additionalProperties", Value::Object(members)) => {
                let named =
                    |name: &String| keywords.get("properties").is_some_and(|known| known.get(name).is_some());
                for (name, member) in members.iter().filter(|(name, _)| !named(name)) {
                    validate(rule, member, &below(path, name), faults);
                }
                None
            }
            ("required", Value::Object(members)) => {
                faults.extend(missing(rule, members).map(|name| Fault {
                    path: below(path, name),
                    value,
                    kind: FaultKind::Missing(name),
                }));
                None
            }
            ("allOf", _) => {
                list(Some(rule)).for_each(|part| validate(part, value, path, faults));
                None
            }
            ("anyOf", _) => alternatives(rule, value, path).map(FaultKind::Alternatives),
            _ => None,
        };
        faults.extend(kind.map(|kind| Fault { path: path.to_owned(), value, kind }));
    }
}

fn missing<'m>(
    required: &'static Value,
    members: &'m Map<String, Value>,
) -> impl Iterator<Item = &'static str> + 'm {
    list(Some(required)).filter_map(|name| text(Some(name))).filter(|name| !members.contains_key(*name))
}

/// The faults of each alternative, where none of them holds.
fn alternatives<'a>(rules: &'static Value, value: &'a Value, path: &str) -> Option<Vec<Vec<Fault<'a>>>> {
    let mut all = Vec::new();
    for rule in list(Some(rules)) {
        let mut faults = Vec::new();
        validate(rule, value, path, &mut faults);
        if faults.is_empty() {
            return None;
        }
        all.push(faults);
    }
    Some(all)
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "boolean" => value.is_boolean(),
        _ => false,
    }
}

fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The path of a member, such as `packages[0].version`.
fn below(path: &str, name: &str) -> String {
    let name = shorten(name, 60);
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

fn report(fault: Fault<'_>, violations: &mut Violations) {
    let Fault { path, value, kind } = fault;
    let message = match kind {
        FaultKind::Alternatives(alternatives) => {
            return report_alternatives(path, value, &alternatives, violations);
        }
        FaultKind::Missing(property) => format!("`{property}` is missing."),
        FaultKind::Type(name) => format!("It must be {}.", type_name(name)),
        FaultKind::TooShort => {
            "It is empty. Write a value, or leave the field out if it is optional.".to_owned()
        }
        FaultKind::TooLong(limit) => {
            let length = value.as_str().map_or(0, length);
            format!("It has {length} characters, but at most {limit} are allowed.")
        }
        FaultKind::NotOneOf(options) => {
            format!("The value \"{}\" is unknown. Allowed values: {}.", summary(value), choices(options))
        }
        FaultKind::Pattern(pattern) => format!("\"{}\" does not match {pattern}", summary(value)),
        FaultKind::Excluded => format!("\"{}\" is not allowed here.", summary(value)),
    };
    if !violations.covers(&path) {
        violations.add(path, "schema", message);
    }
}

/// Of several alternatives, reports the faults of the one whose `type` fits, else of the one with the fewest faults.
fn report_alternatives(
    path: String,
    value: &Value,
    alternatives: &[Vec<Fault<'_>>],
    violations: &mut Violations,
) {
    let only_missing = |faults: &Vec<Fault<'_>>| match faults[..] {
        [Fault { kind: FaultKind::Missing(property), .. }] => Some(property),
        _ => None,
    };
    let missing: Option<Vec<&str>> = alternatives.iter().map(only_missing).collect();
    let known_types: Vec<String> = alternatives.iter().flatten().filter_map(allowed_types).collect();
    let has_right_type = |faults: &&Vec<Fault<'_>>| faults.iter().all(|fault| allowed_types(fault).is_none());
    let (path, message) = if let Some(mut missing) = missing {
        missing.dedup();
        let fields: Vec<String> = missing.iter().map(|field| format!("`{field}`")).collect();
        let path = if let [field] = missing[..] { below(&path, field) } else { path };
        (path, format!("{} is missing.", fields.join(" or ")))
    } else if let Some(meant) = alternatives.iter().filter(has_right_type).min_by_key(|faults| faults.len()) {
        return meant.iter().for_each(|fault| report(fault.clone(), violations));
    } else {
        let value = value.get("type").map(summary).unwrap_or_default();
        (
            below(&path, "type"),
            format!("The type \"{value}\" is unknown. Allowed types: {}.", known_types.join(", ")),
        )
    };
    if !violations.covers(&path) {
        violations.add(path, "schema", message);
    }
}

/// The types that an alternative allows, where the document has another.
fn allowed_types(fault: &Fault<'_>) -> Option<String> {
    match fault.kind {
        FaultKind::NotOneOf(options) if fault.path.ends_with(".type") => Some(choices(options)),
        _ => None,
    }
}

/// A value cut short; texts without their quotation marks.
fn summary(value: &Value) -> String {
    match value {
        Value::String(text) => shorten(text, 80),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(members) => format!("an object with {} members", members.len()),
        other => other.to_string(),
    }
}

fn choices(options: &Value) -> String {
    let names: Vec<&str> = list(Some(options)).filter_map(Value::as_str).collect();
    names.join(", ")
}

fn type_name(name: &str) -> &'static str {
    match name {
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        _ => "true or false",
    }
}

#[cfg(test)]
mod tests;
