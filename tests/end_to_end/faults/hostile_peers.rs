//! Tests a sweep over hostile peers: it ends in time, correct peers go Live, and no private network is reached.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::peers::hostile::HostilePeer;
use tests::peers::{Peer, agents, servers};
use tests::test_registry::TestRegistry;

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
