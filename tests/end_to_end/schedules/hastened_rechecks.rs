//! Tests that a failed score and reports of failures bring a recheck forward, and that they do no harm.

use std::net::{IpAddr, Ipv4Addr};

use registry::model::{Lane, Listing, ListingId};
use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, TestRegistry};

use crate::fixtures::live_agent;

async fn stored(registry: &TestRegistry, id: &ListingId) -> Listing {
    registry.app.store.listing(id).await.unwrap().unwrap()
}

async fn score(registry: &TestRegistry, peer: &Peer) {
    assert_eq!(registry.get(&format!("/api/score?url={}", peer.card())).await.status, 200);
}

async fn is_due(registry: &TestRegistry, id: &ListingId) -> bool {
    stored(registry, id).await.due_at <= registry.now()
}

#[tokio::test]
async fn failed_score_makes_a_live_listing_due_at_most_once_in_six_hours() {
    let (registry, peer, id) = live_agent().await;
    registry.advance(HOUR);
    score(&registry, &peer).await;
    assert!(!is_due(&registry, &id).await, "a score that succeeds changes nothing");
    peer.answer_with(agents::only(404));
    score(&registry, &peer).await;
    assert!(is_due(&registry, &id).await);
    let hastened = stored(&registry, &id).await;
    assert_eq!((hastened.failures, hastened.strikes.len(), hastened.lane), (0, 0, Lane::Active));

    // The probe decides: the agent answers again, and its proof is renewed.
    peer.answer_with(agents::newest);
    registry.tick().await;
    let renewed = stored(&registry, &id).await;
    assert_eq!(renewed.last_ok_at, Some(registry.now()));
    peer.answer_with(agents::only(404));
    for _ in 0..5 {
        registry.advance(HOUR);
        score(&registry, &peer).await;
        assert_eq!(stored(&registry, &id).await.due_at, renewed.due_at, "hastened again within six hours");
    }
    registry.advance(HOUR);
    score(&registry, &peer).await;
    assert!(is_due(&registry, &id).await);

    // The probe of the tick fails. This is no strike, and the recheck confirms it.
    registry.tick().await;
    let failed = stored(&registry, &id).await;
    assert_eq!((failed.failures, failed.strikes.len(), failed.lane), (1, 0, Lane::Active));
    let due_at = failed.due_at;
    score(&registry, &peer).await;
    assert_eq!(stored(&registry, &id).await.due_at, due_at, "a failing listing is not hastened");
}

#[tokio::test]
async fn three_sources_that_report_a_failure_within_a_day_make_a_listing_due() {
    let (registry, _peer, id) = live_agent().await;
    let report = async |source: u8, ok: bool| {
        let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, source));
        let body = json!({ "action": "deposit_outcome", "listing_id": id, "ok": ok });
        let reply = registry.post_from(address, "/api/products/interop", &body).await;
        assert_eq!((reply.status, &reply.body["counted"]), (200, &json!(true)), "{reply:?}");
    };
    report(11, false).await;
    registry.advance(HOUR * 26);
    for _ in 0..3 {
        registry.advance(HOUR);
        report(12, false).await;
    }
    report(13, false).await;
    report(14, true).await;
    assert!(!is_due(&registry, &id).await, "two sources within a day are not enough");
    report(15, false).await;
    assert!(is_due(&registry, &id).await);
    let hastened = stored(&registry, &id).await;
    assert_eq!((hastened.failures, hastened.strikes.len()), (0, 0), "a report is no failure");
    registry.tick().await;
    assert_eq!(registry.lane(&id).await, "active");
    assert!(!is_due(&registry, &id).await);
}
