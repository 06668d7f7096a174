//! Tests the directory of public agents. Clients can list all agents or search them by skill. The pages of
//! `/.well-known/agent-descriptions` contain every Live agent once, and no MCP server.

use std::collections::BTreeSet;

use tests::fixtures::insert_live_listings;
use tests::prelude::*;

use crate::fixtures::{LivePair, live_pair};

#[tokio::test]
async fn public_agents_are_listed_and_searched_by_skill() {
    let LivePair { registry, agent, peers, .. } = live_pair().await;
    let fleet = Peer::start(agents::fleet).await;
    registry.live_agents(&fleet, 0..4).await;
    registry.index().await;
    for path in ["/agents/public", "/.well-known/agents", "/.well-known/agents/public", "/agents/search"] {
        let body = registry.get(path).await.body;
        assert_members(&body, &json!({ "total": 5, "count": 5, "agents": body["items"] }));
        let page = registry.get(&format!("{path}?limit=2&offset=4")).await.body;
        assert_eq!((&page["count"], &page["next_offset"]), (&json!(1), &Value::Null), "{path}");
        assert_eq!(page["agents"][0], body["agents"][4]);
    }
    for query in ["skill=weather", "capability=Weather%20Forecast", "q=weather", "skill=weather&q=nimbus"] {
        let body = registry.get(&format!("/agents/search?{query}")).await.body;
        assert_eq!((&body["count"], &body["agents"][0]["listing_id"]), (&json!(1), &json!(agent)), "{query}");
    }
    let shown = registry.get("/agents/search?skill=weather").await.body["agents"][0].clone();
    let skills = json!([{ "name": "Weather forecast" }]);
    let urls = [peers[0].url("/rpc"), peers[0].card()];
    assert_members(&shown, &json!({ "url": urls[0], "agent_card_url": urls[1], "skills": skills }));
    assert_eq!(shown["probe"]["ok"], true);
    let filters = json!({ "query": "", "filters": { "skills": ["add"] }, "limit": 3 });
    let body = registry.post("/agents/search", &filters).await.body;
    assert_eq!((&body["count"], &body["next_offset"].is_number()), (&json!(3), &true));
    assert_eq!(body["total"], Value::Null, "the rest was not counted");
    let many = |count| json!({ "filters": { "skills": (0..count).map(|n| format!("x{}", n % 65)).collect::<Vec<_>>() } });
    assert_eq!(registry.post("/agents/search", &many(65)).await.status, 422);
    assert_eq!(registry.post("/agents/search", &many(64)).await.status, 200);
    assert_eq!(registry.get("/agents/search?limit=0").await.status, 422);
    let large = registry.get("/agents/search?limit=999999999999").await;
    assert!(large.status == 422 && large.body.to_string().contains("not too large"), "{large:?}");
    assert_eq!(registry.get("/agents/search?offset=9999999").await.status, 422);
}

#[tokio::test]
async fn every_live_agent_is_on_exactly_one_page() {
    let registry = TestRegistry::start().await;
    insert_live_listings(&registry.app, Kind::Agent, 230).await;
    insert_live_listings(&registry.app, Kind::Mcp, 3).await;
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
