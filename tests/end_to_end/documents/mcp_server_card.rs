//! Tests the MCP server cards. The official card matches its schema. Both the official card and the extended
//! card agree with what the server answers.

use serde_json::{Value, json};
use tests::test_registry::TestRegistry;

use crate::protocols::mcp_http::modern;

#[tokio::test]
async fn official_card_matches_its_schema() {
    let card = TestRegistry::start().await.get("/mcp/server-card").await;
    assert_eq!(card.header("content-type"), "application/mcp-server-card+json");
    let schema = include_str!("../../harness/fixtures/server-card.schema.json");
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    schema["$ref"] = json!("#/$defs/ServerCard");
    let schema = jsonschema::validator_for(&schema).unwrap();
    if let Err(error) = schema.validate(&card.body) {
        panic!("{error} at {}", error.instance_path());
    }
    assert!(!schema.is_valid(&json!({ "name": "x" })), "the schema accepts an invalid card");
}

#[tokio::test]
async fn cards_match_the_answers_of_the_server() {
    let registry = TestRegistry::start().await;
    let strict = registry.get("/mcp/server-card").await.body;
    let extended = registry.get("/.well-known/mcp/server-card.json").await.body;
    let live = modern(&registry, "server/discover", json!({})).await.body["result"].clone();
    let info = &live["_meta"]["io.modelcontextprotocol/serverInfo"];
    for member in ["name", "version", "title"] {
        assert_eq!((&strict[member], &extended[member]), (&info[member], &info[member]), "{member}");
    }
    assert_eq!(strict["remotes"][0]["supportedProtocolVersions"], live["supportedVersions"]);
    assert_eq!(extended["protocol_versions"], live["supportedVersions"]);
    for url in [&strict["remotes"][0]["url"], &extended["remotes"][0]["url"], &extended["tools_endpoint"]] {
        let path = url.as_str().unwrap().strip_prefix(&registry.url("")).unwrap();
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        assert_eq!(registry.post(path, &ping).await.body["result"], json!({}));
    }
    let params = json!({ "protocolVersion": live["supportedVersions"][0], "capabilities": {} });
    let agreed = registry.rpc("/mcp", "initialize", params).await["result"]["protocolVersion"].clone();
    assert_eq!(extended["versions_by_method"]["initialize"][0], agreed);
    assert_eq!(extended["versions_by_method"]["ping"], extended["versions_by_method"]["initialize"]);
    assert_eq!(modern(&registry, "ping", json!({})).await.status, 404);
    for (name, url) in extended["badges"].as_object().unwrap() {
        let path = url.as_str().unwrap().strip_prefix(&registry.url("")).unwrap();
        assert_eq!(registry.get(path).await.status, 200, "{name}");
    }
}
