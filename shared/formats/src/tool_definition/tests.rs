use serde_json::json;

use super::*;

#[test]
fn address_ignores_the_order_of_members_meta_and_null_but_nothing_else() {
    let hash = |mut tool: Value| sha256_hex(canonical(&mut tool).unwrap());
    let tool =
        json!({"name": "add", "description": "Adds.", "inputSchema": {"type": "object", "required": []}});
    let again = json!({"inputSchema": {"required": [], "type": "object"}, "description": "Adds.", "name": "add",
        "_meta": {"served": 7}, "title": null});
    assert_eq!(hash(tool.clone()), hash(again));
    for (member, value) in [
        ("title", json!("Add")),
        ("description", json!("Adds!")),
        ("inputSchema", json!({"type": "object", "properties": {"secret": {}}})),
        ("outputSchema", json!({})),
        ("annotations", json!({"readOnlyHint": true})),
        ("execution", json!({"taskSupport": "required"})),
    ] {
        let mut changed = tool.clone();
        changed[member] = value;
        assert_ne!(hash(changed), hash(tool.clone()), "{member}");
    }
    assert_eq!(
        canonical(&mut json!({"b": 1.0, "a": "é\u{1}", "_meta": 1})).unwrap(),
        "{\"a\":\"é\\u0001\",\"b\":1}",
        "RFC 8785"
    );
}

#[test]
fn address_of_a_set_does_not_depend_on_the_order_of_tools() {
    let (a, b) = ("aa".repeat(32), "bb".repeat(32));
    assert_eq!(set_document([b.as_str(), a.as_str()].into_iter()), format!("[\"{a}\",\"{b}\"]"));
    assert_eq!(set_hash([a.as_str(), &b].into_iter()), set_hash([b.as_str(), &a].into_iter()));
    assert_ne!(set_hash([a.as_str()].into_iter()), set_hash([a.as_str(), &a].into_iter()));
    // sha256sum of the two bytes `[]`.
    assert_eq!(
        set_hash(std::iter::empty()),
        "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    );
}

#[test]
fn view_contains_parameters_with_type_requirement_and_description() {
    let tool = json!({
        "name": "query", "title": "Query", "description": " Runs SQL. ",
        "annotations": {"readOnlyHint": false, "destructiveHint": true, "openWorldHint": "yes"},
        "inputSchema": {"type": "object", "required": ["sql"], "properties": {
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "Rows."},
            "sql": {"type": "string"}, "x".repeat(65): {"type": "string"},
        }},
    });
    let view = ToolView::of(&tool.to_string()).unwrap();
    assert_eq!((view.title.as_deref(), view.description.as_str()), (Some("Query"), "Runs SQL."));
    let parameter = |name: &str, value, required, description: &str| ParameterView {
        name: name.to_owned(),
        value,
        required,
        description: description.to_owned(),
    };
    assert_eq!(
        view.parameters,
        [
            parameter("sql", ParameterType::String, true, ""),
            parameter("limit", ParameterType::Integer, false, "Rows."),
        ]
    );
    let ToolAnnotations { read_only, destructive, idempotent, open_world } = view.annotations;
    assert_eq!((read_only, destructive, idempotent, open_world), (Some(false), Some(true), None, None));
    assert_eq!(ToolView::of("{"), None);
}
