use serde_json::json;

use super::*;

#[test]
fn fault_of_a_tool_is_found_with_its_place_and_value() {
    let of = |input: Value| fault(&json!({"name": "a", "inputSchema": input}));
    let object = |member: &str, value: Value| of(json!({"type": "object", member: value}));
    let property = |schema: Value| object("properties", json!({"x": schema}));
    for fine in [
        property(json!({"type": "string"})),
        property(json!(true)),
        property(json!({"$ref": "#/properties/x"})),
        property(json!({"type": "number", "exclusiveMinimum": true, "minimum": 1})),
        property(json!({"items": [{"type": "string"}]})),
        property(json!({"default": {"$ref": "#/nowhere"}})),
        of(
            json!({"type": "object", "$schema": "http://json-schema.org/draft-07/schema#", "definitions": {}}),
        ),
        object("$schema", json!("https://example.org/own")),
    ] {
        assert_eq!(fine, None);
    }
    let table = [
        (of(Value::Null), "`inputSchema` is missing or null"),
        (of(json!({})), "`inputSchema.type` is missing or null"),
        (of(json!({"type": "objekt"})), "`inputSchema.type` is \"objekt\""),
        (object("properties", json!([])), "`inputSchema.properties` is [], not of type object"),
        (object("required", json!("a")), "`inputSchema.required` is \"a\", not of type array"),
        (property(json!({"type": "numbr"})), "`inputSchema.properties.x.type` is \"numbr\""),
        (
            of(json!({"type": "object", "properties": {"x": {"minimum": "1"}}, "required": "x"})),
            "`inputSchema.properties.x.minimum` is \"1\", not of type number; `inputSchema.required` is \"x\", not of type array",
        ),
        (property(json!({"$ref": "#/$defs/y"})), "`inputSchema` has the `$ref` #/$defs/y to nowhere"),
        (fault(&json!({"title": 1, "inputSchema": {"type": "object"}})), "`title` is 1"),
        (fault(&json!({"inputSchema": {"type": "object"}})), "`name` is missing or null"),
        (fault(&json!({"name": "a", "icons": ["x.png"]})), "`icons` is [\"x.png\"]"),
        (
            fault(
                &json!({"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "properties": 1}}),
            ),
            "`outputSchema.properties` is 1, not of type object",
        ),
    ];
    for (found, expected) in table {
        assert_eq!(found.as_deref(), Some(expected));
    }
}

#[test]
fn long_patterns_are_not_checked_and_what_is_beside_them_is() {
    let groups: String = (0..100_000).map(|number| format!("(?<n{number}>)")).collect();
    let began = std::time::Instant::now();
    for x in [json!({"pattern": groups}), json!({"patternProperties": {groups: true}})] {
        let schema = json!({"type": "object", "properties": {"x": {"items": [x]}}});
        assert_eq!(fault(&json!({"name": "a", "inputSchema": schema})), None);
        let beside = json!({"type": "object", "properties": {"x": x, "y": {"minimum": "1"}}});
        let found = fault(&json!({"name": "a", "inputSchema": beside}));
        assert_eq!(found.as_deref(), Some("`inputSchema.properties.y.minimum` is \"1\", not of type number"));
    }
    assert!(began.elapsed().as_secs() < 5);
}

/// With their paths, these faults would need 2 GB.
#[test]
fn faults_of_a_long_schema_are_not_listed() {
    let arguments: Map<String, Value> =
        (0..15_000).map(|number| (format!("a{number}"), json!({"type": 1}))).collect();
    let faulty = json!({ "properties": arguments });
    let deep = (0..25).fold(faulty, |inner, _| json!({"properties": {"x".repeat(1900): inner}}));
    let schema = json!({"type": "object", "properties": {"x": deep}});
    let found = fault(&json!({"name": "a", "inputSchema": schema})).unwrap();
    assert!(found.starts_with("`inputSchema` is {"), "{found}");
}

#[test]
fn tool_with_a_wrong_header_is_left_out_by_clients() {
    let of = |properties: Value| {
        header_fault(&json!({"inputSchema": {"type": "object", "properties": properties}}))
    };
    let header = |name: &str, kind: &str| json!({"type": kind, "x-mcp-header": name});
    let inner = json!({"type": "object", "properties": {"b": header("B", "integer")}});
    assert_eq!(of(json!({"a": header("A", "string"), "in": inner})), None);
    let no_type = "is on an argument that is not a string, an integer or a boolean";
    let nested = "is not reachable through `properties` alone";
    for (properties, place, rule) in [
        (json!({"a": header("a b", "string")}), "a", "is not the name of a header"),
        (json!({"a": header("x\r\ny", "string")}), "a", "is not the name of a header"),
        (json!({"a": header("A", "number")}), "a", no_type),
        (json!({"a": header("A", "string"), "b": header("a", "string")}), "b", "repeats a header"),
        (json!({"a": {"items": header("A", "string")}}), "a.items", nested),
    ] {
        let expected = format!("`inputSchema.properties.{place}.x-mcp-header` {rule}");
        assert_eq!(of(properties), Some(expected));
    }
}
