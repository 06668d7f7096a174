//! Checks the definition of an MCP tool as clients read it (MCP schemas, `Tool`): the types of its members, the schemas of
//! its input and output against the meta-schema of their dialect, and the headers of its arguments.

use std::collections::HashSet;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Map, Value};

use registry_model::error::shorten;

/// Of a value that is shown with its place.
const MAX_VALUE_CHARS: usize = 60;

/// Faults of one schema that are shown.
const MAX_FAULTS: usize = 3;
/// Bytes of a schema whose faults are shown. The validator finds all of them, each with a copy of its whole path.
const MAX_EXPLAINED: usize = 8 * 1024;

/// Bytes of a regular expression. Checking one takes time by the square of its groups.
const MAX_PATTERN: usize = 2000;

const HEADER: &str = "x-mcp-header";

type Check = fn(&Value) -> bool;

/// What is wrong with a tool, with place and value: official clients refuse the whole list, or cannot call the tool.
pub fn fault(tool: &Value) -> Option<String> {
    let rules: [(&str, Check); 6] = [
        ("title", |value| value.is_null() || value.is_string()),
        ("description", |value| value.is_null() || value.is_string()),
        ("annotations", |value| value.is_null() || value.is_object()),
        ("_meta", |value| value.is_null() || value.is_object()),
        ("icons", |value| value.is_null() || are_icons(value)),
        ("name", Value::is_string),
    ];
    if let Some((field, _)) = rules.iter().find(|(field, is_right)| !is_right(&tool[*field])) {
        return Some(found(field, &tool[*field]));
    }
    let input = &tool["inputSchema"];
    if input["type"] != "object" {
        let at = if input.is_object() { "inputSchema.type" } else { "inputSchema" };
        return Some(found(at, if input.is_object() { &input["type"] } else { input }));
    }
    schema_fault("inputSchema", input).or_else(|| match &tool["outputSchema"] {
        Value::Null => None,
        output if output.is_object() => schema_fault("outputSchema", output),
        other => Some(found("outputSchema", other)),
    })
}

fn are_icons(value: &Value) -> bool {
    value.as_array().is_some_and(|icons| icons.iter().all(|icon| icon["src"].is_string()))
}

/// Why clients of MCP 2026-07-28 must leave a tool out (basic/transports/streamable-http, custom headers of arguments).
pub fn header_fault(tool: &Value) -> Option<String> {
    let mut names = HashSet::new();
    headers(&tool["inputSchema"], true, &mut names).map(|found| format!("`inputSchema.{found}"))
}

fn found(place: &str, value: &Value) -> String {
    let value = match value {
        Value::Null => "missing or null".to_owned(),
        value => shorten(&value.to_string(), MAX_VALUE_CHARS),
    };
    format!("`{place}` is {value}")
}

/// A schema without a dialect may follow any that clients read: MCP names 2020-12 only since 2025-11-25.
fn schema_fault(place: &str, schema: &Value) -> Option<String> {
    use jsonschema::{draft4, draft6, draft7, draft201909, draft202012};
    let checked = without_long_patterns(schema);
    let dialect = schema["$schema"].as_str().map(|url| url.trim_end_matches('#').trim_end_matches('/'));
    let meta = match dialect.map(|url| url.rsplit_once("json-schema.org/").map_or(url, |(_, draft)| draft)) {
        None if draft7::meta::is_valid(&checked) || draft4::meta::is_valid(&checked) => None,
        None | Some("draft/2020-12/schema") => Some(draft202012::meta::validator()),
        Some("draft/2019-09/schema") => Some(draft201909::meta::validator()),
        Some("draft-07/schema") => Some(draft7::meta::validator()),
        Some("draft-06/schema") => Some(draft6::meta::validator()),
        Some("draft-04/schema") => Some(draft4::meta::validator()),
        Some(_) => None,
    };
    if let Some(meta) = meta.filter(|meta| !meta.is_valid(&checked)) {
        if checked.to_string().len() > MAX_EXPLAINED {
            return Some(found(place, schema));
        }
        let faults = meta.iter_errors(&checked).map(|error| {
            let pointer = error.instance_path().to_string();
            let description =
                found(&path(place, &pointer), checked.pointer(&pointer).unwrap_or(&Value::Null));
            match error.kind() {
                ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => {
                    format!("{description}, not of type {kind}")
                }
                _ => description,
            }
        });
        let mut faults: Vec<String> = faults.take(MAX_FAULTS).collect();
        faults.dedup();
        return Some(faults.join("; "));
    }
    dangling(schema, schema).map(|reference| format!("`{place}` has the `$ref` {reference} to nowhere"))
}

