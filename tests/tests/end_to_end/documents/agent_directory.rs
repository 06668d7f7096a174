//! The directory of public agents, listed and searched by skill.

use serde_json::{Value, json};
use tests::peers::{Peer, agents};

use crate::fixtures::{Filled, filled};

#[tokio::test]
async fn public_agents_are_listed_and_searched_by_skill() {
    let Filled { world, agent, peers, .. } = filled().await;
    let fleet = Peer::start(agents::fleet).await;
    for number in 0..4 {
        world.live_card(&fleet.url(&format!("/{number}/card.json"))).await;
    }
    world.index().await;
    for path in ["/agents/public", "/.well-known/agents", "/.well-known/agents/public", "/agents/search"] {
        let body = world.get(path).await.body;
        assert_eq!(
            (&body["total"], &body["count"], &body["agents"]),
            (&json!(5), &json!(5), &body["items"]),
            "{path}"
        );
        let page = world.get(&format!("{path}?limit=2&offset=4")).await.body;
        assert_eq!((&page["count"], &page["next_offset"]), (&json!(1), &Value::Null), "{path}");
        assert_eq!(page["agents"][0], body["agents"][4]);
    }
    for query in ["skill=forecast", "capability=Weather%20Forecast", "q=weather", "skill=weather&q=nimbus"] {
        let body = world.get(&format!("/agents/search?{query}")).await.body;
        assert_eq!((&body["count"], &body["agents"][0]["listing_id"]), (&json!(1), &json!(agent)), "{query}");
    }
    let shown = world.get("/agents/search?skill=forecast").await.body["agents"][0].clone();
    assert_eq!(
        (&shown["url"], &shown["agent_card_url"]),
        (&json!(peers[0].url("/rpc")), &json!(peers[0].card()))
    );
    assert_eq!((&shown["skills"][0]["id"], &shown["probe"]["ok"]), (&json!("forecast"), &json!(true)));
    let filters = json!({ "query": "", "filters": { "skills": ["add"] }, "limit": 3 });
    let body = world.post("/agents/search", &filters).await.body;
    assert_eq!((&body["count"], &body["next_offset"].is_number()), (&json!(3), &true));
    assert_eq!(world.get("/agents/search?limit=0").await.status, 422);
    assert_eq!(world.get("/agents/search?offset=9999999").await.status, 422);
}
