//! Tests with valid server descriptions, and with one invalid description for each rule.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

/// A description with everything in it.
fn whole() -> Value {
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "com.example/weather", "title": "Weather", "description": "Forecasts for any city.",
        "version": "1.2.0", "websiteUrl": "https://example.com/weather",
        "repository": {"url": "https://github.com/example/weather", "source": "github", "subfolder": "src/server"},
        "icons": [{"src": "https://example.com/icon.png", "sizes": ["48x48"]}],
        "packages": [{
            "registryType": "npm", "identifier": "@example/weather-mcp", "version": "1.2.0", "runtimeHint": "npx",
            "packageArguments": [{"type": "named", "name": "--port", "valueHint": "port", "value": "80"},
                {"type": "positional", "value": "serve"}],
            "environmentVariables": [{"name": "HOST", "isRequired": true}],
            "transport": {"type": "streamable-http", "url": "http://{HOST}:{port}/mcp"}
        }, {"registryType": "oci", "identifier": "ghcr.io/example/weather:1.2.0", "transport": {"type": "stdio"}}],
        "remotes": [
            {"type": "streamable-http", "url": "https://mcp.example.com/mcp"},
            {"type": "sse", "url": "https://{tenant}.example.com/sse", "variables": {"tenant": {"default": "main"}},
             "headers": [
                {"name": "Authorization", "isRequired": true, "isSecret": true, "value": "Bearer {key}"},
                {"name": "X-Key", "isRequired": true},
                {"name": "X-Known", "isRequired": true, "value": "{v}", "variables": {"v": {"value": "1"}}},
                {"name": "X-Default", "isRequired": true, "default": "1"},
                {"name": "X-Optional"}]}],
        "_meta": {"io.modelcontextprotocol.registry/publisher-provided": {"tool": "x"}}
    })
}

/// The violations of a description in which one value was replaced, as `path: rule`.
fn broken(pointer: &str, value: Value) -> Vec<String> {
    let mut document = whole();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap() {
        Value::Object(members) => members.insert(name.to_owned(), value).map_or((), drop),
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        other => panic!("{other}"),
    }
    let violations = parse_server_json(&document, Reach::Public).expect_err("a rule is broken");
    assert!(violations.iter().all(|violation| violation.message.ends_with(['.', '$'])), "{violations:?}");
    violations.iter().map(|violation| format!("{}: {}", violation.path, violation.rule)).collect()
}

fn messages(document: &Value) -> Vec<String> {
    let violations = parse_server_json(document, Reach::Public).expect_err("a rule is broken");
    violations.into_iter().map(|violation| format!("{}: {}", violation.path, violation.message)).collect()
}

#[test]
fn a_complete_description_is_accepted() {
    let read = parse_server_json(&whole(), Reach::Public).unwrap();
    assert_eq!((read.name.as_str(), read.version.as_str()), ("com.example/weather", "1.2.0"));
    assert_eq!(read.title.as_deref(), Some("Weather"));
    assert_eq!(read.website_url.as_deref(), Some("https://example.com/weather"));
    assert_eq!(read.repository_url.as_deref(), Some("https://github.com/example/weather"));
    assert_eq!(read.packages, 2);
    let [plain, templated] = &read.remotes[..] else { panic!("{:?}", read.remotes) };
    assert_eq!((plain.transport, plain.templated), (Transport::StreamableHttp, false));
    assert_eq!(plain.secret_headers, Vec::<String>::new());
    assert_eq!((templated.transport, templated.templated), (Transport::Sse, false), "{}", templated.url);
    assert_eq!(templated.secret_headers, ["Authorization", "X-Key"]);
}

#[test]
fn title_can_be_the_own_server_name() {
    let mut document = whole();
    document["title"] = json!("com.example/weather");
    assert_eq!(
        parse_server_json(&document, Reach::Public).unwrap().title.as_deref(),
        Some("com.example/weather")
    );
}

