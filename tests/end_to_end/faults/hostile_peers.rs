//! Tests hostile peers and callers. A sweep over hostile peers ends in time, correct peers go Live, and no private network is
//! reached. If 50 callers use up their rate limits, a caller with few requests does not notice it. A publisher cannot use the
//! registry to attack a host of somebody else: a card, a redirect or an auth challenge does not make it send requests to that
//! host.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::response::{IntoResponse as _, Redirect};
use futures::future::join_all;
use http::StatusCode;
use registry::model::LimitedAction;
use tests::fixtures::insert_live_listings;
use tests::peers::hostile::HostilePeer;
use tests::ports;
use tests::prelude::*;
use tests::test_registry::client_from;

/// One peer of every hostile kind, among sound peers.
#[tokio::test(flavor = "multi_thread")]
async fn probe_run_over_hostile_peers_ends_before_its_deadline() {
    let registry = TestRegistry::start().await;
    let mut hostile = Vec::new();
    for hostile_peer in HostilePeer::ALL {
        hostile.push((hostile_peer, registry.publish_card(&hostile_peer.start().await).await));
    }
    let (fleet, server) = (Peer::start(agents::fleet).await, Peer::start(servers::legacy).await);
    let mut sound = vec![registry.publish_mcp(&server.url("/mcp")).await];
    sound.extend(registry.publish_fleet(&fleet, 0..5).await);
    let began = Instant::now();
    let report = registry.tick().await;
    let took = began.elapsed();
    // 2.5 s for the concurrent preflights, 10 s for the probes, and reserve for a busy machine.
    assert!(took < Duration::from_secs(25), "the sweep took {took:?}");
    assert_eq!(report["claimed"], json!(hostile.len() + sound.len()), "{report}");
    for id in &sound {
        assert_eq!(registry.lane(id).await, "active");
    }
    assert_eq!(registry.live_counts().await, (5, 1));
    let mut outcomes = String::new();
    for (hostile_peer, id) in &hostile {
        let status = registry.status(id).await;
        assert_ne!(status["lane"], "active", "{hostile_peer:?}: {status}");
        assert!(status["reasons"][0]["fix"].is_string(), "{hostile_peer:?}: {status}");
        assert!(status.to_string().len() < 8000, "{hostile_peer:?}: the status contains its flood");
        let _ = writeln!(
            outcomes,
            "{hostile_peer:?}: {} {}",
            status["lane"].as_str().unwrap_or_default(),
            registry.reason_codes(id).await.join(" ")
        );
    }
    insta::assert_snapshot!(outcomes);
}

const HOSTILE: u8 = 50;

/// The hostile callers have the addresses 127.0.0.2 to 127.0.0.51, the honest caller has another.
fn address(number: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, number).into()
}

const HONEST: u8 = 200;

async fn honest_requests(
    registry: &TestRegistry,
    client: &reqwest::Client,
    demo_of: &str,
    round: u32,
) -> Vec<Reply> {
    let publish = json!({ "url": format!("https://honest.example.org/{round}/agent-card.json") });
    let publish = client.post(registry.url("/api/publish")).json(&publish);
    let demo = client.post(registry.url("/api/products/demo")).json(&json!({ "listing_id": demo_of }));
    let search = client.get(registry.url("/api/match?q=serves"));
    let mut replies = Vec::new();
    for request in [publish, demo, search] {
        replies.push(Reply::of(request).await);
    }
    replies
}

/// The limit of all callers together was one counter that refused everybody for the rest of the hour.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_callers_at_their_limits_never_cause_a_refusal_of_an_honest_one() {
    // A fifth of all limits, so that they are used up in a fifth of the time.
    let registry = TestRegistry::start_with(TestOptions::default().with_setting("RATE_LIMITS", 20)).await;
    let ids = insert_live_listings(&registry.app, Kind::Agent, 3).await;
    let actions = [LimitedAction::Publish, LimitedAction::Demo, LimitedAction::Feedback];
    let limit = registry.app.settings.rate(LimitedAction::Publish).caller;
    // A heavy but honest caller has already used half of its limit.
    let heavy = address(HONEST + 1).to_string();
    for _ in 0..limit / 2 {
        registry.app.count(LimitedAction::Publish, &heavy, Some("heavy.example.org")).await.unwrap();
    }
    let refused = join_all((2..2 + HOSTILE).map(|number| {
        let (app, caller) = (registry.app.clone(), address(number).to_string());
        async move {
            let mut refused = 0;
            for act in 0..limit {
                for action in actions {
                    let target = format!("{number}-{}.example.org", act % 8);
                    refused += u32::from(app.count(action, &caller, Some(&target)).await.is_err());
                }
            }
            refused
        }
    }))
    .await;
    assert!(refused.iter().all(|refused| *refused > 0), "all callers together are not limited: {refused:?}");

    let client = client_from(address(HONEST));
    for (round, id) in (1..).zip(&ids) {
        for reply in honest_requests(&registry, &client, id.as_str(), round).await {
            assert_eq!(reply.status, 200, "round {round}: {reply:?}");
        }
    }
    let heavy_act = || registry.app.count(LimitedAction::Publish, &heavy, Some("heavy.example.org"));
    let shed = heavy_act().await.unwrap_err();
    assert_eq!((shed.code.as_str(), shed.retry_after), ("rate_limited", Some(300)), "{shed:?}");
    registry.advance(Duration::from_secs(300));
    heavy_act().await.expect("the limit of all callers recovers within minutes");
}

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
