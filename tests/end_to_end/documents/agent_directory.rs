//! Tests the directory of public agents. Clients can list all agents or search them by skill.

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
    let described = registry.get("/.well-known/agent-descriptions").await.body;
    let url = registry.url("/.well-known/agent-descriptions");
    let members = json!({ "@type": "CollectionPage", "url": url, "/items/0/@type": "ad:AgentDescription" });
    assert_members(&described, &members);
}
