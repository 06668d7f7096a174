//! Tests that a publisher cannot use the registry to attack a host of somebody else. A card, a redirect or an
//! auth challenge must not make the registry send requests to that host. If several cards name the same host,
//! the limit of concurrent requests to the host applies to all of them together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::response::{IntoResponse as _, Redirect};
use axum::routing::post;
use http::StatusCode;
use serde_json::{Value, json};
use tests::peers::sign_in::gated;
use tests::peers::{CARD, Peer, agents, json_answer};
use tests::ports;
use tests::test_registry::{HOUR, TestRegistry};

/// A host of another owner, which counts the connections to it.
struct ForeignHost {
    origin: String,
    connections: Arc<AtomicUsize>,
}

impl ForeignHost {
    /// Uses another address than the peers, because hosts at one address count as one owner.
    async fn start() -> Self {
        let listener = ports::listen("127.0.0.2").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { origin, connections }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn interface(url: &str, binding: &str, version: &str) -> Value {
    json!({ "url": url, "protocolBinding": binding, "protocolVersion": version })
}

#[tokio::test]
async fn interface_of_another_owner_gets_no_request() {
    let (registry, foreign) = (TestRegistry::start().await, ForeignHost::start().await);
    let foreign_url = format!("{}/rpc", foreign.origin);
    let mut peers = Vec::new();
    for interfaces in [
        json!([interface(&foreign_url, "JSONRPC", "1.0")]),
        json!([interface(&foreign_url, "HTTP+JSON", "1.0"), interface(&foreign_url, "JSONRPC", "0.3")]),
        json!([interface(&foreign_url, "HTTP+JSON", "0.3"), interface("http://10.0.0.1/", "JSONRPC", "1.0")]),
    ] {
        let peer = Peer::start(agents::newest_with(json!({ "supportedInterfaces": interfaces }))).await;
        let id = registry.publish_card(&peer.card()).await;
        peers.push((peer, id));
    }
    // A redirect to another card, whose interface is at the foreign host.
    let host = foreign.origin.clone();
    let moved = Peer::start(move |request| match request.path.as_str() {
        CARD => Redirect::temporary("/moved").into_response(),
        _ => json_answer(200, &agents::card_at("Mirror", &format!("{host}/rpc"))),
    })
    .await;
    let id = registry.publish_card(&moved.card()).await;
    peers.push((moved, id));

    registry.tick().await;
    for _ in 0..3 {
        registry.tick_after(HOUR).await;
        registry.recheck().await;
    }
    for (peer, id) in &peers {
        let score = registry.get(&format!("/api/score?url={}", peer.origin)).await.body;
        assert_eq!(score["would_go_live"], false, "{score}");
        let status = registry.status(id).await;
        assert_eq!(status["lane"], "needs_fix", "{status}");
        let codes = registry.reason_codes(id).await;
        assert_eq!(codes.iter().filter(|code| *code == "interface_domain").count(), 1, "{codes:?}");
        assert!(status["reasons"][0]["seen"].as_str().unwrap().contains(&foreign.origin), "{status}");
    }
    assert_eq!(foreign.connections(), 0, "the foreign host got a connection");
}

#[tokio::test]
async fn interface_of_the_same_owner_is_preferred() {
    let (registry, foreign) = (TestRegistry::start().await, ForeignHost::start().await);
    let foreign_url = format!("{}/rpc", foreign.origin);
    let peer = Peer::start(move |request| {
        let own = format!("{}/rpc", request.origin());
        let both = [&foreign_url, &own].map(|url| interface(url, "JSONRPC", "1.0"));
        agents::newest_with(json!({ "supportedInterfaces": both }))(request)
    })
    .await;
    registry.live_card(&peer.card()).await;
    assert_eq!(foreign.connections(), 0);
}

#[tokio::test]
async fn auth_challenge_causes_no_request_to_another_host() {
    let (registry, foreign) = (TestRegistry::start().await, ForeignHost::start().await);
    let challenge = format!("Bearer resource_metadata=\"{}/meta\"", foreign.origin);
    let peer = Peer::start(move |_| {
        let headers = [(http::header::WWW_AUTHENTICATE, challenge.clone())];
        (StatusCode::UNAUTHORIZED, headers).into_response()
    })
    .await;
    let id = registry.publish_mcp(&peer.url("/mcp")).await;
    registry.tick().await;
    assert_eq!(registry.reason_codes(&id).await, ["sign_in:redirected"], "its metadata is on its domain");
    assert_eq!(foreign.connections(), 0);
}

#[tokio::test]
async fn authorization_server_gets_at_most_three_plain_requests_of_a_probe() {
    let registry = TestRegistry::start().await;
    let foreign = Peer::start(agents::only(404)).await;
    let peer = Peer::start(gated(&foreign.url("/tenant"))).await;
    let id = registry.publish_mcp(&peer.url("/mcp")).await;
    registry.tick().await;
    assert_eq!(registry.reason_codes(&id).await, ["sign_in:authorization_server_metadata"]);
    let expected = [
        "GET /.well-known/oauth-authorization-server/tenant",
        "GET /.well-known/openid-configuration/tenant",
        "GET /tenant/.well-known/openid-configuration",
    ];
    assert_eq!(foreign.request_names(), expected);
    for request in foreign.requests() {
        assert!(request.header("authorization").is_none() && request.text.is_empty(), "{request:?}");
    }
}

/// Many cards on different ports share the host of one interface.
#[tokio::test(flavor = "multi_thread")]
async fn concurrency_limit_applies_to_the_interface_host() {
    const CARDS: usize = 12;
    let (current, highest) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counts = (Arc::clone(&current), Arc::clone(&highest));
    let slow = post(async move |axum::Json(call): axum::Json<Value>| {
        let concurrent = counts.0.fetch_add(1, Ordering::SeqCst) + 1;
        counts.1.fetch_max(concurrent, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(100)).await;
        counts.0.fetch_sub(1, Ordering::SeqCst);
        axum::Json(match call["method"].as_str() {
            Some("SendMessage") => json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "message": {
                "messageId": "m-1", "role": "ROLE_AGENT", "parts": [{ "text": "I add." }] } } }),
            _ => {
                json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": -32001, "message": "no task" } })
            }
        })
    });
    let listener = ports::listen("127.0.0.1").await.unwrap();
    let shared = format!("http://{}/rpc", listener.local_addr().unwrap());
    tokio::spawn(async move { drop(axum::serve(listener, Router::new().fallback(slow)).await) });

    let registry = TestRegistry::start().await;
    let mut peers = Vec::new();
    for number in 0..CARDS {
        // Different endpoints, because listings with the same endpoint are duplicates.
        let interface = interface(&format!("{shared}/{number}"), "JSONRPC", "1.0");
        let peer = Peer::start(agents::newest_with(json!({ "supportedInterfaces": [interface] }))).await;
        registry.publish_card(&peer.card()).await;
        peers.push(peer);
    }
    let report = registry.tick().await;
    assert_eq!(report["ok"], json!(CARDS), "waiting costs no listing its verdict: {report}");
    assert!(highest.load(Ordering::SeqCst) <= 4, "{} concurrent requests", highest.load(Ordering::SeqCst));
}
