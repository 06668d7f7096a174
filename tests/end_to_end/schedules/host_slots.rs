//! Tests that all processes together run at most four probes at one host.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use jiff::SignedDuration;
use registry::probe::run::first_probe;
use registry::store::{HostLease, SLOTS_PER_HOST};
use tests::peers::{Peer, PeerRequest, servers};
use tests::test_registry::TestRegistry;

/// The server counts how many requests it answers at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_share_the_slots_of_a_host() {
    let registry = TestRegistry::start().await;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, highest) = (Arc::clone(&now), Arc::clone(&most));
    let peer = Peer::start(move |request: &PeerRequest| {
        highest.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::task::block_in_place(|| std::thread::sleep(Duration::from_millis(30)));
        counted.fetch_sub(1, Ordering::SeqCst);
        servers::modern(request)
    })
    .await;
    let mut ids = Vec::new();
    for number in 0..3 * SLOTS_PER_HOST {
        ids.push(registry.publish_mcp(&peer.url(&format!("/{number}/mcp"))).await);
    }
    let other = registry.app.with_settings(registry.app.settings.clone());
    let probes = ids.iter().enumerate().map(|(number, id)| {
        let app = if number % 2 == 0 { &registry.app } else { &other };
        first_probe(app, id)
    });
    for report in join_all(probes).await {
        assert_eq!(report.unwrap().ok, 1);
    }
    let most = most.load(Ordering::SeqCst);
    assert!((1..=SLOTS_PER_HOST).contains(&most), "{most} requests at the same time");
    assert_eq!(registry.live_counts().await.1, ids.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn leases_of_a_process_that_died_end_by_themselves() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let id = registry.publish_mcp(&peer.url("/mcp")).await;
    let host = peer.url("");
    let lease = async |own: Option<HostLease>, held: &[HostLease]| {
        let now = registry.now();
        let until = now + SignedDuration::from_secs(45);
        registry.app.store.lease_host_slot(&host, own, held, now, until).await.unwrap()
    };
    let mut held = Vec::new();
    for _ in 0..SLOTS_PER_HOST {
        held.push(lease(None, &[]).await.unwrap());
    }
    assert_eq!(lease(None, &[]).await, None);
    registry.advance(Duration::from_secs(30));
    let extended = lease(held.pop(), &held).await.unwrap();
    registry.advance(Duration::from_secs(16));
    assert_eq!(registry.first_probe(&id).await["ok"], 1, "the three other leases ended");
    registry.app.store.end_host_lease(&host, extended).await.unwrap();
    // A clock that was an hour fast wrote these.
    registry.advance(Duration::from_secs(3600));
    for _ in 0..SLOTS_PER_HOST {
        lease(None, &[]).await.unwrap();
    }
    registry.step_clock(SignedDuration::from_hours(-1));
    assert!(lease(None, &[]).await.is_some());
}
