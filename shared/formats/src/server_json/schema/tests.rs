use proptest::prelude::*;

use super::*;

/// Keywords that decide nothing, or that `validate` reads as part of another.
const INERT: [&str; 12] = [
    "$comment",
    "$id",
    "$ref",
    "$schema",
    "const",
    "default",
    "definitions",
    "description",
    "example",
    "examples",
    "format",
    "title",
];

fn unknown_keywords(schema: &Value, is_map_of_schemas: bool, found: &mut Vec<String>) {
    let Value::Object(members) = schema else { return };
    for (name, member) in members {
        if !is_map_of_schemas && !KEYWORDS.contains(&name.as_str()) && !INERT.contains(&name.as_str()) {
            found.push(name.clone());
        }
        match member {
            _ if ["example", "examples", "default", "enum", "const"].contains(&name.as_str()) => {}
            Value::Array(items) => items.iter().for_each(|item| unknown_keywords(item, false, found)),
            _ => {
                let is_map = !is_map_of_schemas && ["properties", "definitions"].contains(&name.as_str());
                unknown_keywords(member, is_map, found);
            }
        }
    }
}

#[test]
fn every_keyword_of_the_schema_is_implemented() {
    let mut found = Vec::new();
    unknown_keywords(&SCHEMA, false, &mut found);
    assert_eq!(found, [""; 0]);
    assert_eq!(PATTERNS.len(), 4, "every pattern compiles");
}

fn faults(document: &Value) -> Vec<Fault<'_>> {
    let mut faults = Vec::new();
    validate(&SCHEMA, document, "", &mut faults);
    faults
}

fn full() -> Value {
    serde_json::json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "com.example/weather", "description": "Weather.", "version": "1.0.0", "title": "Weather",
        "websiteUrl": "https://example.com", "repository": {"url": "https://github.com/a/b", "source": "github"},
        "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "dark"}],
        "packages": [{
            "registryType": "npm", "identifier": "weather", "version": "1.0.0",
            "fileSha256": "a".repeat(64), "transport": {"type": "stdio"},
            "runtimeArguments": [{"type": "named", "name": "--port", "default": "1", "isRepeated": false}],
            "packageArguments": [{"type": "positional", "valueHint": "city", "variables": {"x": {"format": "string"}}}],
            "environmentVariables": [{"name": "KEY", "isSecret": true, "choices": ["a"]}]
        }],
        "remotes": [{
            "type": "streamable-http", "url": "https://example.com/mcp", "variables": {"v": {"isRequired": true}},
            "headers": [{"name": "X", "value": "{v}"}]
        }, {"type": "sse", "url": "https://example.com/sse"}],
        "_meta": {"io.modelcontextprotocol.registry/publisher-provided": {"a": 1}}
    })
}

/// The pointers of all values in a document.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            places(member, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn schema_check_gives_the_same_result_as_a_general_validator(
        changes in proptest::collection::vec((0_usize..200, 0_usize..14, "[a-z0-9x/:. \\n]{0,12}"), 0..4),
    ) {
        static OFFICIAL: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
            jsonschema::draft7::options().should_validate_formats(false).build(&SCHEMA).unwrap()
        });
        let mut document = full();
        for (place, change, word) in changes {
            let mut all = Vec::new();
            places(&document, "", &mut all);
            let at = &all[place % all.len()];
            *document.pointer_mut(at).unwrap() = match change {
                0 => Value::Null,
                1 => Value::Bool(true),
                2 => serde_json::json!({}),
                3 => serde_json::json!([]),
                4 => serde_json::json!("latest"),
                5 => serde_json::json!("sse"),
                6 => serde_json::json!("stdio"),
                7 => serde_json::json!("named"),
                8 => serde_json::json!("x".repeat(260)),
                9 => serde_json::json!(7),
                10 => serde_json::json!({"type": word}),
                11 => serde_json::json!([word]),
                _ => serde_json::json!(word),
            };
            if change == 12
                && let Some((parent, name)) = at.rsplit_once('/')
                && let Some(Value::Object(members)) = document.pointer_mut(parent)
            {
                members.remove(name);
            }
        }
        let ours = faults(&document);
        let theirs: Vec<String> = OFFICIAL.iter_errors(&document).map(|error| error.to_string()).collect();
        prop_assert_eq!(ours.is_empty(), theirs.is_empty(), "{:?} {:?} {}", ours, theirs, document);
        prop_assert_eq!(ours.len(), theirs.len(), "{:?} {:?} {}", ours, theirs, document);
    }
}

#[test]
fn full_description_is_valid() {
    assert!(faults(&full()).is_empty());
}
