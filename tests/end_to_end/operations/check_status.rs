//! Tests `check_status`: the state of a listing, with the evidence of its last probe.

use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, Reply, TestRegistry};

use crate::fixtures::{live_agent, refused_queries};

/// The status of a Live agent, and the snapshot placeholders for values that differ between runs.
async fn live_status() -> (Reply, [(String, &'static str); 3]) {
    let (registry, peer, id) = live_agent().await;
    let reply = registry.get(&format!("/api/listings/status?id={id}")).await;
    (reply, [(id.to_string(), "[id]"), (registry.url(""), "[base]"), (peer.origin.clone(), "[peer]")])
}

fn shown(reply: &Reply, names: &[(String, &'static str); 3]) -> String {
    reply.snapshot(&names.each_ref().map(|(found, name)| (found.as_str(), *name)))
}

#[tokio::test]
async fn status_of_a_live_listing_contains_lane_probe_and_next_step() {
    let (reply, names) = live_status().await;
    // The recheck time depends on the id, which depends on the peer's port.
    let recheck_at = &reply.body["recheck_at"];
    assert!(recheck_at.as_str().unwrap().starts_with("2026-11-2"), "{recheck_at}");
    let omitted = ["recheck_at", "checks", "score_breakdown", "evidence", "take_demo"];
    insta::assert_snapshot!(shown(&reply.without(&omitted), &names), @r#"
    HTTP 200
    {
      "ok": true,
      "found": true,
      "listing_id": "[id]",
      "id": "[id]",
      "kind": "agent",
      "name": "Adder",
      "description": "Adds two numbers and tells their sum.",
      "lane": "active",
      "lane_reason": "Live: it answered a real handshake, and its checks are clean.",
      "access": "open",
      "probe": {
        "ok": true,
        "handshake": "ok",
        "score": "[score]",
        "probed_at": "2026-11-20T12:00:01.000Z",
        "target": "[peer]/rpc",
        "latency_ms": "[latency_ms]",
        "age_hours": 0.0
      },
      "liveness": {
        "state": "proven",
        "asked_at": "2026-11-20T12:00:01.000Z",
        "latency_p50_ms": "[latency_p50_ms]",
        "latency_p95_ms": "[latency_p95_ms]"
      },
      "reasons": [],
      "checks_clean": true,
      "log": {
        "event": "live",
        "at": "2026-11-20T12:00:01.000Z",
        "pending": false,
        "leaf_index": 0,
        "entry_url": "[base]/log/tile/entries/000.p/1",
        "proof_url": "[base]/log/proof?index=0"
      },
      "talk": {
        "required": true,
        "active": true,
        "mode": "grace",
        "reason": "The listing is new. Until 2026-11-27T12:00:01.000Z, it is shown as active in Talk. To stay active, read the inbox or check in before that time.",
        "grace_ends_at": "2026-11-27T12:00:01.000Z"
      },
      "badge_markdown": "[![Agent and MCP Registry]([base]/badge/live.svg?id=[id])]([base]/list/[id])",
      "next": {
        "action": "take_demo",
        "method": "POST",
        "url": "[base]/api/products/demo",
        "body": {
          "listing_id": "[id]"
        },
        "tool": "take_demo",
        "note": "Take the free demo; `take_demo` describes it."
      }
    }
    "#);
}

#[tokio::test]
async fn status_requires_id_or_name_of_a_known_listing() {
    let refused = refused_queries(&[
        "/api/listings/status",
        "/api/listings/status?id=agtpub_00000000000000000000",
        "/api/listings/status?id=%27%20OR%201=1",
        "/api/listings/status?id=",
        "/api/listings/status?name=Nobody",
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    /api/listings/status
      422 which_listing `id`: Send `id` (from the answer of list_yourself) or `name` (the name of the listing).
    /api/listings/status?id=agtpub_00000000000000000000
      404 listing_not_found `-`: Listing not found: `agtpub_00000000000000000000`. -> publish
    /api/listings/status?id=%27%20OR%201=1
      404 listing_not_found `-`: Listing not found: `' OR 1=1`. -> publish
    /api/listings/status?id=
      404 listing_not_found `-`: Listing not found: ``. -> publish
    /api/listings/status?name=Nobody
      404 listing_not_found `-`: Listing not found: `Nobody`. -> publish
    ");
}

/// Whoever takes the name of another agent later does not answer for it.
#[tokio::test]
async fn name_means_the_listing_that_has_been_live_for_longest() {
    let (registry, first) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let older = registry.live_card(&first.card()).await;
    registry.advance(HOUR);
    let second = Peer::start(agents::newest).await;
    let newer = registry.live_card(&second.card()).await;
    assert_ne!(older, newer);
    for path in ["/api/listings/status?name=adder", "/api/products/reciprocity?name=Adder"] {
        assert_eq!(registry.get(path).await.body["listing_id"], json!(older), "{path}");
    }
}
