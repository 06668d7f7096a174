//! One endpoint has one listing, however its URL is written: publishing it again answers with the listing that is there.

use axum::response::Response;
use serde_json::json;
use tests::peers::{Peer, PeerRequest, agents, empty, servers};
use tests::test_registry::{TestRegistry, id_of};

/// An MCP server at `/mcp`, and nothing else.
fn at_mcp(request: &PeerRequest) -> Response {
    if request.path == "/mcp" { servers::modern(request) } else { empty(404) }
}

#[tokio::test]
async fn other_spellings_and_documents_of_a_live_server_lead_to_its_listing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(at_mcp).await);
    let site = id_of(&registry.publish(&json!({ "url": peer.url("/") })).await);
    registry.deliver_events().await;
    assert_eq!(registry.lane(&site).await, "active");
    let described = json!({ "name": "org.example/adder", "title": "Adder", "description": "Adds numbers.",
        "version": "1.0.0", "remotes": [{ "type": "streamable-http", "url": peer.url("/mcp") }] });
    for body in [
        json!({ "url": peer.url("/mcp") }),
        json!({ "mcp_url": peer.url("/mcp/") }),
        json!({ "url": peer.url("/mcp?from=readme") }),
        described,
    ] {
        let answer = registry.publish(&body).await;
        assert_eq!((id_of(&answer), &answer["status"]), (site.clone(), &json!("active")), "{body}: {answer}");
    }
    assert_eq!(registry.status(&site).await["name_standing"]["name"], "org.example/adder");
    assert_eq!(registry.live_counts().await, (0, 1));
}

#[tokio::test]
async fn card_of_a_live_agent_leads_to_its_listing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let site = id_of(&registry.publish(&json!({ "url": peer.url("/") })).await);
    registry.deliver_events().await;
    assert_eq!(registry.lane(&site).await, "active");
    assert_eq!(id_of(&registry.publish(&json!({ "agent_card_url": peer.card() })).await), site);
}

#[tokio::test]
async fn status_of_a_repeated_endpoint_leads_to_its_listing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(at_mcp).await);
    let first = registry.publish_mcp(&peer.url("/mcp")).await;
    registry.deliver_events().await;
    let site = id_of(&registry.publish(&json!({ "url": peer.url("/") })).await);
    registry.deliver_events().await;
    let status = registry.status(&site).await;
    assert_eq!(
        (&status["reasons"][0]["code"], &status["next"]["arguments"]["id"]),
        (&json!("endpoint_unique"), &json!(first)),
        "{status}"
    );
}

#[tokio::test]
async fn mistyped_path_gets_the_url_that_works() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(at_mcp).await);
    for body in [json!({ "url": peer.url("/mpc") }), json!({ "mcp_url": peer.url("/api/mcp") })] {
        let id = id_of(&registry.publish(&body).await);
        registry.deliver_events().await;
        let status = registry.status(&id).await;
        let reason = &status["reasons"][0];
        assert_eq!((&status["lane"], &reason["code"]), (&json!("needs_fix"), &json!("endpoint_elsewhere")));
        assert!(reason["fix"].as_str().unwrap().contains(&peer.url("/mcp")), "{reason}");
        assert!(status["next"]["note"].as_str().unwrap().contains(&peer.url("/mcp")), "{status}");
        assert_eq!(status["next"]["body"], json!({ "url": peer.url("/mcp") }));
        assert!(peer.requests().len() <= 12, "two more for the advice: {:?}", peer.request_names());
        peer.forget_requests();
    }
    let at_a_b = |request: &PeerRequest| match request.path.as_str() {
        "/a/b/mcp" => servers::modern(request),
        _ => empty(404),
    };
    let below = Peer::start(at_a_b).await;
    let id = id_of(&registry.publish(&json!({ "url": below.url("/a/b/mpc") })).await);
    registry.deliver_events().await;
    let status = registry.status(&id).await;
    assert!(status["reasons"][0]["fix"].as_str().unwrap().contains(&below.url("/a/b/mcp")), "{status}");
}
