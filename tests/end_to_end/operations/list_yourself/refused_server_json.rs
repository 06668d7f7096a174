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

fn remote(url: &str) -> Value {
    json!({ "remotes": [{ "type": "streamable-http", "url": url }] })
}

fn package(changes: &Value) -> Value {
    let mut package = json!({ "registryType": "npm", "identifier": "@example/adder", "version": "1.0.0",
        "transport": { "type": "stdio" } });
    package.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    json!({ "packages": [package] })
}

async fn refused_bodies<const N: usize>(bodies: [(String, Value); N]) -> String {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    refusals(&registry, bodies).await
}

#[tokio::test]
async fn valid_description_is_accepted() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    assert_eq!(registry.publish(&valid_description()).await["status"], "queued");
}

#[tokio::test]
async fn name_is_a_reverse_domain_a_slash_and_a_name() {
    let refused = refused_bodies([
        with_changes(&json!({ "name": null })),
        with_changes(&json!({ "name": "adder" })),
        with_changes(&json!({ "name": "org.example/a/b" })),
        with_changes(&json!({ "name": "-org/adder" })),
        with_changes(&json!({ "name": 7 })),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_server_description `name`: The server description violates 1 rule(s). name: `name` is missing.
      `{"name":null}`
    422 invalid_server_description `name`: The server description violates 1 rule(s). name: Write a reversed domain, one slash and a name, such as "io.github.user/weather". Each part needs at least two letters or digits, and can have dots and hyphens between them. The problem here: it has no slash.
      `{"name":"adder"}`
    422 invalid_server_description `name`: The server description violates 1 rule(s). name: Write a reversed domain, one slash and a name, such as "io.github.user/weather". Each part needs at least two letters or digits, and can have dots and hyphens between them. The problem here: it has more than one slash.
      `{"name":"org.example/a/b"}`
    422 invalid_server_description `name`: The server description violates 1 rule(s). name: Write a reversed domain, one slash and a name, such as "io.github.user/weather". Each part needs at least two letters or digits, and can have dots and hyphens between them. The problem here: the namespace "-org" is not allowed.
      `{"name":"-org/adder"}`
    422 invalid_server_description `name`: The server description violates 1 rule(s). name: It must be a string.
      `{"name":7}`
    "#);
}

#[tokio::test]
async fn description_version_and_title_follow_their_rules() {
    let refused = refused_bodies([
        with_changes(&json!({ "description": null })),
        with_changes(&json!({ "version": null })),
        with_changes(&json!({ "description": "x".repeat(101) })),
        with_changes(&json!({ "description": "" })),
        with_changes(&json!({ "version": "latest" })),
        with_changes(&json!({ "version": "^1.2.3" })),
        with_changes(&json!({ "title": "  " })),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_server_description `description`: The server description violates 1 rule(s). description: `description` is missing.
      `{"description":null}`
    422 invalid_server_description `version`: The server description violates 1 rule(s). version: `version` is missing.
      `{"version":null}`
    422 invalid_server_description `description`: The server description violates 1 rule(s). description: It has 101 characters, but at most 100 are allowed.
      `{"description":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
    422 invalid_server_description `description`: The server description violates 1 rule(s). description: It is empty. Write a value, or leave the field out if it is optional.
      `{"description":""}`
    422 invalid_server_description `version`: The server description violates 1 rule(s). version: "latest" is reserved: write one version, such as "1.0.2".
      `{"version":"latest"}`
    422 invalid_server_description `version`: The server description violates 1 rule(s). version: "^1.2.3" is a range of versions: write one, such as "1.0.2".
      `{"version":"^1.2.3"}`
    422 invalid_server_description `title`: The server description violates 1 rule(s). title: Write a title that is not empty, or leave the title out.
      `{"title":"  "}`
    "#);
}

#[tokio::test]
async fn website_repository_and_icons_require_full_urls() {
    let refused = refused_bodies([with_changes(&json!({ "websiteUrl": "/docs" })), with_changes(&json!({ "websiteUrl": "http://adder.example.org" })), with_changes(&json!({ "repository": { "source": "github", "url": "https://example.org/a/b" } })), with_changes(&json!({ "repository": { "source": "github", "url": "https://github.com/a/b", "subfolder": "../c" } })), with_changes(&json!({ "icons": [{ "src": "http://adder.example.org/icon.png" }] }))]).await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_server_description `websiteUrl`: The server description violates 1 rule(s). websiteUrl: "/docs" must be an absolute URL that begins with https://.
      `{"websiteUrl":"/docs"}`
    422 invalid_server_description `websiteUrl`: The server description violates 1 rule(s). websiteUrl: "http://adder.example.org" must begin with https://.
      `{"websiteUrl":"http://adder.example.org"}`
    422 invalid_server_description `repository.url`: The server description violates 1 rule(s). repository.url: Use a repository at GitHub (source "github", https://github.com/owner/repository) or GitLab (source "gitlab"). In this document, source is "github" and url is "https://example.org/a/b".
      `{"repository":{"source":"github","url":"https://example.org/a/b"}}`
    422 invalid_server_description `repository.subfolder`: The server description violates 1 rule(s). repository.subfolder: "../c" is not a plain path in the repository. Write a path such as src/server, without the segments `.` and `..`.
      `{"repository":{"source":"github","url":"https://github.com/a/b","subfolder":"../c"}}`
    422 invalid_server_description `icons[0].src`: The server description violates 1 rule(s). icons[0].src: "http://adder.example.org/icon.png" must begin with https://.
      `{"icons":[{"src":"http://adder.example.org/icon.png"}]}`
    "#);
}

#[tokio::test]
async fn remotes_require_public_https_urls_and_a_known_transport() {
    let refused = refused_bodies([
        with_changes(&json!({ "remotes": "https://adder.example.org/mcp" })),
        with_changes(&json!({ "remotes": [{ "type": "websocket", "url": "wss://adder.example.org/" }] })),
        with_changes(&json!({ "remotes": [{ "type": "streamable-http" }] })),
        with_changes(&remote("http://adder.example.org/mcp")),
        with_changes(&remote("https://localhost/mcp")),
        with_changes(&remote("https://127.0.0.1/mcp")),
        with_changes(&remote("https://{tenant}.example.org/mcp")),
        with_changes(&remote("not a url")),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_server_description `remotes`: The server description violates 1 rule(s). remotes: It must be an array.
      `{"remotes":"https://adder.example.org/mcp"}`
    422 invalid_server_description `remotes[0].type`: The server description violates 1 rule(s). remotes[0].type: "websocket" is not allowed as the transport of a remote server. Use streamable-http or sse.
      `{"remotes":[{"type":"websocket","url":"wss://adder.example.org/"}]}`
    422 invalid_server_description `remotes[0].url`: The server description violates 1 rule(s). remotes[0].url: Add the URL of the server, such as https://example.com/mcp.
      `{"remotes":[{"type":"streamable-http"}]}`
    422 invalid_server_description `remotes[0].url`: The server description violates 1 rule(s). remotes[0].url: "http://adder.example.org/mcp" must begin with https://.
      `{"remotes":[{"type":"streamable-http","url":"http://adder.example.org/mcp"}]}`
    422 invalid_server_description `remotes[0].url`: The server description violates 1 rule(s). remotes[0].url: "https://localhost/mcp" is an address on the machine of the client: write the public URL.
      `{"remotes":[{"type":"streamable-http","url":"https://localhost/mcp"}]}`
    422 invalid_server_description `remotes[0].url`: The server description violates 1 rule(s). remotes[0].url: "https://127.0.0.1/mcp" is an address on the machine of the client: write the public URL.
      `{"remotes":[{"type":"streamable-http","url":"https://127.0.0.1/mcp"}]}`
    422 invalid_server_description `remotes[0].url`: The server description violates 1 rule(s). remotes[0].url: The URL uses these variables: tenant. Declare them in `variables` of this entry.
      `{"remotes":[{"type":"streamable-http","url":"https://{tenant}.example.org/mcp"}]}`
    422 invalid_server_description `remotes[0].url`: The server description violates 1 rule(s). remotes[0].url: "not a url" is not a URL that begins with https://.
      `{"remotes":[{"type":"streamable-http","url":"not a url"}]}`
    "#);
}

#[tokio::test]
async fn packages_require_one_version_a_registry_and_a_transport() {
    let refused = refused_bodies([
        with_changes(&package(&json!({ "version": "latest" }))),
        with_changes(&package(&json!({ "registryType": null }))),
        with_changes(&package(
            &json!({ "registryType": "mcpb", "identifier": "https://example.org/a.mcpb" }),
        )),
        with_changes(&package(&json!({ "transport": { "type": "streamable-http" } }))),
    ])
    .await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_server_description `packages[0].version`: The server description violates 1 rule(s). packages[0].version: "latest" is reserved: write one version, such as "1.0.2".
      `{"packages":[{"registryType":"npm","identifier":"@example/adder","version":"latest","transport":{"ty`
    422 invalid_server_description `packages[0].registryType`: The server description violates 1 rule(s). packages[0].registryType: It must be a string.
      `{"packages":[{"registryType":null,"identifier":"@example/adder","version":"1.0.0","transport":{"type`
    422 invalid_server_description `packages[0].fileSha256`: The server description violates 1 rule(s). packages[0].fileSha256: A package of type mcpb needs the SHA-256 of its file, so that clients can verify the download.
      `{"packages":[{"registryType":"mcpb","identifier":"https://example.org/a.mcpb","version":"1.0.0","tra`
    422 invalid_server_description `packages[0].transport.url`: The server description violates 1 rule(s). packages[0].transport.url: Add the URL at which the package listens, such as http://localhost:8080/mcp.
      `{"packages":[{"registryType":"npm","identifier":"@example/adder","version":"1.0.0","transport":{"typ`
    "#);
}

#[tokio::test]
async fn publisher_metadata_has_at_most_4096_bytes() {
    let refused = refused_bodies([with_changes(&json!({ "_meta": { "io.modelcontextprotocol.registry/publisher-provided": { "x": "y".repeat(5000) } } }))]).await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_server_description `_meta.io.modelcontextprotocol.registry/publisher-provided`: The server description violates 1 rule(s). _meta.io.modelcontextprotocol.registry/publisher-provided: An extension of a publisher can have at most 4096 bytes. This extension has 5008 bytes. Shorten it.
      `{"_meta":{"io.modelcontextprotocol.registry/publisher-provided":{"x":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy`
    "#);
}

#[tokio::test]
async fn older_schema_is_refused_with_the_new_field_names() {
    let refused = refused_bodies([with_changes(&json!({ "packages": [{ "registry_name": "npm", "name": "adder", "version": "1.0.0" }], "remotes": null }))]).await;
    insta::assert_snapshot!(refused, @r#"
    422 invalid_server_description `packages[0].registry_name`: The server description violates 3 rule(s). packages[0].registry_name: `registry_name` was renamed to `registryType` (this document follows a draft before the schema of 2025-07-09). Rename it everywhere in the document. packages[0].name: `name` was renamed to `identifier` (this document follows a draft before the schema of 2025-07-09). Rename it everywhere in the document. packages[0].transport: `transport` is missing.
      `{"packages":[{"registry_name":"npm","name":"adder","version":"1.0.0"}],"remotes":null}`
    "#);
}