#[test]
fn wrapper_of_the_registry_api_is_removed() {
    let wrapped = json!({"server": whole(), "_meta": {"io.modelcontextprotocol.registry/official": {"status": "active"}}});
    assert_eq!(parse_server_json(&wrapped, Reach::Public), parse_server_json(&whole(), Reach::Public));
    assert!(looks_like(wrapped.as_object().unwrap()));
}

#[test]
fn each_broken_rule_is_reported_with_its_code() {
    // A row without a path expects the path of its pointer.
    let path_of = |pointer: &str| -> String {
        let steps = pointer.split('/').skip(1).map(|step| match step.parse::<usize>() {
            Ok(index) => format!("[{index}]"),
            Err(_) => format!(".{step}"),
        });
        steps.collect::<String>().trim_start_matches('.').to_owned()
    };
    let long = |start: &str| json!(format!("{start}{}", "x".repeat(2048)));
    let table = [
        ("/name", json!("weather"), "invalid-server-name"),
        ("/name", json!("com.example-/weather"), "invalid-server-name"),
        ("/version", json!("latest"), "reserved-version-string"),
        ("/version", json!("^1.2"), "version-looks-like-range"),
        ("/version", json!(1), "schema"),
        ("/description", json!("x".repeat(101)), "schema"),
        ("/title", json!("  "), "title-whitespace-only"),
        ("/title", json!("com.stripe/payments"), "name_of_another"),
        ("/websiteUrl", json!("docs/"), "website-url-must-be-absolute"),
        ("/websiteUrl", json!("https:/example.com/docs"), "website-url-must-be-absolute"),
        ("/websiteUrl", json!("http://example.com"), "website-url-invalid-scheme"),
        ("/websiteUrl", json!("https://"), "invalid-website-url"),
        ("/websiteUrl", long("https://example.com/"), "url_too_long"),
        ("/repository/source", json!("bitbucket"), "repository.url: invalid-repository-url"),
        ("/repository/url", json!("https://github.com/example"), "invalid-repository-url"),
        ("/repository/url", long("https://github.com/example/"), "url_too_long"),
        ("/repository/subfolder", json!("../x"), "invalid-subfolder-path"),
        ("/repository/subfolder", long("src/"), "url_too_long"),
        ("/icons/0/src", json!("data:image/png;base64,AA"), "icon-src-invalid-scheme"),
        ("/icons/0/src", json!("icon.png"), "icon-src-not-absolute"),
        ("/icons/0/src", json!("https:/icon.png"), "icon-src-not-absolute"),
        ("/icons/0/src", json!("https://["), "icon-src-invalid-url"),
        ("/icons/0/theme", json!("blue"), "schema"),
        ("/packages/0/identifier", json!("a b"), "package-name-has-spaces"),
        ("/packages/0/registryType", json!("ftp"), "unsupported-registry-type"),
        ("/packages/0/registryType", json!("mcpb"), "packages[0].fileSha256: mcpb-file-sha256-required"),
        ("/packages/0/version", json!("latest"), "reserved-version-string"),
        ("/packages/0/version", json!("1.x"), "version-looks-like-range"),
        ("/packages/0/packageArguments/0/name", json!(""), "named-argument-name-required"),
        ("/packages/0/packageArguments/0/name", json!("--port <n>"), "invalid-named-argument-name"),
        ("/packages/0/packageArguments/0/value", json!("--port 80"), "argument-value-starts-with-name"),
        ("/packages/0/packageArguments/0/default", json!("--port=80"), "argument-default-starts-with-name"),
        ("/packages/0/transport/url", json!("http://{other}/"), "invalid-templated-url"),
        ("/packages/0/transport/url", json!(""), "streamable-transport-url-required"),
        ("/packages/0/transport/type", json!("carrier"), "unsupported-transport-type"),
        ("/packages/1/transport/url", json!("http://localhost"), "stdio-transport-url-not-empty"),
        ("/packages/1/transport", json!({}), "packages[1].transport.type: schema"),
        ("/remotes/0/type", json!("stdio"), "unsupported-remote-transport-type"),
        ("/remotes/0/url", json!("http://mcp.example.com"), "invalid-remote-url"),
        ("/remotes/0/url", json!("https://localhost/mcp"), "invalid-remote-url"),
        ("/remotes/0/url", json!("mcp.example.com"), "invalid-remote-url"),
        ("/remotes/0/url", json!(""), "remote-transport-url-required"),
        ("/remotes/0/url", long("https://example.com/"), "url_too_long"),
        ("/remotes/1/variables", json!({}), "remotes[1].url: invalid-templated-url"),
    ];
    for (pointer, value, expected) in table {
        let is_whole = expected.contains(": ");
        let expected =
            if is_whole { expected.to_owned() } else { format!("{}: {expected}", path_of(pointer)) };
        assert_eq!(broken(pointer, value.clone()), [expected], "{pointer} = {value}");
    }
    let mut large = whole();
    large["_meta"]["io.modelcontextprotocol.registry/publisher-provided"] = json!("x".repeat(4095));
    let found = parse_server_json(&large, Reach::Public).expect_err("too large");
    assert!(found.iter().any(|violation| violation.rule == "publisher-extension-too-large"), "{found:?}");
}

