//! The schemas of the catalog, in a form that every MCP client accepts. The validators of official clients
//! refuse four things: `$schema`, the `format` of a number, a list of types, and `false` as a schema. The
//! schemas here contain none of these.

use serde_json::{Map, Value, json};

/// The formats of JSON Schema that our types use; others, such as `uint32`, name Rust types.
const FORMATS: [&str; 6] = ["date-time", "date", "time", "email", "uri", "uuid"];

/// The schema of a tool's arguments. Optional arguments are not declared nullable, though null is accepted.
pub(super) fn of_arguments(mut schema: Value) -> Value {
    // Model APIs refuse alternatives at the root of a tool's schema.
    if let Some(root) = schema.as_object_mut() {
        root.retain(|keyword, _| !matches!(keyword.as_str(), "anyOf" | "oneOf" | "allOf"));
    }
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(property) = property.as_object_mut().filter(|_| !required.contains(&json!(name))) {
            without_null(property);
        }
    }
    tidy(schema)
}

/// The schema of a tool's result: the answer or a problem document, because clients validate structured content even if
/// `isError` is set.
pub(super) fn of_result(schema: Value) -> Value {
    let mut answer = tidy(schema);
    let defs = answer.as_object_mut().and_then(|answer| answer.remove("$defs"));
    let mut result = json!({ "type": "object", "anyOf": [answer, problem()] });
    if let Some(defs) = defs {
        result["$defs"] = defs;
    }
    result
}

/// The schema of `Problem::document`.
fn problem() -> Value {
    json!({
        "type": "object",
        "description": "The problem document (RFC 9457). You get it if `isError` is true.",
        "properties": {
            "ok": { "const": false },
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "detail": { "type": "string", "description": "An explanation of the problem for people." },
            "code": { "type": "string", "description": "A stable code for the problem." },
            "field": { "type": "string", "description": "The name of the invalid argument." },
            "retry_after_s": { "type": "integer", "description": "The number of seconds to wait before you \
                try again." },
            "next": { "type": "object", "description": "What to do next." },
        },
        "required": ["ok", "type", "title", "status", "detail", "code"],
    })
}

/// Removes the dialect, the Rust type name at the root, and keywords that not every client accepts.
fn tidy(mut schema: Value) -> Value {
    if let Some(root) = schema.as_object_mut() {
        root.shift_remove("$schema");
        root.shift_remove("title");
    }
    simplify(&mut schema);
    schema
}

fn without_null(property: &mut Map<String, Value>) {
    let only = |choices: &Value, is_null: fn(&Value) -> bool| {
        let rest: Vec<Value> =
            choices.as_array()?.iter().filter(|choice| !is_null(choice)).cloned().collect();
        <[Value; 1]>::try_from(rest).ok().map(|[only]| only)
    };
    if let Some(only) = property.get("type").and_then(|types| only(types, |choice| choice == "null")) {
        property.insert("type".to_owned(), only);
    }
    if let Some(Value::Object(only)) =
        property.get("anyOf").and_then(|choices| only(choices, |choice| choice["type"] == "null"))
    {
        property.shift_remove("anyOf");
        for (keyword, value) in only {
            property.entry(keyword).or_insert(value);
        }
    }
}

/// Visits schemas only: a key of `properties` or `$defs` is a name, even if it is `format`.
fn simplify(schema: &mut Value) {
    if *schema == Value::Bool(false) {
        *schema = json!({ "not": {} });
    }
    let Some(keywords) = schema.as_object_mut() else { return };
    if keywords.get("format").and_then(Value::as_str).is_some_and(|format| !FORMATS.contains(&format)) {
        keywords.shift_remove("format");
    }
    for (keyword, value) in keywords.iter_mut() {
        match keyword.as_str() {
            "properties" | "patternProperties" | "$defs" => {
                value.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(simplify);
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                value.as_array_mut().into_iter().flatten().for_each(simplify);
            }
            "additionalProperties" if value.is_boolean() => {}
            "items" | "additionalProperties" | "not" | "if" | "then" | "else" => simplify(value),
            _ => {}
        }
    }
    if let Some(Value::Array(types)) = keywords.get("type").cloned() {
        *schema = one_type_each(std::mem::take(keywords), types);
    }
}

