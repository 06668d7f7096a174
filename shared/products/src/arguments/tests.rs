use super::*;

#[test]
fn example_comes_from_the_schema_and_has_its_type() {
    let required = ["query", "limit", "unit", "id", "tags"];
    let schema = json!({"type": "object", "required": required, "properties": {
        "query": {"type": "string", "examples": ["graph neural networks"], "description": "Words."},
        "limit": {"type": "integer", "default": "ten", "examples": [5]},
        "unit": {"enum": ["metric", "us"]},
        "id": {"type": "string"},
        "tags": {"type": "array", "minItems": 1},
        "hidden\u{202E}": {"type": "string"},
    }});
    let arguments = arguments_of_schema(&schema);
    let example = |argument: &Argument| (argument.name.clone(), argument.example.clone());
    let examples: Vec<(String, Option<Value>)> = arguments.iter().map(example).collect();
    let expected =
        [("query", json!("graph neural networks")), ("limit", json!(5)), ("unit", json!("metric"))];
    let expected = expected.map(|(name, value)| (name.to_owned(), Some(value)));
    let unknown = ["id", "tags"].map(|name| (name.to_owned(), None));
    assert_eq!(examples, [&expected[..], &unknown[..]].concat());
    assert_eq!(from_schema(&arguments), None, "nothing is known about `id`");
    assert_eq!(
        Value::Object(worked(&arguments)),
        json!({"id": "<id>", "limit": 5, "query": "graph neural networks", "tags": "<tags>",
            "unit": "metric"})
    );
    assert_eq!(from_schema(&[]), Some(Map::new()));
}
