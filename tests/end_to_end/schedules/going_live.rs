//! Tests that each kind of peer goes Live after one POST.

use serde_json::{Value, json};
use tests::peers::{Peer, agents, servers};
use tests::test_registry::{TestRegistry, id_of};

#[tokio::test]
async fn server_json_goes_live_under_its_name() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let body = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "org.example/adder", "title": "The Adder", "description": "Adds what it is given.",
        "version": "3.1.0", "remotes": [{ "type": "streamable-http", "url": peer.url("/mcp") }],
    });
    let answer = registry.publish(&body).await;
    assert_eq!((&answer["status"], &answer["lane"]), (&json!("queued"), &json!("queued")));
    let id = id_of(&answer);
    let queued = registry.status(&id).await;
    assert_eq!((&queued["lane"], &queued["next"]["action"]), (&json!("queued"), &json!("poll")));
    assert_eq!(queued.get("probe"), None);
    assert_eq!(queued["reasons"], json!([]), "a listing without a probe has no reasons");
    assert_eq!(registry.deliver_events().await[0]["detail"]["listing_id"], answer["listing_id"]);
    let status = registry.status(&id).await;
    assert_eq!(status["lane"], "active", "{status}");
    let kinds: Vec<Value> = registry.events().iter().map(|event| event["detail-type"].clone()).collect();
    assert_eq!(kinds, ["listing.live"]);
    assert_eq!(status["listing_id"], "mcp-org-example-adder");
    assert_eq!(status["name"], "The Adder", "the published title stays");
    for name in ["org.example/adder", "the  ADDER"] {
        let found = registry.get(&format!("/api/listings/status?name={}", name.replace(' ', "%20"))).await;
        assert_eq!((found.status, &found.body["listing_id"]), (200, &status["listing_id"]), "{name}");
    }
}

/// The published kind is only a hint until the listing is Live, so a stranger who publishes a URL with the wrong kind does
/// not block its owner.
#[tokio::test]
async fn probe_corrects_the_kind_of_a_listing_that_is_not_live() {
    let registry = TestRegistry::start().await;
    let (server, agent) = (Peer::start(servers::modern).await, Peer::start(agents::newest).await);
    let wrong = registry.publish(&json!({ "agent_card_url": server.url("/mcp") })).await;
    let id = id_of(&wrong);
    registry.deliver_events().await;
    let found = registry.status(&id).await;
    assert_eq!((&found["lane"], &found["kind"]), (&json!("active"), &json!("mcp")), "{found}");
    let right = registry.publish(&json!({ "mcp_url": server.url("/mcp") })).await;
    assert_eq!(right["listing_id"], wrong["listing_id"]);

    let wrong = registry.publish(&json!({ "mcp_url": agent.card() })).await;
    registry.deliver_events().await;
    let found = registry.status(&id_of(&wrong)).await;
    assert_eq!((&found["lane"], &found["kind"]), (&json!("active"), &json!("agent")), "{found}");
}

/// The kind of a Live listing is proven, so a failing agent gets no MCP requests.
#[tokio::test]
async fn live_agent_gets_no_mcp_requests() {
    let (registry, peer, id) = crate::fixtures::live_agent().await;
    registry.advance_to(crate::fixtures::recheck_at(&registry, &id).await);
    peer.forget_requests();
    peer.answer_with(agents::only(404));
    registry.recheck().await;
    let names = peer.request_names();
    assert!(!names.iter().any(|name| name.contains("initialize")), "{names:?}");
    assert_eq!(registry.status(&id).await["kind"], "agent");
}