#[test]
fn all_violations_are_reported_at_once() {
    let document = json!({"name": "x", "version": ">=1", "remotes": [{"url": "https://a.example"}, {"type": "http", "url": "x"}],
        "packages": [{"transport": {"type": "stdio"}, "packageArguments": [{"type": "positional"}, {"type": "flag"}, {}]}]});
    insta::assert_snapshot!(messages(&document).join("\n"), @r#"
    name: Write a reversed domain, one slash and a name, such as "io.github.user/weather". Each part needs at least two letters or digits, and can have dots and hyphens between them. The problem here: it has no slash.
    version: ">=1" is a range of versions: write one, such as "1.0.2".
    remotes[1].type: "http" is not allowed as the transport of a remote server. Use streamable-http or sse.
    description: `description` is missing.
    packages[0].registryType: `registryType` is missing.
    packages[0].identifier: `identifier` is missing.
    packages[0].packageArguments[0]: `valueHint` or `value` is missing.
    packages[0].packageArguments[1].type: The type "flag" is unknown. Allowed types: positional, named.
    packages[0].packageArguments[2].type: `type` is missing.
    packages[0].packageArguments[2]: `valueHint` or `value` is missing.
    remotes[0].type: `type` is missing.
    "#);
}

#[test]
fn an_empty_repository_counts_as_absent() {
    let mut document = whole();
    document["repository"] = json!({"url": "", "source": ""});
    assert_eq!(parse_server_json(&document, Reach::Public).unwrap().repository_url, None);
}

#[test]
fn old_field_names_are_reported_with_the_new_names() {
    let draft = json!({
        "id": "1", "name": "io.github.example/weather", "description": "Forecasts.",
        "repository": {"url": "https://github.com/example/weather", "source": "github"},
        "version_detail": {"version": "0.0.1", "is_latest": true},
        "packages": [{"registry_name": "npm", "name": "weather", "version": "1.0.0",
            "package_arguments": [{"is_required": true, "value": "x", "value_hint": "y", "type": "positional"}]}],
        "remotes": [{"transport_type": "sse", "url": "https://mcp.example.com/sse"}]
    });
    insta::assert_snapshot!(messages(&draft).join("\n"), @"
    version_detail: `version_detail.version` was renamed to `version` (this document follows a draft before the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].registry_name: `registry_name` was renamed to `registryType` (this document follows a draft before the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].name: `name` was renamed to `identifier` (this document follows a draft before the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].package_arguments: `package_arguments` was renamed to `packageArguments` (this document follows the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].package_arguments[0].is_required: `is_required` was renamed to `isRequired` (this document follows the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].package_arguments[0].value_hint: `value_hint` was renamed to `valueHint` (this document follows the schema of 2025-07-09). Rename it everywhere in the document.
    remotes[0].transport_type: `transport_type` was renamed to `type` (this document follows a draft before the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].transport: `transport` is missing.
    ");
    let july = json!({
        "name": "io.github.example/weather", "description": "Forecasts.", "version": "1.0.0",
        "website_url": "https://example.com",
        "packages": [{"registry_type": "npm", "identifier": "weather", "transport": {"type": "stdio"},
            "environment_variables": [{"name": "KEY", "is_secret": true}]}]
    });
    insta::assert_snapshot!(messages(&july).join("\n"), @"
    website_url: `website_url` was renamed to `websiteUrl` (this document follows the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].registry_type: `registry_type` was renamed to `registryType` (this document follows the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].environment_variables: `environment_variables` was renamed to `environmentVariables` (this document follows the schema of 2025-07-09). Rename it everywhere in the document.
    packages[0].environment_variables[0].is_secret: `is_secret` was renamed to `isSecret` (this document follows the schema of 2025-07-09). Rename it everywhere in the document.
    ");
}

#[test]
fn descriptions_are_recognized_by_their_members() {
    let yes = [
        whole(),
        json!({"name": "a/b", "packages": []}),
        json!({"remotes": []}),
        json!({"$schema": "x"}),
        json!({"name": "a/b", "version_detail": {}}),
        json!({"name": "a/b", "description": "d", "version": "1"}),
    ];
    for document in yes {
        assert!(looks_like(document.as_object().unwrap()), "{document}");
    }
    let no = [
        json!({}),
        json!({"name": "a"}),
        json!({"url": "https://a.example/card.json", "name": "a", "packages": []}),
        json!({"agent_card_url": "https://a.example/card.json"}),
        json!({"mcp_url": "https://a.example/mcp", "remotes": []}),
        json!({"name": "a", "description": "d", "version": "1", "supportedInterfaces": []}),
        json!({"server": "https://a.example"}),
    ];
    for document in no {
        assert!(!looks_like(document.as_object().unwrap()), "{document}");
    }
}

#[test]
fn json_that_is_not_a_description_is_refused() {
    for document in [json!(null), json!([]), json!("x"), json!({"server": []})] {
        assert!(
            !parse_server_json(&document, Reach::Public).expect_err("no description").is_empty(),
            "{document}"
        );
    }
}

#[test]
fn largest_description_is_parsed_quickly() {
    let many: Vec<Value> =
        (0..200).map(|n| json!({"url": n, "name": "a", "transport": {"type": "x"}})).collect();
    let nonsense = "{a}<b>1.x || ".repeat(400);
    let document = json!({"name": nonsense, "description": nonsense, "version": nonsense, "websiteUrl": nonsense,
        "packages": many, "remotes": many, "icons": many});
    let began = Instant::now();
    let violations = parse_server_json(&document, Reach::Public).expect_err("nonsense");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(violations.len() > 10, "{violations:?}");
    let length: usize =
        violations.iter().map(|violation| violation.message.len() + violation.path.len()).sum();
    assert!(length < 20_000, "{length}");
}

#[test]
fn a_document_with_too_many_values_or_levels_is_refused() {
    let mut document = whole();
    document["_meta"]["com.example/data"] = json!(vec![0; 2 * MAX_VALUES]);
    assert!(parse_server_json(&document, Reach::Public).is_ok(), "publishers may add what they like");
    let began = Instant::now();
    let extension = "io.modelcontextprotocol.registry/publisher-provided";
    let levels = |count| (0..count).fold(json!(1), |inner, _| json!([inner]));
    for (pointer, value, is_fine) in [
        ("/packages", Value::Array(vec![json!({}); 100_000]), false),
        ("/_meta", json!({ extension: { "a".repeat(1000): vec![0; 75_000] } }), false),
        // The document, `_meta` and the extension are three levels.
        ("/_meta", json!({ extension: { "a": levels(MAX_DEPTH - 4) } }), true),
        ("/_meta", json!({ extension: { "a": levels(MAX_DEPTH - 3) } }), false),
        ("/_meta", json!({ extension: { "a": levels(120) } }), false),
    ] {
        let mut changed = document.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let rules = parse_server_json(&changed, Reach::Public).map_or_else(|all| all, |_| Vec::new());
        let rules: Vec<_> = rules.iter().map(|violation| violation.rule).collect();
        assert_eq!(rules.as_slice(), if is_fine { &[][..] } else { &["too-large"] }, "{pointer}");
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