/// A copy in which regular expressions that cost too much are left out.
fn without_long_patterns(schema: &Value) -> Value {
    let is_long = |text: &str| text.len() > MAX_PATTERN;
    match schema {
        Value::Array(all) => all.iter().map(without_long_patterns).collect(),
        Value::Object(members) => members
            .iter()
            .filter(|(name, inner)| {
                !(is_long(name) || *name == "pattern" && inner.as_str().is_some_and(is_long))
            })
            .map(|(name, inner)| (name.clone(), without_long_patterns(inner)))
            .collect(),
        value => value.clone(),
    }
}

/// A JSON pointer as the path of a field.
fn path(place: &str, pointer: &str) -> String {
    let steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    std::iter::once(place.to_owned()).chain(steps).collect::<Vec<_>>().join(".")
}

/// A reference within the document to a place that it does not have.
fn dangling<'a>(root: &Value, schema: &'a Value) -> Option<&'a str> {
    let members = match schema {
        Value::Array(all) => return all.iter().find_map(|one| dangling(root, one)),
        Value::Object(members) => members,
        _ => return None,
    };
    if let Some(reference) = members.get("$ref").and_then(Value::as_str)
        && let Some(pointer) = reference.strip_prefix('#').filter(|rest| rest.starts_with('/'))
        && root.pointer(&pointer.replace("%24", "$")).is_none()
    {
        return Some(reference);
    }
    // What these contain is data.
    let schemas = members
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "const" | "enum" | "default" | "examples"));
    schemas.into_iter().find_map(|(_, inner)| dangling(root, inner))
}

/// The place of a wrong header in a schema, and the rule that it breaks.
fn headers(schema: &Value, by_properties: bool, names: &mut HashSet<String>) -> Option<String> {
    let members = match schema {
        Value::Array(all) => return all.iter().find_map(|one| headers(one, false, names)),
        Value::Object(members) => members,
        _ => return None,
    };
    if let Some(name) = members.get(HEADER) {
        return header_rule(name, members, by_properties, names).map(|rule| format!("{HEADER}` {rule}"));
    }
    members.iter().find_map(|(keyword, inner)| match (keyword.as_str(), inner) {
        ("properties", Value::Object(properties)) => properties.iter().find_map(|(name, property)| {
            let found = headers(property, by_properties, names)?;
            Some(format!("properties.{name}.{found}"))
        }),
        ("const" | "enum" | "default" | "examples", _) => None,
        _ => headers(inner, false, names).map(|found| format!("{keyword}.{found}")),
    })
}

fn header_rule(
    name: &Value,
    schema: &Map<String, Value>,
    by_properties: bool,
    names: &mut HashSet<String>,
) -> Option<&'static str> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let Some(name) = name.as_str().filter(|name| !name.is_empty() && name.chars().all(is_token)) else {
        return Some("is not the name of a header");
    };
    if !by_properties {
        return Some("is not reachable through `properties` alone");
    }
    if !matches!(schema.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
        return Some("is on an argument that is not a string, an integer or a boolean");
    }
    (!names.insert(name.to_ascii_lowercase())).then_some("repeats a header")
}

#[cfg(test)]
mod tests;
