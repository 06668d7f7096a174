//! Tests the AI catalogs: they contain every Live listing once, in the format of their schema.

use tests::prelude::*;

use crate::fixtures::{catalog_schema, live_fleet, values_of};

#[tokio::test]
async fn catalogs_match_their_schema() {
    let (registry, _peers, [agents, _]) = live_fleet(8, 6).await;
    let strict = registry.get("/.well-known/ai-catalog.json").await;
    let linked = registry.get("/.well-known/ard.json").await;
    let schema = jsonschema::validator_for(&catalog_schema()).unwrap();
    if let Err(error) = schema.validate(&strict.body) {
        panic!("{error} at {}", error.instance_path());
    }
    assert!(!schema.is_valid(&linked.body), "the schema accepts an extended catalogue");
    assert_eq!(linked.body["@context"], "https://agenticresourcediscovery.org/context/v1");
    assert_eq!(strict.body["entries"], linked.body["entries"]);

    let entries = strict.body["entries"].as_array().unwrap();
    let own: Vec<&str> = entries[..3].iter().map(|entry| entry["url"].as_str().unwrap()).collect();
    let paths = ["/.well-known/agent-card.json", "/mcp/server-card", "/api/ard/"];
    assert_eq!(own, paths.map(|path| registry.url(path)));
    for path in paths {
        assert_eq!(registry.get(path).await.status, 200, "{path}");
    }
    assert_eq!(entries.len(), 3 + 14);
    assert!(entries.iter().any(|entry| entry["metadata"]["listing_id"] == json!(agents[0])));
    let mut urns = values_of(&strict.body["entries"], "identifier");
    urns.sort_unstable();
    urns.dedup();
    assert_eq!(urns.len(), entries.len(), "two entries have the same URN");

    for reply in [strict, linked] {
        assert_eq!(reply.header("content-type"), "application/ai-catalog+json");
        let link = r#"</.well-known/ai-catalog.json>; rel="ai-catalog", </.well-known/ard.json>; rel="ard""#;
        assert_eq!(reply.header("link"), link);
    }
}

/// The catalogue contains the registry's own endpoints once each, also if the registry is listed in itself. Its entry in the
/// MCP registry API is its server.json, also after an update.
#[tokio::test]
async fn catalog_contains_own_endpoints_once_if_the_registry_lists_itself() {
    let registry = TestRegistry::start_with_setting("LIST_ITSELF", "on").await;
    let description = registry.get("/api/mcp-registry/server.json").await.body;
    let mut outdated = description.clone();
    outdated["version"] = json!("0.1.0");
    registry.publish(&outdated).await;
    registry.deliver_events().await;
    registry.tick().await;
    assert_eq!(registry.delivered_counts().await, (1, 1));
    let rows = registry.get("/api/listings/active").await.body;
    let own = ["agents", "mcps"].map(|kind| id_of(&rows[kind][0]));
    let entries = registry.get("/.well-known/ai-catalog.json").await.body["entries"].clone();
    let urns = values_of(&entries, "identifier");
    assert_eq!(urns.len(), 3, "{urns:?}");
    for (urn, id) in urns.iter().zip(own) {
        let id = id.as_str();
        assert!(urn.ends_with(id.strip_prefix("mcp-").unwrap_or(id)), "{urn}");
    }
    assert_members(&registry.get("/v0.1/servers").await.body["servers"][0]["server"], &description);
}
