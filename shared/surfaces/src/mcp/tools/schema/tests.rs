use registry_features::CATALOGUE;
use registry_features::operation::toolsets::CORE;

use super::*;

fn longest_pattern(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => {
            let own = members.get("pattern").and_then(Value::as_str).map_or(0, str::len);
            members.values().map(longest_pattern).fold(own, usize::max)
        }
        Value::Array(values) => values.iter().map(longest_pattern).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Arguments whose values the registry returned before, or that are secret.
const RETURNED: [&str; 18] = [
    "access_token",
    "attestation_id",
    "code",
    "cursor",
    "demo_order_id",
    "description",
    "feedback_id",
    "kind",
    "name",
    "id",
    "idempotency_key",
    "nonce",
    "order_id",
    "public_key_pem",
    "purchase_id",
    "session_id",
    "signature",
    "token",
];

/// Each schema is read before the first question.
#[test]
fn schemas_of_arguments_are_short_and_have_examples() {
    let mut too_long = Vec::new();
    for entry in CATALOGUE {
        let example: Value = serde_json::from_str(entry.example).unwrap();
        let schema = argument_schema(&(entry.input_schema)(), &example);
        let text = schema.to_string();
        too_long.extend((text.len() > 1536).then(|| (entry.name, text.len())));
        assert!(longest_pattern(&schema) <= MAX_PATTERN, "{}", entry.name);
        for (name, argument) in schema["properties"].as_object().unwrap() {
            let explains = |keyword: &str| argument.get(keyword).is_some();
            let is_explained =
                argument["type"] == "boolean" || ["enum", "default", "examples"].iter().any(|k| explains(k));
            assert!(is_explained || RETURNED.contains(&name.as_str()), "{}: {name}", entry.name);
        }
        for keyword in
            [r#""$schema""#, r#""$ref""#, r#""anyOf""#, r#""format":"uint"#, r#""format":"double""#]
        {
            assert!(!text.contains(keyword), "{keyword} in {}", entry.name);
        }
        assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&example), "{}", entry.name);
    }
}

#[test]
fn schemas_of_results_allow_an_answer_or_a_problem() {
    for entry in CORE.operations() {
        let schema = result_schema(&(entry.output_schema)(), entry.short);
        assert!(schema.to_string().len() <= 1024, "{}: {schema}", entry.name);
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(!validator.is_valid(&json!({})), "{}", entry.name);
        assert!(
            validator.is_valid(&crate::errors::problem_document(&Problem::malformed("x"))),
            "{}",
            entry.name
        );
        assert!(
            validator.is_valid(&crate::errors::problem_document(&Problem::unavailable("why"))),
            "{}",
            entry.name
        );
    }
}

#[test]
fn argument_has_one_type_its_choices_its_default_and_an_example() {
    let schema = json!({
        "type": "object",
        "properties": {
            "limit": { "type": ["integer", "null"], "format": "uint32", "minimum": 1, "description": "How\nmany.", "default": 8 },
            "kind": { "anyOf": [{ "$ref": "#/$defs/Kind" }, { "type": "null" }], "description": "Which." },
            "text": { "type": "string", "pattern": "x".repeat(61), "maxLength": 9, "default": "" },
        },
        "required": ["text"],
        "$defs": { "Kind": { "oneOf": [{ "const": "agent", "type": "string" }, { "const": "mcp", "type": "string" }] } },
    });
    assert_eq!(
        argument_schema(&schema, &json!({ "limit": 5 })),
        json!({
            "type": "object",
            "properties": {
                "limit": { "type": "integer", "minimum": 1, "description": "How many.", "default": 8, "examples": [5] },
                "kind": { "type": "string", "enum": ["agent", "mcp"], "description": "Which." },
                "text": { "type": "string", "maxLength": 9 },
            },
            "required": ["text"],
        })
    );
}

#[test]
fn result_contains_the_members_of_the_short_answer() {
    let schema = json!({
        "properties": {
            "ok": { "type": "boolean" },
            "hits": { "type": "array", "items": { "$ref": "#/$defs/Hit" } },
            "long": { "type": "object" },
        },
        "$defs": { "Hit": { "type": "object", "properties": { "name": { "type": "string" }, "x": {} } } },
    });
    let result = result_schema(&schema, &["ok", "hits.name"]);
    let name = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    assert_eq!(result["properties"]["hits"], json!({ "type": "array", "items": name }));
    assert_eq!(result["properties"].get("long"), None);
}
