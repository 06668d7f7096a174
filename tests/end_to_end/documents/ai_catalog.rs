//! Tests the AI catalogs: they contain every Live listing once, in the format of their schema.

use serde_json::json;
use tests::test_registry::{TestRegistry, id_of};

use crate::fixtures::{catalog_schema, ids, live_fleet};

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
    assert_eq!(
        own,
        [
            registry.url("/.well-known/agent-card.json"),
            registry.url("/mcp/server-card"),
            registry.url("/api/ard/")
        ]
    );
    for path in ["/.well-known/agent-card.json", "/mcp/server-card", "/api/ard/"] {
        assert_eq!(registry.get(path).await.status, 200, "{path}");
    }
    assert_eq!(entries.len(), 3 + 14);
    assert!(entries.iter().any(|entry| entry["metadata"]["listing_id"] == json!(agents[0])));
    let mut urns = ids(&strict.body["entries"], "identifier");
    urns.sort_unstable();
    urns.dedup();
    assert_eq!(urns.len(), entries.len(), "two entries have the same URN");

    for reply in [strict, linked] {
        assert_eq!(reply.header("content-type"), "application/ai-catalog+json");
        assert_eq!(reply.header("cache-control"), "public, max-age=60");
        assert_eq!(
            reply.header("link"),
            r#"</.well-known/ai-catalog.json>; rel="ai-catalog", </.well-known/ard.json>; rel="ard""#
        );
    }
}

/// The catalogue contains the registry's own endpoints once each, also if the registry is listed in itself.
#[tokio::test]
async fn catalog_contains_own_endpoints_once_if_the_registry_lists_itself() {
    let registry = TestRegistry::start().await;
    let mut own = vec![id_of(
        &registry.publish(&json!({ "agent_card_url": registry.url("/.well-known/agent-card.json") })).await,
    )];
    own.push(id_of(&registry.publish(&json!({ "mcp_url": registry.url("/api/protocol") })).await));
    registry.deliver_events().await;
    assert_eq!(registry.live_counts().await, (1, 1));
    let entries = registry.get("/.well-known/ai-catalog.json").await.body["entries"].clone();
    let urns = ids(&entries, "identifier");
    assert_eq!(urns.len(), 3, "{urns:?}");
    for (urn, id) in urns.iter().zip(own) {
        assert!(urn.ends_with(id.as_str()), "{urn}");
    }
}
