use super::*;

#[test]
fn query_parameters_are_only_texts_and_numbers() {
    let schema = json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "Which." },
            "limit": { "type": ["integer", "null"], "minimum": 1 },
            "kind": { "anyOf": [{ "$ref": "#/$defs/Kind" }, { "type": "null" }] },
            "goals": { "anyOf": [{ "type": "null" }, { "type": "string" }, { "type": "array" }] },
            "tools": { "type": "array" },
            "key": { "type": ["object", "null"] },
        },
        "required": ["id"],
        "$defs": { "Kind": { "type": "string", "enum": ["agent"] } },
    });
    let parameters = with_local_types(&schema);
    let names: Vec<&str> = parameters.iter().filter_map(|parameter| parameter["name"].as_str()).collect();
    assert_eq!(names, ["id", "limit", "kind", "goals"]);
    assert_eq!(
        parameters[0],
        json!({ "name": "id", "in": "query", "schema": { "type": "string" }, "description": "Which.", "required": true })
    );
    assert_eq!(parameters[1]["schema"], json!({ "type": "integer", "minimum": 1 }));
    assert_eq!(parameters[2]["schema"], json!({ "$ref": "#/$defs/Kind" }));
    assert_eq!(parameters[3]["schema"], json!({ "type": "string" }));
}

#[test]
fn alternative_arguments_are_members_of_one_parameter() {
    let parameters = with_local_types(&json!({
        "type": "object",
        "properties": {
            "id": { "type": ["string", "null"], "description": "Its id." },
            "name": { "type": ["string", "null"] },
        },
        "oneOf": argument_schema::one_of(&["id", "name"]),
    }));
    let [parameter] = parameters.as_slice() else { panic!("{parameters:?}") };
    assert_eq!((&parameter["style"], &parameter["explode"]), (&json!("form"), &json!(true)));
    assert_eq!(
        parameter["schema"],
        json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "Its id. Alternatives: `name`." },
                "name": { "type": "string" },
            },
            "oneOf": [{ "required": ["id"] }, { "required": ["name"] }],
        })
    );
}

#[test]
fn first_alternative_argument_is_marked_as_required() {
    // An alternative with a condition of its own is described in words.
    let schema = json!({
        "type": "object",
        "properties": { "id": { "type": "string" }, "name": { "type": "string" } },
        "oneOf": [{ "required": ["id"] }, { "required": ["name"] }],
    });
    let parameters = with_local_types(&schema);
    let required: Vec<bool> = parameters.iter().map(|one| one["required"] == true).collect();
    assert_eq!(required, [true, false]);
    assert_eq!(parameters[0]["description"], "Alternatives: `name`.");
    assert!(parameters[1].get("description").is_none());
}
