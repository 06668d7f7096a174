//! Tests the fields in the results of a server against the schemas of the published revisions. For each rule
//! there is one broken result and the expected outcome of the probe. If official clients accept the broken
//! field, the probe must accept it, too.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{discovered, initialized, legacy, modern_only, probed};
use crate::handshake::tests::peer::{Received, Reply, codes};
use registry_model::Handshake;

/// A result in which the value at a JSON pointer is replaced, or removed if the new value is null.
fn but(mut result: Value, pointer: &str, value: &Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match result.pointer_mut(parent).unwrap() {
        Value::Object(members) if value.is_null() => drop(members.remove(name)),
        Value::Object(members) => drop(members.insert(name.to_owned(), value.clone())),
        other => panic!("{other}"),
    }
    result
}

fn listed() -> Value {
    let tool =
        json!({"name": "add", "title": "Add", "description": "Adds.", "inputSchema": {"type": "object"}});
    json!({"tools": [tool], "resultType": "complete", "ttlMs": 0, "cacheScope": "public"})
}

fn listed_tool(member: &str, value: &Value) -> Value {
    let mut result = listed();
    let tool = but(result["tools"][0].take(), &format!("/{member}"), value);
    result["tools"] = json!([tool]);
    result
}

/// The outcome for a server that answers one method with this result, and every other method correctly.
async fn outcome(
    sound: fn(&Received) -> Reply,
    method: &'static str,
    result: Value,
) -> (Handshake, Vec<String>, Option<String>) {
    let result = Arc::new(result);
    let (_, verdict) = probed(move |asked: &Received| match asked.method() {
        Some(asked_for) if asked_for == method => asked.result(&result),
        _ => sound(asked),
    })
    .await;
    let codes = codes(&verdict).into_iter().map(str::to_owned).collect();
    (verdict.handshake, codes, verdict.facts.website)
}

const SHAPE: &str = "nonconforming:result_shape";
const TOOL: &str = "nonconforming:tool_shape";
const NAMES: &str = "nonconforming:tool_names";
const HEADER: &str = "tool_header";
/// What clients take: optional, or read leniently by both official clients.
const TAKEN: &str = "";

/// What the probe returns for a code: some rules only warn, and what is no answer in MCP fails.
fn expected(code: &str) -> (Handshake, Vec<String>) {
    let handshake = match code {
        TAKEN | NAMES | HEADER => Handshake::Ok,
        "not_mcp" => Handshake::Fail,
        _ => Handshake::Partial,
    };
    (handshake, Some(code).filter(|code| *code != TAKEN).map(str::to_owned).into_iter().collect())
}

#[tokio::test]
async fn each_broken_field_of_initialize_is_reported() {
    // `InitializeResult`, `ServerCapabilities` and `Implementation` of 2024-11-05 to 2025-11-25.
    let table = [
        ("/capabilities", json!(null), SHAPE),
        ("/capabilities", json!([]), SHAPE),
        ("/capabilities/tools", json!(true), SHAPE),
        ("/capabilities/vendor", json!(true), TAKEN),
        ("/serverInfo", json!(null), SHAPE),
        ("/serverInfo", json!("adder"), SHAPE),
        ("/serverInfo/name", json!(null), SHAPE),
        ("/serverInfo/version", json!(null), SHAPE),
        ("/serverInfo/version", json!(1), SHAPE),
        ("/serverInfo/title", json!(7), SHAPE),
        ("/serverInfo/description", json!({}), SHAPE),
        ("/serverInfo/websiteUrl", json!([]), SHAPE),
        ("/instructions", json!(["a"]), SHAPE),
        ("/instructions", json!("Call add."), TAKEN),
        // A date that no revision has; an official client ends the conversation.
        ("/protocolVersion", json!("1999-01-01"), "nonconforming:revision"),
        // Old servers answer their own, whatever is asked.
        ("/protocolVersion", json!("2025-03-26"), TAKEN),
        // Any other text, or none, is no answer in MCP.
        ("/protocolVersion", json!("1.0"), "not_mcp"),
        ("/protocolVersion", json!(null), "not_mcp"),
        ("/vendor", json!(7), TAKEN),
    ];
    for (pointer, value, code) in table {
        let lenient: fn(&Received) -> Reply = |asked| match asked.method() {
            // The revision varies here, and with it the header.
            Some("tools/list") => asked.result(&listed()),
            _ => legacy(asked),
        };
        let (handshake, codes, _) = outcome(lenient, "initialize", but(initialized(), pointer, &value)).await;
        assert_eq!((handshake, codes), expected(code), "{pointer} {value}");
    }
}

