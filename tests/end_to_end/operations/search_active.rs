//! Tests `search_active`: the Live listings of both kinds together, newest first.

use std::time::Duration;

use tests::prelude::*;

use crate::fixtures::values_of;

#[tokio::test]
async fn agents_and_servers_are_in_one_list_with_the_newest_first() {
    let registry = TestRegistry::start().await;
    let (fleet, server) = (Peer::start(agents::fleet).await, Peer::start(servers::modern).await);
    let mut published = Vec::new();
    for number in 0..3 {
        published.push(registry.live_card(&fleet.url(&format!("/{number}/card.json"))).await.to_string());
        let id = registry.publish_mcp(&server.url(&format!("/{number}/mcp"))).await;
        registry.advance(Duration::from_secs(1));
        registry.first_probe(&id).await;
        published.push(id.to_string());
    }
    published.reverse();
    let answer = registry.call_tool("search_active", &json!({})).await;
    assert_eq!(values_of(&answer["listings"], "listing_id"), published);
    assert_eq!(answer["counts"], json!({ "agents_active": 3, "mcp_active": 3, "as_of": registry.now() }));
    assert_eq!(answer["next_cursor"], Value::Null);
}
