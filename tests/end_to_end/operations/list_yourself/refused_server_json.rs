//! Tests server descriptions that break a rule of the official schema or of the official registry. Each
//! refusal names the rule. The snapshots contain the full text, so that a test fails when a text changes.

use serde_json::{Value, json};
use tests::test_registry::{TestOptions, TestRegistry};

use super::refusals::refusals;

fn valid_description() -> Value {
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "org.example/adder", "description": "Adds what it is given.", "version": "1.0.0",
        "remotes": [{ "type": "streamable-http", "url": "https://adder.example.org/mcp" }],
    })
}

/// The valid description with some members changed, or removed if the change is null.
fn with_changes(changes: &Value) -> (String, Value) {
    let mut document = valid_description();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(document.as_object_mut().unwrap().shift_remove(name)),
            value => document[name] = value.clone(),
        }
    }
    (changes.to_string(), document)
}

#[tokio::test]
async fn valid_description_is_accepted() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    assert_eq!(registry.publish(&valid_description()).await["status"], "queued");
}

/// `registry-formats` tests every rule; these show what a publisher gets.
#[tokio::test]
async fn broken_description_is_refused_with_its_field_and_rule() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let package = json!({ "registryType": "mcpb", "identifier": "https://example.org/a.mcpb", "version": "1.0.0",
        "transport": { "type": "stdio" } });
    let refused = refusals(
        &registry,
        [
            with_changes(&json!({ "name": null })),
            with_changes(&json!({ "name": "adder" })),
            with_changes(&json!({ "description": "x".repeat(101) })),
            with_changes(&json!({ "version": "^1.2.3" })),
            with_changes(&json!({ "websiteUrl": "/docs" })),
            with_changes(&json!({ "remotes": [{ "type": "websocket", "url": "wss://adder.example.org/" }] })),
            with_changes(&json!({ "packages": [package] })),
        ],
    )
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_server_description `name`: The server description violates 1 rule(s). name: `name` is missing.
      `{"name":null}`
    422 invalid_server_description `name`: The server description violates 1 rule(s). name: Write a reversed domain, one slash and a name, such as "io.github.user/weather". Each part needs at least two letters or digits, and can have dots and hyphens between them. The problem here: it has no slash.
      `{"name":"adder"}`
    422 invalid_server_description `description`: The server description violates 1 rule(s). description: It has 101 characters, but at most 100 are allowed.
      `{"description":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
    422 invalid_server_description `version`: The server description violates 1 rule(s). version: "^1.2.3" is a range of versions: write one, such as "1.0.2".
      `{"version":"^1.2.3"}`
    422 invalid_server_description `websiteUrl`: The server description violates 1 rule(s). websiteUrl: "/docs" must be an absolute URL that begins with https://.
      `{"websiteUrl":"/docs"}`
    422 invalid_server_description `remotes[0].type`: The server description violates 1 rule(s). remotes[0].type: "websocket" is not allowed as the transport of a remote server. Use streamable-http or sse.
      `{"remotes":[{"type":"websocket","url":"wss://adder.example.org/"}]}`
    422 invalid_server_description `packages[0].fileSha256`: The server description violates 1 rule(s). packages[0].fileSha256: A package of type mcpb needs the SHA-256 of its file, so that clients can verify the download.
      `{"packages":[{"registryType":"mcpb","identifier":"https://example.org/a.mcpb","version":"1.0.0","tra`
    "#);
}