#[tokio::test]
async fn each_broken_field_of_discover_is_reported() {
    // `DiscoverResult` of 2026-07-28; the identity is in `_meta`, and clients go on without it.
    let table = [
        ("/resultType", json!(null), "nonconforming:result_type"),
        ("/ttlMs", json!(null), "nonconforming:caching"),
        ("/ttlMs", json!(-1), "nonconforming:caching"),
        ("/cacheScope", json!("everyone"), "nonconforming:caching"),
        ("/capabilities", json!(null), SHAPE),
        ("/capabilities/tools", json!([]), SHAPE),
        ("/supportedVersions", json!(["2026-07-28", 7]), SHAPE),
        ("/instructions", json!(7), SHAPE),
        ("/_meta", json!(null), TAKEN),
        ("/_meta/io.modelcontextprotocol~1serverInfo/name", json!(null), TAKEN),
    ];
    for (pointer, value, code) in table {
        let (handshake, codes, _) =
            outcome(modern_only, "server/discover", but(discovered(), pointer, &value)).await;
        assert_eq!((handshake, codes), expected(code), "{pointer} {value}");
    }
}

#[tokio::test]
async fn each_broken_field_of_tools_list_is_reported() {
    // `ListToolsResult` and `Tool`; the length and the characters of a name are a SHOULD, and no client refuses others.
    let mirrored = json!({"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "a b"}}});
    let table = [
        (listed_tool("name", &json!(null)), TOOL),
        (listed_tool("name", &json!(7)), TOOL),
        (listed_tool("name", &json!("")), NAMES),
        (listed_tool("name", &json!("x".repeat(129))), NAMES),
        (listed_tool("name", &json!("a b")), TAKEN),
        (listed_tool("inputSchema", &json!(null)), TOOL),
        (listed_tool("inputSchema", &json!([])), TOOL),
        (listed_tool("inputSchema", &json!({})), TOOL),
        (listed_tool("inputSchema", &json!({"type": "string"})), TOOL),
        (listed_tool("inputSchema", &mirrored), HEADER),
        (listed_tool("title", &json!(7)), TOOL),
        (listed_tool("description", &json!(["Adds."])), TOOL),
        (listed_tool("description", &json!(null)), TAKEN),
        (listed_tool("annotations", &json!("safe")), TOOL),
        (listed_tool("annotations", &json!({"readOnlyHint": true})), TAKEN),
        (listed_tool("outputSchema", &json!([])), TOOL),
        (listed_tool("outputSchema", &json!({"type": "object"})), TAKEN),
        (but(listed(), "/nextCursor", &json!(7)), "nonconforming:cursor"),
        (but(listed(), "/resultType", &json!(null)), "nonconforming:result_type"),
        (but(listed(), "/cacheScope", &json!(null)), "nonconforming:caching"),
        (but(listed(), "/tools", &json!({})), "tools_failed"),
        (but(listed(), "/tools", &json!(null)), "tools_failed"),
        (but(listed(), "/tools", &json!(["add"])), TOOL),
    ];
    for (result, code) in table {
        let sent = result.to_string();
        let (handshake, codes, _) = outcome(modern_only, "tools/list", result).await;
        assert_eq!((handshake, codes), expected(code), "{sent}");
    }
}

#[tokio::test]
async fn website_must_be_a_url_that_a_browser_can_open() {
    let table = [
        ("https://a.example/x", Some("https://a.example/x")),
        ("javascript:alert(1)", None),
        ("a.example", None),
        ("", None),
    ];
    for (url, website) in table {
        let mut result = but(discovered(), "/_meta/io.modelcontextprotocol~1serverInfo/x", &json!(1));
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["websiteUrl"] = json!(url);
        let (handshake, _, found) = outcome(modern_only, "server/discover", result).await;
        assert_eq!((handshake, found.as_deref()), (Handshake::Ok, website), "{url}");
    }
}
