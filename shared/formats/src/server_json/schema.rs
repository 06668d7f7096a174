//! Validates a `server.json` document with the official JSON schema (2025-12-11; MIT, see
//! `server.schema.json.license`). The message of a violation names the field and says what the field may contain.

use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;

use super::fields::items;
use super::violation::Violations;
use registry_model::error::shorten;

#[expect(clippy::expect_used, reason = "the schema is part of the program and compiled by every test")]
static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("server.schema.json")).expect("the schema is JSON");
    jsonschema::draft7::options().should_validate_formats(false).build(&schema).expect("the schema is valid")
});

/// The keywords of the schema, in the order in which their faults are reported.
const KEYWORDS: &str = "type enum not minLength maxLength pattern required properties additionalProperties items \
                        allOf anyOf";

/// Reports what violates the schema, except at places that a rule has already reported.
pub(super) fn check(document: &Value, violations: &mut Violations) {
    let faults: Vec<_> = SCHEMA.iter_errors(document).collect();
    report_all(&faults, document, violations);
}

fn report_all(faults: &[ValidationError<'_>], document: &Value, violations: &mut Violations) {
    let mut faults: Vec<&ValidationError<'_>> = faults.iter().collect();
    faults.sort_by_cached_key(|fault| order(fault, document));
    faults.into_iter().for_each(|fault| report(fault, document, violations));
}

/// The steps from the schema to a fault: the rank of each keyword, and the member, item or alternative that it leads to.
fn order(fault: &ValidationError<'_>, document: &Value) -> Vec<(usize, String)> {
    let (mut path, mut place) = (fault.evaluation_path().iter(), fault.instance_path().iter());
    let (mut value, mut key) = (document, Vec::new());
    while let Some(keyword) = path.next().map(|step| step.to_string()) {
        let Some(rank) = KEYWORDS.split(' ').position(|known| known == keyword) else { continue };
        let mut part = String::new();
        if matches!(keyword.as_str(), "properties" | "allOf" | "anyOf") {
            part = path.next().map(|step| step.to_string()).unwrap_or_default();
        }
        if matches!(keyword.as_str(), "properties" | "additionalProperties" | "items") {
            let position = match place.next() {
                Some(LocationSegment::Index(index)) => {
                    value = &value[index];
                    Some(index)
                }
                Some(LocationSegment::Property(name)) => {
                    let position = value.as_object().and_then(|all| all.keys().position(|key| *key == name));
                    value = &value[name.as_ref()];
                    position
                }
                None => None,
            };
            // The schema lists its properties in the order of their names.
            if keyword != "properties" {
                part = format!("{:05}", position.unwrap_or_default());
            }
        }
        key.push((rank, part));
    }
    key
}

fn report(fault: &ValidationError<'_>, document: &Value, violations: &mut Violations) {
    let (path, value) = (path(fault.instance_path()), fault.instance());
    let message = match fault.kind() {
        Kind::AnyOf { context } => return report_alternatives(&path, value, context, document, violations),
        Kind::Required { .. } => {
            let name = missing(fault).unwrap_or_default();
            return add(below(&path, name), format!("`{name}` is missing."), violations);
        }
        Kind::Type { kind: TypeKind::Single(JsonType::String) } => "It must be a string.".to_owned(),
        Kind::Type { kind: TypeKind::Single(JsonType::Array) } => "It must be an array.".to_owned(),
        Kind::Type { kind: TypeKind::Single(JsonType::Object) } => "It must be an object.".to_owned(),
        Kind::Type { .. } => "It must be true or false.".to_owned(),
        Kind::MinLength { .. } => {
            "It is empty. Write a value, or leave the field out if it is optional.".to_owned()
        }
        Kind::MaxLength { limit } => {
            let length = value.as_str().map_or(0, |text| text.chars().count());
            format!("It has {length} characters, but at most {limit} are allowed.")
        }
        Kind::Enum { options } => {
            format!("The value \"{}\" is unknown. Allowed values: {}.", summary(value), choices(options))
        }
        Kind::Pattern { pattern } => format!("\"{}\" does not match {pattern}", summary(value)),
        _ => format!("\"{}\" is not allowed here.", summary(value)),
    };
    add(path, message, violations);
}

/// Of several alternatives, reports the faults of the one whose `type` fits, else of the one with the fewest faults.
fn report_alternatives(
    path: &str,
    value: &Value,
    alternatives: &[Vec<ValidationError<'static>>],
    document: &Value,
    violations: &mut Violations,
) {
    let only_missing = |faults: &'_ Vec<ValidationError<'static>>| match &faults[..] {
        [fault] => missing(fault).map(str::to_owned),
        _ => None,
    };
    let has_right_type =
        |faults: &&Vec<ValidationError<'_>>| faults.iter().all(|fault| allowed_types(fault).is_none());
    if let Some(mut missing) = alternatives.iter().map(only_missing).collect::<Option<Vec<String>>>() {
        missing.dedup();
        let fields: Vec<String> = missing.iter().map(|field| format!("`{field}`")).collect();
        let path = if let [field] = &missing[..] { below(path, field) } else { path.to_owned() };
        add(path, format!("{} is missing.", fields.join(" or ")), violations);
    } else if let Some(meant) = alternatives.iter().filter(has_right_type).min_by_key(|faults| faults.len()) {
        report_all(meant, document, violations);
    } else {
        let value = value.get("type").map(summary).unwrap_or_default();
        let known: Vec<String> = alternatives.iter().flatten().filter_map(allowed_types).collect();
        let message = format!("The type \"{value}\" is unknown. Allowed types: {}.", known.join(", "));
        add(below(path, "type"), message, violations);
    }
}

fn add(path: String, message: String, violations: &mut Violations) {
    if !violations.covers(&path) {
        violations.add(path, "schema", message);
    }
}

/// The name of the field, where one is missing.
fn missing<'a>(fault: &'a ValidationError<'_>) -> Option<&'a str> {
    match fault.kind() {
        Kind::Required { property } => property.as_str(),
        _ => None,
    }
}

/// The types that an alternative allows, where the document has another.
fn allowed_types(fault: &ValidationError<'_>) -> Option<String> {
    match fault.kind() {
        Kind::Enum { options } if path(fault.instance_path()).ends_with(".type") => Some(choices(options)),
        _ => None,
    }
}

/// A place such as `packages[0].version`.
fn path(location: &Location) -> String {
    location.iter().fold(String::new(), |path, segment| match segment {
        LocationSegment::Property(name) => below(&path, &name),
        LocationSegment::Index(index) => format!("{path}[{index}]"),
    })
}

fn below(path: &str, name: &str) -> String {
    let name = shorten(name, 60);
    if path.is_empty() { name } else { format!("{path}.{name}") }
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
    items(Some(options)).filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_every_kind_are_reported_in_the_order_of_the_schema() {
        let document = serde_json::json!({
            "name": 7, "title": "", "description": "d".repeat(101), "repository": {},
            "icons": [{"src": "https://example.com/i.png", "theme": "blue", "sizes": ["48by48"]}, "icon"],
            "packages": [{
                "registryType": "npm", "identifier": "weather", "version": "latest", "transport": {"type": "tcp"},
                "runtimeArguments": [{"type": "named", "isRepeated": "yes"}, {"type": "positional"}, {"type": "flag"}],
                "environmentVariables": [{"name": "KEY", "variables": {"b": 1, "a": 2}}]
            }],
            "remotes": [{"type": "sse", "url": "ftp://example.com"}, {"url": ""}], "_meta": [],
        });
        let mut violations = Violations::default();
        check(&document, &mut violations);
        let lines = violations.into_vec().into_iter().map(|one| format!("{}: {}", one.path, one.message));
        insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
        version: `version` is missing.
        _meta: It must be an object.
        description: It has 101 characters, but at most 100 are allowed.
        icons[0].sizes[0]: "48by48" does not match ^(\d+x\d+|any)$
        icons[0].theme: The value "blue" is unknown. Allowed values: light, dark.
        icons[1]: It must be an object.
        name: It must be a string.
        packages[0].environmentVariables[0].variables.b: It must be an object.
        packages[0].environmentVariables[0].variables.a: It must be an object.
        packages[0].runtimeArguments[0].name: `name` is missing.
        packages[0].runtimeArguments[0].isRepeated: It must be true or false.
        packages[0].runtimeArguments[1]: `valueHint` or `value` is missing.
        packages[0].runtimeArguments[2].type: The type "flag" is unknown. Allowed types: positional, named.
        packages[0].transport.type: The type "tcp" is unknown. Allowed types: stdio, streamable-http, sse.
        packages[0].version: "latest" is not allowed here.
        remotes[0].url: "ftp://example.com" does not match ^https?://[^\s]+$
        remotes[1].type: `type` is missing.
        remotes[1].url: "" does not match ^https?://[^\s]+$
        repository.url: `url` is missing.
        repository.source: `source` is missing.
        title: It is empty. Write a value, or leave the field out if it is optional.
        "#);
    }
}
