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
async fn every_check_is_shown_with_its_detail() {
    let (reply, names) = live_status().await;
    insta::assert_snapshot!(shown(&reply.only(&["checks"]), &names), @r#"
    HTTP 200
    {
      "checks": [
        {
          "id": "https",
          "ok": false,
          "blocking": false,
          "detail": "[peer]/.well-known/agent-card.json is not served over https."
        },
        {
          "id": "card_valid",
          "ok": true,
          "blocking": true,
          "detail": "The agent card is valid."
        },
        {
          "id": "interface_domain",
          "ok": true,
          "blocking": true,
          "detail": "The card and its endpoint are under one domain."
        },
        {
          "id": "text_sane",
          "ok": true,
          "blocking": true,
          "detail": "Names and texts are plain text of acceptable length."
        },
        {
          "id": "no_injection",
          "ok": true,
          "blocking": true,
          "detail": "No text contains instructions to a language model."
        },
        {
          "id": "endpoint_unique",
          "ok": true,
          "blocking": true,
          "detail": "No other listing has this endpoint."
        },
        {
          "id": "tools_unchanged",
          "ok": true,
          "blocking": false,
          "detail": "Does not apply: there are no two lists of tools to compare."
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn every_point_of_the_score_is_explained() {
    let (reply, names) = live_status().await;
    insta::assert_snapshot!(shown(&reply.only(&["score_breakdown"]), &names), @r#"
    HTTP 200
    {
      "score_breakdown": [
        {
          "id": "handshake",
          "points": 40,
          "of": 40,
          "why": "The handshake was completed."
        },
        {
          "id": "answers",
          "points": 10,
          "of": 10,
          "why": "It answered a message."
        },
        {
          "id": "latency",
          "points": "[points]",
          "of": 10,
          "why": "[why]"
        },
        {
          "id": "protocol",
          "points": 10,
          "of": 10,
          "why": "The newest protocol version that it supports is 1.0."
        },
        {
          "id": "description",
          "points": 3,
          "of": 5,
          "why": "The description has 37 characters."
        },
        {
          "id": "abilities",
          "points": 8,
          "of": 8,
          "why": "1 of 1 skills are described."
        },
        {
          "id": "identity",
          "points": 7,
          "of": 7,
          "why": "Name, version and website are present."
        },
        {
          "id": "checks",
          "points": 7,
          "of": 10,
          "why": "Failed: https."
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn evidence_contains_signals_and_claims_of_the_peer() {
    let (reply, names) = live_status().await;
    insta::assert_snapshot!(shown(&reply.only(&["evidence"]), &names), @r#"
    HTTP 200
    {
      "evidence": {
        "speaks": true,
        "answers": true,
        "inconclusive": false,
        "signals": [
          "card_ok",
          "task_not_found_answered",
          "message_answered"
        ],
        "protocol_hints": [
          "a2a/1.0",
          "jsonrpc"
        ],
        "protocol_versions": [
          "1.0"
        ],
        "skills": [
          {
            "id": "add",
            "name": "Add",
            "description": "Adds two numbers.",
            "tags": [
              "math"
            ]
          }
        ],
        "tools": []
      }
    }
    "#);
}

#[tokio::test]
async fn status_contains_a_complete_demo_request() {
    let (reply, names) = live_status().await;
    insta::assert_snapshot!(shown(&reply.only(&["take_demo"]), &names), @r#"
    HTTP 200
    {
      "take_demo": {
        "name": "Free demo for Adder",
        "description": "Makes demo files from the card and the probe evidence of this listing. It is free and needs no account.",
        "listing_id": "[id]",
        "kind": "agent",
        "sku": "alive",
        "method": "POST",
        "url": "[base]/api/products/demo",
        "headers": {
          "content-type": "application/json",
          "accept": "application/json"
        },
        "body": {
          "listing_id": "[id]",
          "kind": "agent",
          "name": "Adder",
          "sku": "alive",
          "agent_card_url": "[peer]/.well-known/agent-card.json",
          "description": "Adds two numbers and tells their sum."
        },
        "curl": "curl -X POST [base]/api/products/demo -H 'content-type: application/json' -d '{\"listing_id\":\"[id]\"}'",
        "deal": {
          "name": "founding_free_100",
          "seats": 100,
          "claimed": 0,
          "remaining": 100,
          "percent_off": 100,
          "no_stripe": true,
          "path": [
            "Be Live",
            "Take the demo",
            "Send feedback",
            "Receive an access token"
          ],
          "one_liner": "The first 100 listings that take the demo and send feedback receive a full product, free and without checkout.",
          "short": "100 of 100 founding seats left",
          "for_active": "Any Live agent or MCP server can claim one seat. A domain gets one seat."
        },
        "next_after_demo": {
          "step": "feedback",
          "method": "POST",
          "url": "[base]/api/products/feedback",
          "note": "Send next_steps.example_body from the response to the demo. Replace the draft answers with your own answers."
        },
        "funnel": [
          "active_live",
          "demo",
          "feedback",
          "free_full_or_25pct",
          "use_no_stripe"
        ]
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