/// Splits a schema with a list of types, because some clients map each schema to one type.
fn one_type_each(mut keywords: Map<String, Value>, types: Vec<Value>) -> Value {
    let description = keywords.shift_remove("description");
    let branches = types.into_iter().map(|name| {
        if name == "null" {
            return json!({ "type": "null" });
        }
        let mut branch = keywords.clone();
        branch.insert("type".to_owned(), name);
        Value::Object(branch)
    });
    let mut split = Map::from_iter([("anyOf".to_owned(), branches.collect())]);
    split.extend(description.map(|text| ("description".to_owned(), text)));
    Value::Object(split)
}

#[cfg(test)]
mod tests {
    use registry::error::Problem;
    use registry::operations::CATALOGUE;

    use super::*;

    #[test]
    fn schemas_avoid_keywords_that_old_validators_refuse() {
        for tool in crate::tools::TOOLS.iter() {
            for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
                let text = schema.to_string();
                for keyword in [
                    r#""$schema""#,
                    r##""$ref":"#""##,
                    r#""format":"uint"#,
                    r#""format":"int"#,
                    r#""format":"double""#,
                ] {
                    assert!(!text.contains(keyword), "{keyword} in {}", tool["name"]);
                }
                jsonschema::validator_for(schema).unwrap();
            }
        }
    }

    #[test]
    fn optional_argument_has_one_type() {
        let arguments = of_arguments(json!({
            "type": "object",
            "properties": {
                "limit": { "type": ["integer", "null"], "format": "uint32", "minimum": 1, "description": "How many." },
                "kind": { "anyOf": [{ "$ref": "#/$defs/Kind" }, { "type": "null" }], "description": "Which." },
                "must": { "type": ["string", "null"], "description": "Given, or null." },
            },
            "required": ["must"],
            "$defs": { "Kind": { "type": "string", "enum": ["agent", "mcp"] } },
        }));
        let properties = &arguments["properties"];
        assert_eq!(
            properties["limit"],
            json!({ "type": "integer", "minimum": 1, "description": "How many." })
        );
        assert_eq!(properties["kind"], json!({ "description": "Which.", "$ref": "#/$defs/Kind" }));
        let either =
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "description": "Given, or null." });
        assert_eq!(properties["must"], either);
    }

    #[test]
    fn schema_false_is_replaced_by_an_object() {
        let without_b = json!({ "properties": { "b": false }, "additionalProperties": false });
        let arguments =
            of_arguments(json!({ "properties": { "a": { "anyOf": [without_b, { "type": "string" }] } } }));
        assert_eq!(
            arguments["properties"]["a"]["anyOf"][0],
            json!({ "properties": { "b": { "not": {} } }, "additionalProperties": false })
        );
    }

    #[test]
    fn result_schema_allows_an_answer_or_a_problem() {
        let answer = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Answer",
            "type": "object",
            "properties": {
                "format": { "type": "integer", "format": "uint8" },
                "x": { "$ref": "#/$defs/X" },
                "y": { "type": ["integer", "null"], "format": "uint8", "minimum": 3 },
            },
            "required": ["format"],
            "$defs": { "X": { "type": "string", "format": "date-time" } },
        });
        let schema = of_result(answer);
        assert_eq!(schema["$defs"]["X"]["format"], "date-time");
        assert_eq!(schema["anyOf"][0]["properties"]["format"], json!({ "type": "integer" }));
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&json!({ "format": 7, "x": "2026-11-20T12:00:00Z" })));
        assert!(!validator.is_valid(&json!({ "format": "seven" })));
        assert!(!validator.is_valid(&json!({ "format": 7, "x": 1 })));
        assert!(validator.is_valid(&json!({ "format": 7, "y": null })));
        assert!(!validator.is_valid(&json!({ "format": 7, "y": 2 })));
        assert!(!validator.is_valid(&json!({ "ok": false, "code": "x" })));
        assert!(validator.is_valid(&Problem::listing_not_found("x").document()));
        assert!(validator.is_valid(&Problem::unavailable("why").document()));
        assert!(
            validator.is_valid(&Problem::invalid("url", "bad_url", "No.").with("lane", "queued").document())
        );
    }

    #[test]
    fn empty_object_does_not_match_the_result_schema() {
        for entry in CATALOGUE {
            let validator = jsonschema::validator_for(&of_result((entry.output_schema)())).unwrap();
            assert!(!validator.is_valid(&json!({})), "{}", entry.name);
            assert!(!validator.is_valid(&json!({ "ok": true })), "{}", entry.name);
        }
    }
}
