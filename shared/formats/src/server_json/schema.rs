//! The official JSON schema of `server.json` (2025-12-11; MIT, see `server.schema.json.license` beside it), with its
//! errors rewritten: "is not valid under any of the given schemas" does not help an author.

use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;

use super::fields::list;
use super::violation::Violations;
use registry_model::error::shorten;

/// The schema, compiled on first use.
#[expect(clippy::expect_used, reason = "the schema is part of the program and compiled by every test")]
static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(include_str!("server.schema.json")).expect("the schema is JSON");
    // Formats are left to the rules: they have better words for a broken link, and an empty one counts as none.
    let options = jsonschema::draft7::options().should_validate_formats(false);
    options.build(&schema).expect("the schema compiles without fetching anything")
});

/// Reports what violates the schema, except at places that a rule already reported.
pub(super) fn check(document: &Value, violations: &mut Violations) {
    for error in SCHEMA.iter_errors(document) {
        if violations.is_full() {
            return;
        }
        tell(&error, violations);
    }
}

/// Puts one finding into words.
fn tell(error: &ValidationError<'_>, violations: &mut Violations) {
    let mut path = place(error.instance_path().as_str());
    let value = error.instance();
    let message = match error.kind() {
        ValidationErrorKind::AnyOf { context } => return alternatives(error, context, violations),
        ValidationErrorKind::Required { property } => {
            let property = property.as_str().unwrap_or_default();
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(property);
            format!("`{property}` is missing.")
        }
        ValidationErrorKind::Type { kind } => format!("It must be {}.", type_name(kind)),
        ValidationErrorKind::MinLength { .. } => {
            "It is empty: write something, or leave it out where it is optional.".to_owned()
        }
        ValidationErrorKind::MaxLength { limit } => {
            let length = value.as_str().unwrap_or_default().chars().count();
            format!("It has {length} characters; at most {limit} are allowed.")
        }
        ValidationErrorKind::Enum { options } => {
            format!("\"{}\" is not known here; it may be {}.", words(value), choices(options))
        }
        ValidationErrorKind::Pattern { pattern } => {
            format!("\"{}\" does not have the form {pattern}", words(value))
        }
        other => format!("\"{}\" is not allowed here (`{}` of the schema).", words(value), other.keyword()),
    };
    if !violations.speaks_of(&path) {
        violations.note(path, "schema", message);
    }
}

/// Of several alternatives, reports what is wrong with the one that was meant: the one whose `type` fits, else the
/// one with the fewest faults.
fn alternatives(
    error: &ValidationError<'_>,
    context: &[Vec<ValidationError<'static>>],
    violations: &mut Violations,
) {
    let wrong_type = |errors: &[ValidationError<'_>]| {
        errors.iter().any(|error| {
            matches!(error.kind(), ValidationErrorKind::Enum { .. })
                && error.instance_path().as_str().ends_with("/type")
        })
    };
    let path = place(error.instance_path().as_str());
    let missing: Option<Vec<&str>> = context.iter().map(|errors| only_missing(errors)).collect();
    let meant = context.iter().filter(|errors| !wrong_type(errors)).min_by_key(|errors| errors.len());
    match (missing, meant) {
        (Some(mut missing), _) => {
            missing.dedup();
            let fields: Vec<String> = missing.iter().map(|field| format!("`{field}`")).collect();
            let path = if let [field] = missing[..] { format!("{path}.{field}") } else { path };
            if !violations.speaks_of(&path) {
                violations.note(path, "schema", format!("{} is missing.", fields.join(" or ")));
            }
        }
        (None, Some(errors)) => errors.iter().for_each(|error| tell(error, violations)),
        (None, None) => {
            let path = format!("{path}.type");
            if !violations.speaks_of(&path) {
                let known: Vec<String> = context.iter().flatten().filter_map(known_types).collect();
                let seen = error.instance().get("type").map(words).unwrap_or_default();
                violations.note(
                    path,
                    "schema",
                    format!("\"{seen}\" is not known here; it may be {}.", known.join(" or ")),
                );
            }
        }
    }
}

/// The field whose absence is all that is wrong.
fn only_missing<'e>(errors: &'e [ValidationError<'static>]) -> Option<&'e str> {
    match errors {
        [error] => match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str(),
            _ => None,
        },
        _ => None,
    }
}

/// The types that one alternative would take.
fn known_types(error: &ValidationError<'_>) -> Option<String> {
    match error.kind() {
        ValidationErrorKind::Enum { options } if error.instance_path().as_str().ends_with("/type") => {
            Some(choices(options))
        }
        _ => None,
    }
}

/// `/packages/0/version` as `packages[0].version`.
fn place(pointer: &str) -> String {
    let mut path = String::new();
    for segment in pointer.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        if !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{}]", shorten(&segment, 20)));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&shorten(&segment, 60));
        }
    }
    path
}

/// A value cut short; texts without their quotation marks.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => shorten(text, 80),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(members) => format!("an object of {}", members.len()),
        other => other.to_string(),
    }
}

/// The values that an enumeration allows.
fn choices(options: &Value) -> String {
    let names: Vec<&str> = list(Some(options)).filter_map(Value::as_str).collect();
    names.join(", ")
}

/// What a value should have been.
fn type_name(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Single(JsonType::String) => "a text",
        TypeKind::Single(JsonType::Array) => "a list",
        TypeKind::Single(JsonType::Object) => "an object",
        TypeKind::Single(JsonType::Boolean) => "true or false",
        TypeKind::Single(JsonType::Integer | JsonType::Number) => "a number",
        TypeKind::Single(JsonType::Null) | TypeKind::Multiple(_) => "of another type",
    }
}
