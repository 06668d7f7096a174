//! Reflection: nobody can have somebody else messaged by this registry, with a card, a redirect or a challenge, and a
//! host is asked in its turn by whatever way the question comes to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::response::{IntoResponse as _, Redirect};
use axum::routing::post;
use http::StatusCode;
use serde_json::{Value, json};
use tests::peers::{CARD, Peer, PeerRequest, agents, empty, json_answer};
use tests::test_registry::{HOUR, TestRegistry};
use tokio::net::TcpListener;

/// A host of somebody else, which counts the connections to it.
struct Stranger {
    origin: String,
    connections: Arc<AtomicUsize>,
}

impl Stranger {
    /// At another address than the peers, because those of one address have one owner.
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
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

fn card_with(interfaces: Value) -> impl Fn(&PeerRequest) -> axum::response::Response + Send + Sync + 'static {
    move |asked| match asked.path.as_str() {
        CARD => {
            let mut card = agents::card(asked, "Mirror");
            card["supportedInterfaces"] = interfaces.clone();
            json_answer(200, &card)
        }
        _ if asked.verb == "POST" => agents::speaks_newest(asked),
        _ => empty(404),
    }
}

fn interface(url: &str, binding: &str, version: &str) -> Value {
    json!({ "url": url, "protocolBinding": binding, "protocolVersion": version })
}

#[tokio::test]
async fn an_interface_of_another_owner_is_asked_nothing() {
    let (registry, stranger) = (TestRegistry::start().await, Stranger::start().await);
    let there = format!("{}/rpc", stranger.origin);
    let mut peers = Vec::new();
    for interfaces in [
        json!([interface(&there, "JSONRPC", "1.0")]),
        json!([interface(&there, "HTTP+JSON", "1.0"), interface(&there, "JSONRPC", "0.3")]),
        json!([interface(&there, "HTTP+JSON", "0.3"), interface("http://10.0.0.1/", "JSONRPC", "1.0")]),
    ] {
        let peer = Peer::start(card_with(interfaces)).await;
        let id = registry.publish_card(&peer.card()).await;
        peers.push((peer, id));
    }
    // A card that is somebody else's, by a redirect: its own interface is theirs as well.
    let host = stranger.origin.clone();
    let moved = Peer::start(move |asked| match asked.path.as_str() {
        CARD => Redirect::temporary("/moved").into_response(),
        _ => json_answer(200, &agents::card_at("Mirror", &format!("{host}/rpc"))),
    })
    .await;
    let id = registry.publish_card(&moved.card()).await;
    peers.push((moved, id));

    registry.tick().await;
    for _ in 0..3 {
        registry.advance(HOUR);
        registry.tick().await;
        registry.recheck().await;
    }
    for (peer, id) in &peers {
        let score = registry.get(&format!("/api/score?url={}", peer.origin)).await.body;
        assert_eq!(score["would_go_live"], false, "{score}");
        let status = registry.status(id).await;
        assert_eq!(status["lane"], "needs_fix", "{status}");
        let codes = registry.reason_codes(id).await;
        assert_eq!(codes.iter().filter(|code| *code == "interface_domain").count(), 1, "{codes:?}");
        assert!(status["reasons"][0]["seen"].as_str().unwrap().contains(&stranger.origin), "{status}");
    }
    assert_eq!(stranger.connections(), 0, "a stranger was asked");
}

#[tokio::test]
async fn an_own_interface_is_taken_before_a_strangers() {
    let (registry, stranger) = (TestRegistry::start().await, Stranger::start().await);
    let there = format!("{}/rpc", stranger.origin);
    let peer = Peer::start(move |asked| {
        let own = format!("{}/rpc", asked.origin());
        card_with(json!([interface(&there, "JSONRPC", "1.0"), interface(&own, "JSONRPC", "1.0")]))(asked)
    })
    .await;
    registry.live_card(&peer.card()).await;
    assert_eq!(stranger.connections(), 0);
}

#[tokio::test]
async fn a_challenge_sends_nobody_to_a_stranger() {
    let (registry, stranger) = (TestRegistry::start().await, Stranger::start().await);
    let challenge = format!("Bearer resource_metadata=\"{}/meta\"", stranger.origin);
    let peer = Peer::start(move |_| {
        let headers = [(http::header::WWW_AUTHENTICATE, challenge.clone())];
        (StatusCode::UNAUTHORIZED, headers).into_response()
    })
    .await;
    let id = registry.publish_mcp(&peer.url("/mcp")).await;
    registry.tick().await;
    assert_eq!(registry.reason_codes(&id).await, ["auth_required"], "the challenge itself is the proof");
    assert_eq!(stranger.connections(), 0);
}

/// Many cards, each at a host of its own, and one interface behind them all.
#[tokio::test(flavor = "multi_thread")]
async fn the_host_that_is_asked_has_the_slots() {
    const CARDS: usize = 12;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counts = (Arc::clone(&now), Arc::clone(&most));
    let slow = post(async move |axum::Json(asked): axum::Json<Value>| {
        let at_once = counts.0.fetch_add(1, Ordering::SeqCst) + 1;
        counts.1.fetch_max(at_once, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(100)).await;
        counts.0.fetch_sub(1, Ordering::SeqCst);
        axum::Json(match asked["method"].as_str() {
            Some("SendMessage") => json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "message": {
                "messageId": "m-1", "role": "ROLE_AGENT", "parts": [{ "text": "I add." }] } } }),
            _ => {
                json!({ "jsonrpc": "2.0", "id": asked["id"], "error": { "code": -32001, "message": "no task" } })
            }
        })
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let shared = format!("http://{}/rpc", listener.local_addr().unwrap());
    tokio::spawn(async move { drop(axum::serve(listener, Router::new().fallback(slow)).await) });

    let registry = TestRegistry::start().await;
    let mut peers = Vec::new();
    for number in 0..CARDS {
        // Endpoints of their own, or all but one would be duplicates.
        let interface = interface(&format!("{shared}/{number}"), "JSONRPC", "1.0");
        let peer = Peer::start(card_with(json!([interface]))).await;
        registry.publish_card(&peer.card()).await;
        peers.push(peer);
    }
    let report = registry.tick().await;
    assert_eq!(report["ok"], json!(CARDS), "nobody loses by waiting: {report}");
    assert!(most.load(Ordering::SeqCst) <= 4, "{} at once", most.load(Ordering::SeqCst));
}
