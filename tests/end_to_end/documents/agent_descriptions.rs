//! Tests `/.well-known/agent-descriptions`: the pages contain every Live agent once, and no MCP server.

use std::collections::BTreeSet;

use registry::model::Kind;
use tests::fixtures;
use tests::test_registry::TestRegistry;

#[tokio::test]
async fn every_live_agent_is_on_exactly_one_page() {
    let registry = TestRegistry::start().await;
    fixtures::insert_live_listings(&registry.app, Kind::Agent, 230).await;
    fixtures::insert_live_listings(&registry.app, Kind::Mcp, 3).await;
    let (mut url, mut cards, mut pages) =
        (Some("/.well-known/agent-descriptions".to_owned()), BTreeSet::new(), 0);
    while let Some(path) = url {
        let page = registry.get(&path).await.body;
        assert_eq!((&page["@type"], &page["url"]), (&"CollectionPage".into(), &registry.url(&path).into()));
        for item in page["items"].as_array().unwrap() {
            assert_eq!(item["@type"], "ad:AgentDescription");
            assert!(cards.insert(item["@id"].as_str().unwrap().to_owned()), "{item} is repeated");
        }
        url = page["next"].as_str().map(|next| next.strip_prefix(&registry.url("")).unwrap().to_owned());
        pages += 1;
    }
    assert_eq!((cards.len(), pages), (230, 3));
    let refused = registry.get("/.well-known/agent-descriptions?page=elsewhere").await;
    refused.assert_field_refused(422, "bad_cursor", "page");
}
