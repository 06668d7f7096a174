//! The schemas of the description. Each schema is stored once under its own name. Names of Rust types are unique only
//! in their module. So if two types have the same name, the name of their owner is added as a prefix.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::compact::{Schemas, with_referenced};
use registry_formats::argument_schema::{GIVEN, LINE, LINE_OR_BLANK, TEXT, TEXT_OR_BLANK};

/// Keywords that many arguments have, and the components that replace them.
pub(super) fn keywords() -> [(&'static str, Value, &'static str); 5] {
    [
        ("pattern", json!(LINE), "Line"),
        ("pattern", json!(LINE_OR_BLANK), "LineOrBlank"),
        ("pattern", json!(TEXT), "Text"),
        ("pattern", json!(TEXT_OR_BLANK), "TextOrBlank"),
        ("type", json!(GIVEN), "Given"),
    ]
}

/// Where schemars puts named types.
const LOCAL: &str = "#/$defs/";

#[derive(Debug, Default)]
pub(super) struct Components {
    pub(super) schemas: Schemas,
    /// The name of a schema, by its text and that of all types that it refers to.
    names: HashMap<String, String>,
    pub(super) responses: Map<String, Value>,
}

impl Components {
    /// Adds the types that a schema refers to, and returns the schema with references to them.
    pub(super) fn adopt(&mut self, owner: &str, mut schema: Value) -> Value {
        let Some(root) = schema.as_object_mut() else { return schema };
        root.shift_remove("$schema");
        root.shift_remove("title");
        let Some(Value::Object(types)) = root.shift_remove("$defs") else {
            tidy(&mut schema, &BTreeMap::new());
            return schema;
        };
        let names: BTreeMap<&str, String> =
            types.keys().map(|name| (name.as_str(), self.name(owner, name, &types))).collect();
        for (name, of_type) in &types {
            if let Some(taken) = names.get(name.as_str()).filter(|taken| !self.schemas.contains_key(*taken)) {
                let mut of_type = of_type.clone();
                tidy(&mut of_type, &names);
                self.schemas.insert(taken.clone(), of_type);
            }
        }
        tidy(&mut schema, &names);
        schema
    }

    /// Adds a schema under a name, and returns the reference to it.
    pub(super) fn adopt_as(&mut self, name: &str, schema: Value) -> Value {
        let schema = self.adopt(name, schema);
        let name = self.free(&[name.to_owned()], schema.to_string());
        self.schemas.insert(name.clone(), schema);
        reference(&name)
    }

    /// The type's own name, or `owner` + name if that name already means another type.
    fn name(&mut self, owner: &str, name: &str, types: &Map<String, Value>) -> String {
        self.free(&[name.to_owned(), format!("{owner}{name}")], with_referenced_types(name, types))
    }

    /// The name of a schema that is already known, or else the first free name, with a number behind it if necessary.
    fn free(&mut self, names: &[String], meaning: String) -> String {
        let last = names.last().cloned().unwrap_or_default();
        let numbered = (2..).map(|number| format!("{last}{number}"));
        let mut all = names.iter().cloned().chain(numbered);
        let taken: BTreeSet<&String> = self.names.values().collect();
        let free = all.find(|name| !taken.contains(name)).unwrap_or(last);
        self.names.entry(meaning).or_insert(free).clone()
    }
}

pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// A type and every type that it refers to, as one text.
fn with_referenced_types(name: &str, types: &Map<String, Value>) -> String {
    let names = with_referenced(LOCAL, BTreeSet::from([name.to_owned()]), |name| types.get(name));
    let all: BTreeMap<&String, Option<&Value>> = names.iter().map(|name| (name, types.get(name))).collect();
    json!(all).to_string()
}

/// Rewrites references, and replaces the names of Rust's integer types, which schemars writes as `format`, by
/// a maximum.
fn tidy(schema: &mut Value, names: &BTreeMap<&str, String>) {
    match schema {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(LOCAL));
            if let Some(name) = target.and_then(|local| names.get(local)) {
                members.insert("$ref".to_owned(), json!(format!("#/components/schemas/{name}")));
            }
            for (keyword, value, name) in keywords() {
                if members.get(keyword) == Some(&value) {
                    members.shift_remove(keyword);
                    members.insert("$ref".to_owned(), json!(format!("#/components/schemas/{name}")));
                }
            }
            // A default of null or {} adds nothing, and the schema of the member may not allow it.
            if members.get("default").is_some_and(|default| default.is_null() || *default == json!({})) {
                members.shift_remove("default");
            }
            if let Some((format, largest)) = members.get("format").and_then(Value::as_str).and_then(bounds) {
                members.entry("maximum").or_insert(json!(largest));
                match format {
                    Some(format) => drop(members.insert("format".to_owned(), json!(format))),
                    None => drop(members.shift_remove("format")),
                }
            }
            members.values_mut().for_each(|member| tidy(member, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| tidy(item, names)),
        _ => {}
    }
}

fn bounds(format: &str) -> Option<(Option<&'static str>, u64)> {
    Some(match format {
        "uint8" => (None, u8::MAX.into()),
        "uint16" => (None, u16::MAX.into()),
        "uint32" => (None, u32::MAX.into()),
        "uint" | "uint64" => (None, u64::MAX),
        "int32" => (Some("int32"), i32::MAX.unsigned_abs().into()),
        "int" | "int64" => (Some("int64"), i64::MAX.unsigned_abs()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_types_with_the_same_name_get_different_names() {
        let schema = |kind: &str| {
            json!({
                "$schema": "x", "title": "Answer", "type": "object",
                "properties": { "a": { "$ref": "#/$defs/A" }, "n": { "type": "integer", "format": "uint8" } },
                "$defs": { "A": { "properties": { "b": { "$ref": "#/$defs/B" } } }, "B": { "type": kind } },
            })
        };
        let mut components = Components::default();
        let target = |schema: &Value| schema["properties"]["a"]["$ref"].as_str().unwrap().to_owned();
        let first = components.adopt("One", schema("string"));
        assert_eq!(target(&first), "#/components/schemas/A");
        assert_eq!(first["properties"]["n"], json!({ "type": "integer", "maximum": 255 }));
        assert_eq!(target(&components.adopt("Two", schema("string"))), "#/components/schemas/A");
        assert_eq!(target(&components.adopt("Two", schema("integer"))), "#/components/schemas/TwoA");
        assert_eq!(target(&components.adopt("Two", schema("boolean"))), "#/components/schemas/TwoA2");
        let schemas = components.schemas;
        assert_eq!(schemas.keys().collect::<Vec<_>>(), ["A", "B", "TwoA", "TwoA2", "TwoB", "TwoB2"]);
        assert_eq!(schemas["TwoA2"]["properties"]["b"]["$ref"], "#/components/schemas/TwoB2");
    }
}
